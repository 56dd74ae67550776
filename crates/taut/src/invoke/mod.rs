//! Requests: from a call on a reference to its reply.

mod arguments;
#[cfg_attr(not(feature = "full"), path = "asynchronous_absent.rs")]
mod asynchronous;
mod attempt;
mod call_context;
#[cfg_attr(not(feature = "full"), path = "apart.rs")]
mod collocation;
#[cfg(feature = "full")]
mod connections;
mod failure;
#[cfg_attr(not(feature = "full"), path = "intercepted_absent.rs")]
mod intercepted;
mod interpretive;
mod locate;
mod oneway;
mod pseudo_operations;
#[cfg_attr(not(feature = "full"), path = "qos_absent.rs")]
mod qos;
mod reply;
mod request;
#[cfg(feature = "full")]
mod validation;

use std::time::Instant;

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::message::ResponseFlags;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::counters;
use crate::message::Message;
use crate::object::{Binding, Bound, CalledOperation, ObjectRef};
use crate::probes;
use arguments::{Arguments, Written};
use attempt::{Outcome, SlowOutcome};
use call_context::{Terms, with_that_of_thread};
use reply::{PlainReply, ReplyBody};
use request::Exchange;

#[cfg(feature = "full")]
pub use asynchronous::{AlreadyInSet, InvokeFuture, PollError, PollableSet, UnknownPollable};
pub use asynchronous::{AmiOperation, OwnedReply, Pollable, Poller, ReplyFuture};
pub use call_context::CallContext;
pub use collocation::{collocated, collocated_compact, collocated_oneway, inout_copy};
pub use interpretive::{
    CallFailure, call, call_in_context, call_raising, call_raising_in_context, send,
    send_in_context,
};
pub use locate::Located;
pub use pseudo_operations::NarrowError;
pub use reply::{OperationError, RaisedException, Reply, SequenceView};

impl ObjectRef {
    /// Calls an operation by its name and waits for its reply.
    ///
    /// # Errors
    ///
    /// The system exception that the call ended with. A user exception is not
    /// an error here: the [`Reply`] tells.
    #[inline]
    pub fn invoke(
        &self,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
    ) -> Result<Reply<'_>, SystemException> {
        let arguments = Arguments::whole(&arguments);
        two_way(self, &CalledOperation::by_name(operation), arguments)
    }

    /// [`invoke`](Self::invoke) of a call that has something of its own, such as a
    /// deadline or service contexts.
    ///
    /// # Errors
    ///
    /// Those of [`invoke`](Self::invoke); BAD_PARAM or IMP_LIMIT when the
    /// [`CallContext`] has service contexts that it may not have.
    pub fn invoke_with(
        &self,
        context: &CallContext,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
    ) -> Result<Reply<'_>, SystemException> {
        let exchange = Exchange::Request {
            operation: &CalledOperation::by_name(operation),
            response: ResponseFlags::Expected,
            arguments: Arguments::whole(&arguments),
        };
        self.core().lifecycle.check()?;
        let mut message = Message::take();
        match pursue(self, &exchange, Some(context), &mut message, None) {
            Ok(Outcome::Reply(body)) => Ok(Reply::new(self.core(), message, body)),
            outcome => Err(without_reply(outcome)),
        }
    }

    /// [`invoke`](Self::invoke) of an operation that may have a handle, as generated stubs
    /// do it. The closure may end with a sequence that it [lends](Encoder::lend), and return
    /// that: a large one is sent from where it lies.
    ///
    /// # Errors
    ///
    /// Those of [`invoke`](Self::invoke).
    #[doc(hidden)]
    #[inline]
    pub fn call<A: Written>(
        &self,
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
    ) -> Result<Reply<'_>, SystemException> {
        A::erased(arguments, |arguments| two_way(self, operation, arguments))
    }
}

