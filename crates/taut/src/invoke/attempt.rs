//! One exchange with one binding: lease a connection, send, wait, read.

#[cfg(feature = "full")]
mod in_process;
mod shared;

use std::io;
use std::time::Instant;

use taut_cdr::{CharacterForms, Decode, ElementForm};
use taut_giop::message::{AddressingMode, LocateStatus, MessageHeader, MessageType, ReplyStatus};
use taut_giop::{CompletionStatus, Ior, SystemException};

use super::call_context::Terms;
use super::failure;
use super::reply::{PlainReply, ReplyBody};
use super::request::{Exchange, Quality, RequestContexts, write};
use crate::connection::{ClientConnection, ConnectionFault, Lease, LeaseError, Outgoing};
use crate::counters;
use crate::exception::unwritable;
use crate::message::Message;
use crate::nested_calls;
use crate::object::{Binding, ObjectRef, Route};
use crate::probes::{self, Step};
use crate::settings::WaitStrategy;
use crate::straight_way;

#[cfg(feature = "full")]
pub(super) use in_process::exchange_in_process;

/// How an exchange with one binding ended. Small, for it passes through several
/// hands on every call; the reply itself stays in the caller's message.
pub(super) enum Outcome {
    /// With results or a user exception.
    Reply(ReplyBody),
    /// Without anything coming back: a oneway request is on its way, or the
    /// object is where it was looked for.
    Done,
    /// The object does not exist there.
    Unknown,
    /// The object is elsewhere.
    Forward(Box<Ior>),
    /// The server wants the target named in another form.
    Readdress(AddressingMode),
}

/// Why an attempt on one connection failed.
pub(super) enum AttemptError {
    /// The request did not reach a servant: another connection may carry it.
    NotExecuted(SystemException),
    /// The call is over.
    Final(SystemException),
}

impl From<SystemException> for AttemptError {
    fn from(exception: SystemException) -> Self {
        Self::Final(exception)
    }
}

/// The outcome of an exchange that did not go [straight](go_straight); none: it has not
/// been tried. It lies apart from what exchanges mostly come to, which then stays in
/// registers.
pub(super) type SlowOutcome = Option<Result<Outcome, AttemptError>>;

/// Sends a request over the connection that this thread used last, if that leads to the
/// preferred route. If the reply is as it mostly is, its message is left in `message`; so
/// it is if nothing [is answered](Exchange::is_answered), which the caller says, who knows
/// it when this is compiled. Any other outcome is left in `slow`.
///
/// Returns all in which plain replies differ.
#[inline(always)]
pub(super) fn go_straight(
    binding: &Binding,
    exchange: &Exchange<'_>,
    is_answered: bool,
    message: &mut Message,
    slow: &mut SlowOutcome,
) -> Option<PlainReply> {
    let (_, route) = binding.preferred();
    if route.endpoint.is_shared() {
        return None;
    }
    if !straight_way::is_open() {
        return None;
    }
    let lease = route.endpoint.lease_last()?;
    exchange_messages(
        binding,
        route,
        exchange,
        (is_answered, None),
        lease,
        message,
        slow,
    )
}

/// The outcome of an exchange that went straight.
fn gone_straight(is_answered: bool, reply: PlainReply) -> Outcome {
    match is_answered {
        true => Outcome::Reply(ReplyBody::plain(reply)),
        false => Outcome::Done,
    }
}

/// Tries the binding's routes, the preferred one first, until one answers. A reply's
/// message is left in `message`. The preferred one may have been `tried` over a connection
/// that was kept from an earlier call.
pub(super) fn attempt(
    object: &ObjectRef,
    binding: &Binding,
    exchange: &Exchange<'_>,
    terms: &Terms<'_>,
    message: &mut Message,
    tried: SlowOutcome,
) -> Result<Outcome, SystemException> {
    match tried {
        Some(Ok(outcome)) => return Ok(outcome),
        Some(Err(AttemptError::Final(exception))) => return Err(exception),
        Some(Err(AttemptError::NotExecuted(_))) => counters::client::sent_again(),
        None => {}
    }
    let binding = &*terms.way(object, binding)?;
    if let Some(order) = terms.qos.route_order(object.core(), binding)? {
        return attempt_in_order(binding, exchange, terms, message, &order);
    }
    let (preferred, route) = binding.preferred();
    match try_route(binding, route, exchange, terms, message) {
        Ok(outcome) => Ok(outcome),
        Err(AttemptError::NotExecuted(exception)) => {
            attempt_others(binding, exchange, terms, message, preferred, exception)
        }
        Err(AttemptError::Final(exception)) => Err(exception),
    }
}

