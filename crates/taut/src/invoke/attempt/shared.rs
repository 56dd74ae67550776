//! An exchange over a connection that many calls share.

use taut_giop::CompletionStatus;
use taut_giop::message::ResponseFlags;
use taut_giop::service_context::{self, ServiceContext};

use super::{AttemptError, Outcome, interpret, is_answer, no_connection};
use crate::connection::{ConnectionFault, NoReply, Sending, SharedConnection};
use crate::counters;
use crate::exception::unwritable;
use crate::invoke::call_context::Terms;
use crate::invoke::failure;
use crate::invoke::request::{Exchange, Introduction, RequestContexts, write};
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
    terms: &Terms<'_>,
    message: &mut Message,
) -> Result<Outcome, AttemptError> {
    loop {
        terms.begin_attempt();
        if terms.is_late() {
            return Err(failure::too_late().into());
        }
        let shared = route.endpoint.share(terms.patience, route.version);
        let (connection, reused) = shared.map_err(|error| no_connection(error, route, terms))?;
        match exchange_messages_shared(binding, route, exchange, terms, &connection, message) {
            Err(AttemptError::NotExecuted(_)) if reused && connection.has_ended() => {
                counters::client::sent_again();
            }
            outcome => return outcome,
        }
    }
}

/// Sends the request over a shared connection and waits for what comes back.
fn exchange_messages_shared(
    binding: &Binding,
    route: &Route,
    exchange: &Exchange<'_>,
    terms: &Terms<'_>,
    connection: &SharedConnection,
    message: &mut Message,
) -> Result<Outcome, AttemptError> {
    let (send_by, deadline) = (terms.send_until(), terms.until());
    let sending = route.endpoint.sending(connection, send_by);
    let mut sending = sending.map_err(|fault| lost(connection, terms, &fault, true))?;
    probes::done(Step::ConnectionLeased);
    let request_id = sending.next_request_id();
    let introduction = introduction(route, connection, &sending);
    let outgoing = &mut sending.outgoing;
    let contexts = RequestContexts::of(introduction, terms.quality_to_tell(route), terms.of_user());
    let contexts = contexts.as_ref();
    write(outgoing, binding, route, exchange, request_id, contexts)
        .map_err(|error| unwritable(&error, CompletionStatus::No))?;
    outgoing.complete(exchange.lent());
    probes::done(Step::RequestWritten);
    let failed = |no_reply: NoReply| {
        let NoReply {
            fault,
            not_executed,
        } = no_reply;
        lost(connection, terms, &fault, not_executed)
    };
    sending.version = sending.version.max(route.version);
    let introduces = match (introduction, exchange) {
        (Some([listen_points, code_sets]), Exchange::Request { .. }) => {
            [listen_points.is_some(), code_sets.is_some()]
        }
        _ => [false; 2],
    };
    if let Exchange::Request {
        response: ResponseFlags::None,
        ..
    } = exchange
    {
        let sent = connection.send(&mut sending, send_by);
        note_sent(route, &mut sending, introduces, sent.is_ok());
        return sent.map(|()| Outcome::Done).map_err(failed);
    }
    let strategy = terms.wait_strategy.unwrap_or(binding.wait_strategy);
    let times = (terms.patience, deadline);
    let call = connection.begin(&mut sending, request_id, strategy, times);
    note_sent(route, &mut sending, introduces, call.is_ok());
    drop(sending);
    let call = call.map_err(failed)?;
    probes::done(Step::RequestSent);
    let header = connection.wait(call, message).map_err(failed)?;
    probes::done(Step::ReplyReceived);
    if !is_answer(header.message_type, exchange) {
        connection.refuse(header.message_type);
    }
    match interpret(route, exchange, header, message, (request_id, Some(terms)))? {
        Some(outcome) => {
            probes::done(Step::ReplyChecked);
            Ok(outcome?)
        }
        None => Err(failure::internal().into()),
    }
}

/// Notes whether a request has left, which tells listen points or code sets, and what has
/// not left of the oneways before it.
fn note_sent(
    route: &Route,
    sending: &mut Sending,
    [listen_points, code_sets]: [bool; 2],
    has_left: bool,
) {
    if has_left {
        sending.listen_points_sent |= listen_points;
        sending.code_sets_sent |= code_sets;
    }
    route.endpoint.note_sent(sending);
}

/// The connection failed under the call, whose request was not executed or perhaps was.
/// A request that was not executed is sent again, if there is time.
#[cold]
#[inline(never)]
fn lost(
    connection: &SharedConnection,
    terms: &Terms<'_>,
    fault: &ConnectionFault,
    not_executed: bool,
) -> AttemptError {
    let peer = connection.peer();
    let is_crowded = matches!(fault, ConnectionFault::Crowded);
    match not_executed {
        true if fault.is_late() || is_crowded && terms.is_late() => {
            failure::not_sent_in_time(peer, fault).into()
        }
        true => {
            let completed = CompletionStatus::No;
            AttemptError::NotExecuted(failure::connection_lost(peer, fault, completed))
        }
        false => failure::connection_lost(peer, fault, CompletionStatus::Maybe).into(),
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