fn two_way<'r, 'a>(
    object: &'r ObjectRef,
    operation: &'a CalledOperation<'a>,
    arguments: Arguments<'a>,
) -> Result<Reply<'r>, SystemException> {
    let exchange = Exchange::Request {
        operation,
        response: ResponseFlags::Expected,
        arguments,
    };
    probes::begin_call();
    let mut message = Message::take();
    let mut slow = None;
    if let Some(plain) = straight(object, &exchange, true, &mut message, &mut slow)? {
        let body = ReplyBody::plain(plain);
        return Ok(Reply::new(object.core(), message, body));
    }
    match pursue(object, &exchange, None, &mut message, slow) {
        Ok(Outcome::Reply(body)) => Ok(Reply::new(object.core(), message, body)),
        outcome => Err(without_reply(outcome)),
    }
}

/// Returns the exception of a call that has ended without a reply.
#[cold]
#[inline(never)]
fn without_reply(outcome: Result<Outcome, SystemException>) -> SystemException {
    outcome.err().unwrap_or_else(failure::internal)
}

/// Carries out an exchange as nearly all of them go; none: it is to be
/// [pursued](pursue).
#[inline(always)]
fn straight(
    object: &ObjectRef,
    exchange: &Exchange<'_>,
    is_answered: bool,
    message: &mut Message,
    slow: &mut SlowOutcome,
) -> Result<Option<PlainReply>, SystemException> {
    let lifecycle = &object.core().lifecycle;
    if !lifecycle.is_plain() {
        return lifecycle.check().map(|()| None);
    }
    // No closure, which would lie apart.
    match object.own_binding().get_straight() {
        Some(binding) => Ok(attempt::go_straight(
            &binding,
            exchange,
            is_answered,
            message,
            slow,
        )),
        None => Ok(None),
    }
}

/// Goes on with an exchange that has not been tried yet, or whose first attempt
/// may not have been its last. All that is in force for it is found out here; a context of
/// its own comes before its thread's.
#[cold]
#[inline(never)]
fn pursue(
    object: &ObjectRef,
    exchange: &Exchange<'_>,
    context: Option<&CallContext>,
    message: &mut Message,
    slow: SlowOutcome,
) -> Result<Outcome, SystemException> {
    match context {
        None => with_that_of_thread(|context| {
            pursue_in_context(object, exchange, context, message, slow)
        }),
        own => pursue_in_context(object, exchange, own, message, slow),
    }
}

/// The same, where the context is known.
fn pursue_in_context(
    object: &ObjectRef,
    exchange: &Exchange<'_>,
    context: Option<&CallContext>,
    message: &mut Message,
    slow: SlowOutcome,
) -> Result<Outcome, SystemException> {
    let terms = Terms::of(object, context);
    let begun = match context {
        Some(context) => context.begin(object.core()),
        None => Ok(()),
    };
    begun
        .and_then(|()| pursue_to_the_end(object, exchange, &terms, message, slow))
        .map_err(|exception| failure::concluded(exception, object, exchange.operation(), &terms))
}

