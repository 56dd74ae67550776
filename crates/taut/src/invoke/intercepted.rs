//! Attempts in which interceptors take part.
//!
//! One attempt is one run through the interception points: a request that is forwarded or
//! sent again begins anew.

use std::sync::Arc;

use taut_cdr::{Decoder, Encoder};
use taut_giop::SystemException;
use taut_giop::message::{AddressingMode, ResponseFlags};

use super::arguments::Arguments;
use super::attempt::{self, Outcome, SlowOutcome};
use super::call_context::{Terms, WatchedContexts};
use super::reply::ReplyBody;
use super::request::Exchange;
use super::{failure, is_dead_end_exception, is_stale_handle};
use crate::interceptors::{
    self, ClientCall, ClientEnding, ClientPoints, Extensions, Registered, Slots,
};
use crate::message::Message;
use crate::object::{Binding, ObjectRef};
use crate::settings::SyncScope;

/// An outcome, and whether it is the call's, so that nothing else is tried.
pub(super) type Attempted = (Result<Outcome, SystemException>, bool);

/// The values that interceptors keep with a call, from one attempt to the next.
pub(super) type Kept = Extensions;

/// Attempts an exchange, which may have been tried before, and which may fall back to another
/// binding. If it is a request, all interceptors take part.
pub(super) fn attempt(
    object: &ObjectRef,
    binding: &Binding,
    (exchange, tried, may_fall_back): (&Exchange<'_>, SlowOutcome, bool),
    terms: &Terms<'_>,
    message: &mut Message,
    kept: &mut Kept,
) -> Attempted {
    match (interceptors::of(object.core()), exchange) {
        (
            Some(_),
            &Exchange::Request {
                operation,
                response,
                arguments,
            },
        ) if object.core().interception.makes_apart() => {
            let attempt = |terms: &Terms<'_>, message: &mut Message| {
                let in_process = attempt::exchange_in_process;
                match in_process(object, binding, exchange, terms, message) {
                    Some(outcome) => outcome,
                    None => attempt::attempt(object, binding, exchange, terms, message, tried),
                }
            };
            let request = Request {
                operation: operation.name,
                response,
                sync_scope: sync_scope(response),
                arguments,
                may_fall_back,
            };
            around(object, binding, &request, terms, message, kept, attempt)
        }
        _ => {
            let outcome = attempt::attempt(object, binding, exchange, terms, message, tried);
            (outcome, false)
        }
    }
}

/// A request, as its interceptors see it.
pub(super) struct Request<'o, 'a> {
    pub(super) operation: &'o str,
    pub(super) response: ResponseFlags,
    pub(super) sync_scope: SyncScope,
    pub(super) arguments: Arguments<'a>,
    /// Whether another binding is tried if this one leads nowhere.
    pub(super) may_fall_back: bool,
}

