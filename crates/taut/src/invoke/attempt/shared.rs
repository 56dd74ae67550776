//! An exchange over a connection that many calls share.

use taut_giop::CompletionStatus;
use taut_giop::message::ResponseFlags;
#[cfg(feature = "bidirectional")]
use taut_giop::service_context::{self, ServiceContext};

use super::{AttemptError, Outcome, interpret};
#[cfg(feature = "oneway-queue")]
use crate::connection::ConnectionFault;
use crate::connection::{NoReply, SharedConnection};
use crate::counters;
use crate::exception::unwritable;
use crate::invoke::failure;
use crate::invoke::request::{Exchange, write};
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
        let (connection, reused) = route
            .endpoint
            .share(
                #[cfg(feature = "bidirectional")]
                route.version,
            )
            .map_err(|error| AttemptError::NotExecuted(failure::no_connection(&error)))?;
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
    #[cfg(not(feature = "oneway-queue"))]
    let mut sending = connection.sending();
    #[cfg(feature = "oneway-queue")]
    let Some(mut sending) = route.endpoint.sending(connection) else {
        let (fault, completed) = (ConnectionFault::Closed, CompletionStatus::No);
        let exception = failure::connection_lost(connection.peer(), &fault, completed);
        return Err(AttemptError::NotExecuted(exception));
    };
    probes::done(Step::ConnectionLeased);
    let request_id = sending.next_request_id();
    let is_first = !sending.is_introduced;
    let introduction = is_first.then(|| {
        #[cfg(feature = "bidirectional")]
        let listen_points = connection.listen_points().map(|data| ServiceContext {
            id: service_context::id::BI_DIR_IIOP,
            data,
        });
        #[cfg(not(feature = "bidirectional"))]
        let listen_points = None;
        // TAO acts on the first context that it has a handler for, and on no other.
        [listen_points, route.code_sets_context()]
    });
    let (outgoing, first) = (&mut sending.outgoing, introduction.as_ref());
    write(outgoing, binding, route, exchange, request_id, first)
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
    sending.is_introduced |= is_first && matches!(exchange, Exchange::Request { .. });
    sending.version = sending.version.max(route.version);
    if let Exchange::Request {
        response: ResponseFlags::None,
        ..
    } = exchange
    {
        let sent = connection.send(&mut sending);
        #[cfg(feature = "oneway-queue")]
        route.endpoint.note_sent(&sending);
        return sent.map(|()| Outcome::Done).map_err(failed);
    }
    let call = connection.begin(&mut sending, request_id, binding.wait_strategy);
    #[cfg(feature = "oneway-queue")]
    route.endpoint.note_sent(&sending);
    drop(sending);
    let call = call.map_err(failed)?;
    probes::done(Step::RequestSent);
    let header = connection.wait(call, message).map_err(failed)?;
    probes::done(Step::ReplyReceived);
    match interpret(route, header, message, request_id)? {
        Some(outcome) => {
            probes::done(Step::ReplyChecked);
            Ok(outcome?)
        }
        None => Err(failure::internal().into()),
    }
}
