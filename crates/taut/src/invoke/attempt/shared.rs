//! An exchange over a connection that many calls share.

use taut_giop::CompletionStatus;
use taut_giop::message::ResponseFlags;
use taut_giop::service_context::{self, ServiceContext};

use super::{AttemptError, Outcome, interpret, is_answer};
use crate::connection::ConnectionFault;
use crate::connection::{NoReply, Sending, SharedConnection};
use crate::counters;
use crate::exception::unwritable;
use crate::invoke::failure;
use crate::invoke::request::{Exchange, Introduction, write};
use crate::message::Message;
use crate::object::{Binding, Route};
use crate::probes::{self, Step};

/// Tries one route over the connection that all calls share.
#[cold]
#[inline(never)]
pub(super) fn try_shared(
    binding: &Binding,
    route: &Route,
    exchange: &Exchange<'_>,
    message: &mut Message,
) -> Result<Outcome, AttemptError> {
    loop {
        let (connection, reused) = route.endpoint.share(route.version).map_err(|error| {
            AttemptError::NotExecuted(failure::no_connection(error, &route.endpoint))
        })?;
        match converse_shared(binding, route, exchange, &connection, message) {
            Err(AttemptError::NotExecuted(_)) if reused && connection.has_ended() => {
                counters::client::sent_again();
            }
            outcome => return outcome,
        }
    }
}

/// Sends the request over a shared connection and waits for what comes back.
fn converse_shared(
    binding: &Binding,
    route: &Route,
    exchange: &Exchange<'_>,
    connection: &SharedConnection,
    message: &mut Message,
) -> Result<Outcome, AttemptError> {
    let Some(mut sending) = route.endpoint.sending(connection) else {
        let (fault, completed) = (ConnectionFault::Closed, CompletionStatus::No);
        let exception = failure::connection_lost(connection.peer(), &fault, completed);
        return Err(AttemptError::NotExecuted(exception));
    };
    probes::done(Step::ConnectionLeased);
    let request_id = sending.next_request_id();
    let introduction = introduction(route, connection, &sending);
    let outgoing = &mut sending.outgoing;
    let told = introduction.as_ref();
    write(outgoing, binding, route, exchange, request_id, told)
        .map_err(|error| unwritable(&error, CompletionStatus::No))?;
    outgoing.complete(exchange.lent());
    probes::done(Step::RequestWritten);
    let failed = |no_reply: NoReply| {
        let (completed, make): (_, fn(_) -> _) = match no_reply.not_executed {
            true => (CompletionStatus::No, AttemptError::NotExecuted),
            false => (CompletionStatus::Maybe, AttemptError::Final),
        };
        make(failure::connection_lost(
            connection.peer(),
            &no_reply.fault,
            completed,
        ))
    };
    if let (Some([listen_points, code_sets]), Exchange::Request { .. }) = (&introduction, exchange)
    {
        sending.listen_points_sent |= listen_points.is_some();
        sending.code_sets_sent |= code_sets.is_some();
    }
    sending.version = sending.version.max(route.version);
    if let Exchange::Request {
        response: ResponseFlags::None,
        ..
    } = exchange
    {
        let sent = connection.send(&mut sending);
        route.endpoint.note_sent(&sending);
        return sent.map(|()| Outcome::Done).map_err(failed);
    }
    let call = connection.begin(&mut sending, request_id, binding.wait_strategy);
    route.endpoint.note_sent(&sending);
    drop(sending);
    let call = call.map_err(failed)?;
    probes::done(Step::RequestSent);
    let header = connection.wait(call, message).map_err(failed)?;
    probes::done(Step::ReplyReceived);
    if !is_answer(header.message_type, exchange) {
        connection.refuse(header.message_type);
    }
    match interpret(route, exchange, header, message, request_id)? {
        Some(outcome) => {
            probes::done(Step::ReplyChecked);
            Ok(outcome?)
        }
        None => Err(failure::internal().into()),
    }
}

/// The contexts by which a request tells the peer what no request on the connection has
/// told before. The first request may be for an object whose reference names no code sets,
/// and a later one not.
fn introduction<'a>(
    route: &'a Route,
    connection: &'a SharedConnection,
    sending: &Sending,
) -> Option<Introduction<'a>> {
    let code_sets = match sending.code_sets_sent {
        true => None,
        false => route.code_sets_context(),
    };
    let listen_points = match sending.listen_points_sent {
        true => None,
        false => connection.listen_points().map(|data| ServiceContext {
            id: service_context::id::BI_DIR_IIOP,
            data,
        }),
    };
    // TAO acts on the first context that it has a handler for, and on no other.
    let introduction = [listen_points, code_sets];
    introduction
        .iter()
        .any(Option::is_some)
        .then_some(introduction)
}