/// Tries routes in an order that policies say; there is at least one.
#[cold]
fn attempt_in_order(
    binding: &Binding,
    exchange: &Exchange<'_>,
    terms: &Terms<'_>,
    message: &mut Message,
    order: &[usize],
) -> Result<Outcome, SystemException> {
    let mut failed: Option<SystemException> = None;
    for index in order {
        let Some(route) = binding.routes().nth(*index) else {
            continue;
        };
        let failed_before = |exception| match &failed {
            Some(failed) => failure::after(failed, exception),
            None => exception,
        };
        match try_route(binding, route, exchange, terms, message) {
            Ok(outcome) => return Ok(outcome),
            Err(AttemptError::Final(exception)) => return Err(failed_before(exception)),
            Err(AttemptError::NotExecuted(exception)) => {
                failed = Some(failed_before(exception));
            }
        }
    }
    Err(failed.unwrap_or_else(failure::internal))
}

/// Tries the routes but the preferred one, which has failed.
fn attempt_others(
    binding: &Binding,
    exchange: &Exchange<'_>,
    terms: &Terms<'_>,
    message: &mut Message,
    preferred: usize,
    mut failed: SystemException,
) -> Result<Outcome, SystemException> {
    for (index, route) in binding.routes().enumerate() {
        if index == preferred {
            continue;
        }
        match try_route(binding, route, exchange, terms, message) {
            Ok(outcome) => {
                binding.prefer(index);
                return Ok(outcome);
            }
            Err(AttemptError::Final(exception)) if failure::is_late(&exception) => {
                return Err(failure::after(&failed, exception));
            }
            Err(AttemptError::Final(exception)) => return Err(exception),
            Err(AttemptError::NotExecuted(exception)) => {
                failed = failure::after(&failed, exception);
            }
        }
    }
    Err(failed)
}

/// Tries one route. A connection that was kept from an earlier call may have
/// died since; when the request certainly was not executed, the next one is
/// tried, and a new one last.
fn try_route(
    binding: &Binding,
    route: &Route,
    exchange: &Exchange<'_>,
    terms: &Terms<'_>,
    message: &mut Message,
) -> Result<Outcome, AttemptError> {
    if route.endpoint.is_shared() {
        return shared::try_shared(binding, route, exchange, terms, message);
    }
    let is_answered = exchange.is_answered();
    loop {
        // An earlier attempt may have left there what it received.
        message.clear();
        terms.begin_attempt();
        if terms.is_late() {
            return Err(failure::too_late().into());
        }
        let lease = route.endpoint.lease(terms.patience);
        let lease = lease.map_err(|error| no_connection(error, route, terms))?;
        let reused = lease.is_reused();
        let mut slow = None;
        let _waiting = nested_calls::note();
        let straight = exchange_messages(
            binding,
            route,
            exchange,
            (is_answered, Some(terms)),
            lease,
            message,
            &mut slow,
        );
        let straight = straight.map(|reply| Ok(gone_straight(is_answered, reply)));
        match straight.or(slow) {
            Some(Err(AttemptError::NotExecuted(_))) if reused => {
                counters::client::sent_again();
            }
            Some(outcome) => return outcome,
            None => return Err(failure::internal().into()),
        }
    }
}

/// There is no connection: another route may serve, if there is time.
#[cold]
#[inline(never)]
fn no_connection(error: LeaseError, route: &Route, terms: &Terms<'_>) -> AttemptError {
    let is_late = terms.is_late();
    let exception = failure::no_connection(error, &route.endpoint, is_late);
    match is_late {
        true => AttemptError::Final(exception),
        false => AttemptError::NotExecuted(exception),
    }
}