fn pursue_to_the_end(
    object: &ObjectRef,
    exchange: &Exchange<'_>,
    terms: &Terms<'_>,
    message: &mut Message,
    mut slow: SlowOutcome,
) -> Result<Outcome, SystemException> {
    let core = object.core();
    let mut redirections = Redirections::new(terms.qos.max_forwards(core));
    terms.qos.wait_to_send(core, terms.request_by)?;
    // The place that the call was forwarded to before it was given up, if it was.
    let mut given_up: Option<SystemException> = None;
    let mut fell_back = false;
    let mut kept = intercepted::Kept::default();
    loop {
        let binding = bound(object, terms.send_until())?;
        terms.qos.check(object, &binding)?;
        let may_fall_back = binding.forwarded && !fell_back && terms.qos.may_go_back(object);
        let attempted = (exchange, slow.take(), may_fall_back);
        let attempted =
            intercepted::attempt(object, &binding, attempted, terms, message, &mut kept);
        let (outcome, is_final) = attempted;
        match outcome {
            Ok(Outcome::Forward(target)) => {
                redirections.follow_one_of(&binding)?;
                let strategy = object.wait_strategy();
                let there = Binding::forwarded(core, target, strategy, terms.send_until())?;
                terms.qos.check_rebinding(object, &binding, &there)?;
                object.binding().forward(there);
            }
            Ok(Outcome::Readdress(mode)) => {
                redirections.follow_one_of(&binding)?;
                if !binding.set_addressing(mode, object.ior()) {
                    let (_, route) = binding.preferred();
                    let fault = "it asks for the target in a form that the reference has not";
                    let (peer, completed) = (route.endpoint.address(), CompletionStatus::No);
                    return Err(failure::protocol_error(peer, fault, completed));
                }
            }
            // The object has another interface than when the reference was made: it is
            // called by name.
            Err(exception)
                if !is_final && is_stale_handle(&exception) && binding.retire_handles() => {}
            outcome if !is_final && may_fall_back && is_dead_end(&outcome) => {
                // Where we were sent to nobody is any more: ask the original
                // reference again, once.
                fell_back = true;
                given_up = outcome.err().map(failure::at_forward);
                object.binding().forget_forward();
            }
            Err(last) => {
                let last = match binding.forwarded {
                    true => failure::at_forward(last),
                    false => last,
                };
                return Err(match given_up {
                    Some(earlier) => failure::after(&earlier, last),
                    None => last,
                });
            }
            Ok(outcome) => return conclude(object, terms, outcome),
        }
    }
}

/// Ends a call that has not failed.
fn conclude(
    object: &ObjectRef,
    terms: &Terms<'_>,
    outcome: Outcome,
) -> Result<Outcome, SystemException> {
    match &outcome {
        Outcome::Unknown => return Ok(outcome),
        Outcome::Reply(_) => terms.qos.wait_to_deliver(object.core(), terms.deadline)?,
        _ => {}
    }
    object.binding().note_bound();
    Ok(outcome)
}

/// How often a call has been sent elsewhere, or asked to name its target in
/// another form.
struct Redirections {
    count: usize,
    limit: usize,
    /// The setting or policy that sets the limit.
    setting: &'static str,
}

impl Redirections {
    fn new((limit, setting): (usize, &'static str)) -> Self {
        Self {
            count: 0,
            limit,
            setting,
        }
    }

    /// # Errors
    ///
    /// TRANSIENT when there have been as many as are followed.
    fn follow_one_of(&mut self, binding: &Binding) -> Result<(), SystemException> {
        self.count += 1;
        if self.count <= self.limit {
            counters::client::forwarded();
            return Ok(());
        }
        let (_, route) = binding.preferred();
        Err(failure::too_many_forwards(
            &route.endpoint,
            (self.limit, self.setting),
        ))
    }
}

/// Where a reference leads: what is known, or what it says, which may have to be found out
/// by the deadline.
fn bound(object: &ObjectRef, deadline: Option<Instant>) -> Result<Bound<'_>, SystemException> {
    Ok(match object.binding().get() {
        Some(binding) => binding,
        None => {
            let (core, ior) = (object.core(), object.ior());
            let binding = Binding::new(core, ior, object.wait_strategy(), deadline)?;
            object.binding().bind(binding)
        }
    })
}

/// Whether the target of a forward is gone and nothing has happened there.
fn is_dead_end(outcome: &Result<Outcome, SystemException>) -> bool {
    match outcome {
        Ok(outcome) => matches!(outcome, Outcome::Unknown),
        Err(exception) => is_dead_end_exception(exception),
    }
}

/// Whether a call ended before it began, because the server does not take the
/// operation's handle.
fn is_stale_handle(exception: &SystemException) -> bool {
    exception.kind == SystemExceptionKind::BadOperation
        && exception.minor == minor::STALE_OPERATION_HANDLE
        && exception.completed == CompletionStatus::No
}

/// Whether a call ended before it began, because nobody is there.
fn is_dead_end_exception(exception: &SystemException) -> bool {
    exception.completed == CompletionStatus::No
        && matches!(
            exception.kind,
            SystemExceptionKind::CommFailure
                | SystemExceptionKind::Transient
                | SystemExceptionKind::ObjectNotExist
        )
}