/// Runs the interception points of clients around an attempt.
pub(super) fn around(
    object: &ObjectRef,
    binding: &Binding,
    request: &Request<'_, '_>,
    terms: &Terms<'_>,
    message: &mut Message,
    kept: &mut Kept,
    attempt: impl FnOnce(&Terms<'_>, &mut Message) -> Result<Outcome, SystemException>,
) -> Attempted {
    let registered = interceptors::of(object.core());
    let Some(registered) = registered.filter(|registered| registered.watches_client()) else {
        return (attempt(terms, message), false);
    };
    let write = |out: &mut Encoder| write_in_full(request.arguments, out);
    let call = ClientCall {
        object,
        forwarded: binding.forwarded_ior(),
        profile: binding.preferred_profile(),
        operation: request.operation,
        response_expected: request.response != ResponseFlags::None,
        sync_scope: request.sync_scope,
        arguments: Some(&write),
    };
    let slots = registered.slots_of_thread();
    let points = match Points::begin(registered, &call, (terms, slots), kept) {
        Ok(points) => points,
        Err(attempted) => return attempted,
    };
    let outcome = attempt(&points.watch(terms), message);
    let of = (&*message, request.may_fall_back);
    points.end(&call, outcome, of, kept)
}

/// The interceptors that take part in an attempt, which has begun.
pub(super) struct Points {
    points: ClientPoints,
    are_looked_into: bool,
}

impl Points {
    /// Runs the points before a request is sent, of a call with these terms and slots.
    ///
    /// # Errors
    ///
    /// How the attempt has ended, if an interceptor has not let it go on.
    pub(super) fn begin(
        registered: &Arc<Registered>,
        call: &ClientCall<'_>,
        (terms, slots): (&Terms<'_>, Slots),
        kept: &mut Kept,
    ) -> Result<Self, Attempted> {
        let sent = terms.of_user().cloned().unwrap_or_default();
        let are_looked_into = registered.knows_types();
        match ClientPoints::begin(registered, call, (sent, slots), kept) {
            Ok(points) => Ok(Self {
                points,
                are_looked_into,
            }),
            Err(ending) => Err(Rest::None.outcome(ending)),
        }
    }

    /// The terms of a request whose contexts the interceptors have seen.
    pub(super) fn watch<'w>(&'w self, terms: &Terms<'w>) -> Terms<'w> {
        terms.with_watched(WatchedContexts {
            sent: self.points.sent(),
            replied: self.points.replied(),
            are_looked_into: self.are_looked_into,
        })
    }

    /// Runs the points before the reply is polled for.
    ///
    /// # Errors
    ///
    /// That of the first interceptor that raises one.
    pub(super) fn poll(&mut self, call: &ClientCall<'_>) -> Result<(), SystemException> {
        self.points.poll(call)
    }

    /// Runs the points behind a request, which may change its outcome: that of this message,
    /// and of a call that may fall back to another binding.
    pub(super) fn end(
        self,
        call: &ClientCall<'_>,
        outcome: Result<Outcome, SystemException>,
        (message, may_fall_back): (&Message, bool),
        kept: &mut Kept,
    ) -> Attempted {
        let (ending, rest) = split(outcome, may_fall_back);
        let body = match &rest {
            Rest::Reply(body) => body.decoder(message, call.object.core()),
            _ => None,
        };
        rest.outcome(self.points.end(call, ending, body.as_ref(), kept))
    }

    /// Tells the interceptors that the call is given up.
    pub(super) fn abandon(self, call: &ClientCall<'_>, kept: &mut Kept) {
        self.points.end(call, ClientEnding::Abandoned, None, kept);
    }
}

/// The part of an outcome that interceptors do not see.
enum Rest {
    None,
    Reply(ReplyBody),
    Readdress(AddressingMode),
    /// Another attempt follows, on account of this.
    Failed(SystemException),
}

/// Parts an outcome into what interceptors see of it and the rest.
fn split(outcome: Result<Outcome, SystemException>, may_fall_back: bool) -> (ClientEnding, Rest) {
    match outcome {
        Ok(Outcome::Reply(body)) if body.raised => (ClientEnding::UserException, Rest::Reply(body)),
        Ok(Outcome::Reply(body)) => (ClientEnding::Reply, Rest::Reply(body)),
        Ok(Outcome::Done | Outcome::Unknown) => (ClientEnding::Sent, Rest::None),
        Ok(Outcome::Forward(target)) => (ClientEnding::Forward(target), Rest::None),
        Ok(Outcome::Readdress(mode)) => (ClientEnding::Retry, Rest::Readdress(mode)),
        Err(exception)
            if is_stale_handle(&exception)
                || may_fall_back && is_dead_end_exception(&exception) =>
        {
            (ClientEnding::Retry, Rest::Failed(exception))
        }
        Err(exception) => (ClientEnding::SystemException(exception), Rest::None),
    }
}

impl Rest {
    /// Puts an outcome together again, of which interceptors have made this.
    fn outcome(self, ending: ClientEnding) -> Attempted {
        match (ending, self) {
            (ClientEnding::Reply | ClientEnding::UserException, Self::Reply(body)) => {
                (Ok(Outcome::Reply(body)), true)
            }
            (ClientEnding::Retry, Self::Readdress(mode)) => (Ok(Outcome::Readdress(mode)), false),
            (ClientEnding::Retry, Self::Failed(exception)) => (Err(exception), false),
            (ClientEnding::Forward(target), _) => (Ok(Outcome::Forward(target)), false),
            (ClientEnding::SystemException(exception), _) => (Err(exception), true),
            (ClientEnding::Sent, _) => (Ok(Outcome::Done), true),
            _ => (Err(failure::internal()), true),
        }
    }
}

/// Writes arguments, and what they leave where it lies.
pub(super) fn write_in_full(arguments: Arguments<'_>, out: &mut Encoder) -> taut_cdr::Result<()> {
    arguments.write(out)?;
    let lent = arguments.lent();
    if !lent.is_empty() {
        out.take_back(lent);
    }
    Ok(())
}

/// The event that a caller waits for, as the request says.
pub(super) fn sync_scope(response: ResponseFlags) -> SyncScope {
    match response {
        ResponseFlags::None => SyncScope::WithTransport,
        ResponseFlags::SyncWithServer => SyncScope::WithServer,
        ResponseFlags::Expected => SyncScope::WithTarget,
    }
}

impl ReplyBody {
    /// A decoder at the body, for others than the caller; none if the body cannot be there.
    fn decoder<'m>(
        &self,
        message: &'m Message,
        core: &crate::core::OrbCore,
    ) -> Option<Decoder<'m>> {
        let limits = &core.settings.limits;
        let decoder = Decoder::new(&message.octets, self.order)
            .with_characters(self.characters)
            .with_nesting_limit(limits.nesting_limit)
            .with_graph_limits(limits.type_codes)
            .with_cyclic_values(limits.cyclic_values);
        let mut decoder = message.tell(decoder, limits.memory);
        if decoder.skip(self.offset).is_err() {
            // There is none.
            decoder.skip(decoder.remaining()).ok()?;
        }
        Some(decoder)
    }
}