/// Sends the request over a leased connection and waits until the deadline for what comes
/// back: a reply as it mostly is, or what is then in `slow`.
#[inline(always)]
fn exchange_messages(
    binding: &Binding,
    route: &Route,
    exchange: &Exchange<'_>,
    (is_answered, terms): (bool, Option<&Terms<'_>>),
    mut lease: Lease<'_>,
    message: &mut Message,
    slow: &mut SlowOutcome,
) -> Option<PlainReply> {
    let deadline = terms.and_then(Terms::until);
    let strategy = match terms.and_then(|terms| terms.wait_strategy) {
        Some(strategy) => strategy,
        None => binding.wait_strategy,
    };
    probes::done(Step::ConnectionLeased);
    let connection = lease.connection();
    let request_id = connection.next_request_id();
    let agree = route.has_code_sets() && !connection.code_sets_sent;
    let outgoing = &mut connection.outgoing;
    let of_user = terms.and_then(Terms::of_user);
    let quality = terms.map_or(Quality::NONE, |terms| terms.quality_to_tell(route));
    let written = match agree || of_user.is_some() || quality.is_some() {
        false => write(outgoing, binding, route, exchange, request_id, None),
        true => {
            let introduction = agree.then(|| [route.code_sets_context(), None]);
            let contexts = RequestContexts::of(introduction, quality, of_user);
            write_with(outgoing, binding, route, exchange, request_id, contexts)
        }
    };
    if let Err(error) = written {
        *slow = Some(Err(not_written(lease, &error)));
        return None;
    }
    probes::done(Step::RequestWritten);
    if let Err(error) = connection.send(exchange.lent(), terms.and_then(Terms::send_until)) {
        *slow = Some(Err(not_sent(connection, error)));
        return None;
    }
    probes::done(Step::RequestSent);
    if let Exchange::Request { .. } = exchange {
        connection.code_sets_sent |= agree;
        if !is_answered {
            lease.keep();
            return Some(plain_reply(route));
        }
        let elements = match terms {
            Some(terms) if terms.are_looked_into() => ElementForm::NONE,
            _ => exchange.elements(),
        };
        let received = match !elements.is_none() && connection.expects_large_reply() {
            true => {
                let asked = (route.version, request_id);
                connection.receive_apart(strategy, message, elements, asked, deadline)
            }
            false => connection
                .receive(strategy, &mut message.octets, deadline)
                .map(|()| false),
        };
        let is_whole = match received {
            Ok(is_whole) => is_whole,
            Err(fault) => {
                *slow = Some(Err(ended(connection, fault, deadline)));
                return None;
            }
        };
        probes::done(Step::ReplyReceived);
        if is_whole || is_plain_reply(route, message, request_id) {
            if !elements.is_none() && !is_whole {
                connection.note_sequence(message.octets.len());
            }
            lease.keep();
            probes::done(Step::ReplyChecked);
            return Some(plain_reply(route));
        }
    }
    let waits = (strategy, deadline);
    let asked = (request_id, terms);
    *slow = Some(read_in_full(route, exchange, lease, message, asked, waits));
    None
}

/// Whether the message is the plain reply to a request on a route.
#[inline(always)]
fn is_plain_reply(route: &Route, message: &Message, request_id: u32) -> bool {
    let messaging = route.messaging;
    messaging.is_plain_reply(&message.octets, route.version, request_id)
}

/// The form of plain replies on a route.
#[inline(always)]
fn plain_reply(route: &Route) -> PlainReply {
    PlainReply {
        messaging: route.messaging,
        characters: route.characters,
    }
}

/// Reads whatever it is that came back, of which `message` holds the beginning, waiting as
/// it is said, until the deadline.
#[cold]
#[inline(never)]
fn read_in_full(
    route: &Route,
    exchange: &Exchange<'_>,
    mut lease: Lease<'_>,
    message: &mut Message,
    asked: (u32, Option<&Terms<'_>>),
    (strategy, deadline): (WaitStrategy, Option<Instant>),
) -> Result<Outcome, AttemptError> {
    let connection = lease.connection();
    let limit = connection.max_stray_replies();
    for _ in 0..=limit {
        let header = connection
            .complete(strategy, message, deadline)
            .map_err(|fault| {
                let fault = fault.of_receiving(message.octets.len());
                ended(connection, fault, deadline)
            })?;
        // CORBA 3.3 part 2, 9.4.7: what was not answered was not begun.
        if header.message_type == MessageType::CloseConnection {
            return Err(not_executed(connection, ConnectionFault::Closed));
        }
        if let Some(outcome) = interpret(route, exchange, header, message, asked)? {
            let (request_id, _) = asked;
            if !exchange.elements().is_none() && is_plain_reply(route, message, request_id) {
                connection.note_sequence(message.octets.len());
            }
            lease.keep();
            probes::done(Step::ReplyChecked);
            return Ok(outcome?);
        }
        // A reply to a request that is not ours answers a oneway, perhaps.
        message.clear();
    }
    Err(lost(connection, &ConnectionFault::StrayReplies { limit }).into())
}

/// Nothing came back.
#[cold]
#[inline(never)]
fn ended(
    connection: &ClientConnection,
    fault: ConnectionFault,
    deadline: Option<Instant>,
) -> AttemptError {
    let fault = connection.fault_of_waiting(fault);
    // A peer that speaks another protocol has executed nothing.
    if fault.is_of_other_protocol() || connection.ended_before_request(&fault, deadline) {
        return not_executed(connection, fault);
    }
    lost(connection, &fault).into()
}

/// Writes a request with service contexts, such as the first on a connection, which tells
/// the code sets.
#[cold]
#[inline(never)]
fn write_with(
    outgoing: &mut Outgoing,
    binding: &Binding,
    route: &Route,
    exchange: &Exchange<'_>,
    request_id: u32,
    contexts: Option<RequestContexts<'_>>,
) -> taut_cdr::Result<()> {
    let contexts = contexts.as_ref();
    write(outgoing, binding, route, exchange, request_id, contexts)
}

/// Nothing was sent; the connection is as good as before.
#[cold]
#[inline(never)]
fn not_written(lease: Lease<'_>, error: &taut_cdr::Error) -> AttemptError {
    lease.keep();
    unwritable(error, CompletionStatus::No).into()
}

/// A request that did not leave in full cannot have been executed. If there was no time
/// for it, there is none for another attempt.
#[cold]
#[inline(never)]
fn not_sent(connection: &ClientConnection, error: io::Error) -> AttemptError {
    let fault = ConnectionFault::of_sending(error);
    match not_executed(connection, fault) {
        AttemptError::NotExecuted(exception) if failure::is_late(&exception) => {
            AttemptError::Final(exception)
        }
        outcome => outcome,
    }
}

/// The request did not reach a servant.
#[cold]
#[inline(never)]
fn not_executed(connection: &ClientConnection, fault: ConnectionFault) -> AttemptError {
    let completed = CompletionStatus::No;
    AttemptError::NotExecuted(failure::connection_lost(
        connection.peer(),
        &fault,
        completed,
    ))
}

/// The request was sent, and nobody knows what became of it.
#[cold]
#[inline(never)]
fn lost(connection: &ClientConnection, fault: &ConnectionFault) -> SystemException {
    failure::connection_lost(connection.peer(), fault, CompletionStatus::Maybe)
}

/// Reads a message that came back in answer to a request with this id, for whose caller there
/// may be terms.
///
/// # Errors
///
/// COMM_FAILURE if it is not of the kind that answers the exchange.
pub(super) fn interpret(
    route: &Route,
    exchange: &Exchange<'_>,
    header: MessageHeader,
    message: &Message,
    asked: (u32, Option<&Terms<'_>>),
) -> Result<Answer, SystemException> {
    match header.message_type {
        found if !is_answer(found, exchange) => Err(of_wrong_kind(route, found, exchange)),
        MessageType::LocateReply => read_locate_reply(route, header, message, asked.0),
        _ => read_reply(route, header, message, asked),
    }
}

/// Whether messages of this kind answer the exchange.
pub(super) fn is_answer(found: MessageType, exchange: &Exchange<'_>) -> bool {
    match exchange {
        Exchange::Request { .. } => found == MessageType::Reply,
        Exchange::Locate => found == MessageType::LocateReply,
    }
}

/// A message came that answers something else.
#[cold]
fn of_wrong_kind(route: &Route, found: MessageType, exchange: &Exchange<'_>) -> SystemException {
    let (asked, completed) = match exchange {
        Exchange::Request { .. } => ("Request", CompletionStatus::Maybe),
        Exchange::Locate => ("LocateRequest", CompletionStatus::No),
    };
    let fault = format!("{found:?} came in answer to a {asked}");
    failure::protocol_error(route.endpoint.address(), &fault, completed)
}

/// The outcome that a reply reports; none when it answers another request.
pub(super) type Answer = Option<Result<Outcome, SystemException>>;

/// Reads a Reply.
fn read_reply(
    route: &Route,
    header: MessageHeader,
    message: &Message,
    (request_id, terms): (u32, Option<&Terms<'_>>),
) -> Result<Answer, SystemException> {
    let malformed = |error| SystemException::from_cdr(&error, CompletionStatus::Maybe);
    let messaging = route.messaging;
    let input = messaging
        .decoder(&header, &message.octets)
        .map_err(malformed)?;
    let mut input = input.with_realignments(message.realignments());
    let reply = messaging
        .reply_header(&header, &mut input, route.endpoint.lists())
        .map_err(malformed)?;
    if reply.request_id != request_id {
        return Ok(None);
    }
    if let Some(terms) = terms {
        terms.note_reply(&reply.service_contexts);
    }
    let offset = input.position();
    Ok(Some(match reply.status {
        ReplyStatus::NoException | ReplyStatus::UserException => Ok(Outcome::Reply(ReplyBody {
            offset,
            order: header.order,
            characters: CharacterForms {
                wide: header.version.wide_form_as(route.characters.wide),
                ..route.characters
            },
            raised: reply.status == ReplyStatus::UserException,
        })),
        ReplyStatus::SystemException => Err(failure::received(
            SystemException::decode(&mut input).map_err(malformed)?,
            route,
        )),
        ReplyStatus::LocationForward | ReplyStatus::LocationForwardPerm => Ok(Outcome::Forward(
            Ior::decode_within(&mut input, route.endpoint.lists())
                .map(Box::new)
                .map_err(malformed)?,
        )),
        ReplyStatus::NeedsAddressingMode => Ok(Outcome::Readdress(
            AddressingMode::decode(&mut input).map_err(malformed)?,
        )),
    }))
}

/// Reads a LocateReply.
fn read_locate_reply(
    route: &Route,
    header: MessageHeader,
    message: &Message,
    request_id: u32,
) -> Result<Answer, SystemException> {
    let malformed = |error| SystemException::from_cdr(&error, CompletionStatus::No);
    let messaging = route.messaging;
    let mut input = messaging
        .decoder(&header, &message.octets)
        .map_err(malformed)?;
    let reply = messaging
        .locate_reply_header(&header, &mut input)
        .map_err(malformed)?;
    if reply.request_id != request_id {
        return Ok(None);
    }
    Ok(Some(match reply.status {
        LocateStatus::UnknownObject => Ok(Outcome::Unknown),
        LocateStatus::ObjectHere => Ok(Outcome::Done),
        LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm => Ok(Outcome::Forward(
            Ior::decode_within(&mut input, route.endpoint.lists())
                .map(Box::new)
                .map_err(malformed)?,
        )),
        LocateStatus::LocSystemException => Err(failure::received(
            SystemException::decode(&mut input).map_err(malformed)?,
            route,
        )),
        LocateStatus::LocNeedsAddressingMode => Ok(Outcome::Readdress(
            AddressingMode::decode(&mut input).map_err(malformed)?,
        )),
    }))
}
