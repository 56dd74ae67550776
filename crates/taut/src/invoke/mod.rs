//! Requests: from a call on a reference to its reply.

mod attempt;
mod failure;
mod interpretive;
mod locate;
mod pseudo_operations;
mod reply;

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::message::ResponseFlags;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use crate::message::Message;
use crate::object::{Binding, ObjectRef};
use attempt::{Exchange, Outcome};

pub use interpretive::{
    CallFailure, call, call_in_context, call_raising, call_raising_in_context, send,
    send_in_context,
};
pub use locate::Located;
pub use pseudo_operations::NarrowError;
pub use reply::{RaisedException, Reply};

/// Writes the arguments of a call. It may run more than once: a request that
/// is forwarded is marshaled again for its new target.
type Arguments<'a> = &'a dyn Fn(&mut Encoder) -> CdrResult<()>;

impl ObjectRef {
    /// Calls an operation and waits for its reply. What generated stubs do.
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
        two_way(self, operation, &arguments)
    }

    /// Calls an operation without waiting for anything but that the transport
    /// has taken the request (SYNC_WITH_TRANSPORT, CORBA 3.3 part 1, 17.4.2).
    ///
    /// # Errors
    ///
    /// When the request could not be handed to the transport.
    #[inline]
    pub fn invoke_oneway(
        &self,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        let exchange = Exchange::Request {
            operation,
            response: ResponseFlags::None,
            arguments: &arguments,
        };
        follow(self, &exchange, &mut Message::take()).map(|_| ())
    }
}

fn two_way<'r>(
    object: &'r ObjectRef,
    operation: &str,
    arguments: Arguments<'_>,
) -> Result<Reply<'r>, SystemException> {
    let exchange = Exchange::Request {
        operation,
        response: ResponseFlags::Expected,
        arguments,
    };
    let mut message = Message::take();
    match follow(object, &exchange, &mut message) {
        Ok(Outcome::Reply(body)) => Ok(Reply::new(object.core(), message, body)),
        outcome => Err(outcome.err().unwrap_or_else(failure::internal)),
    }
}

/// Carries out an exchange, wherever it is sent to, until it ends. A reply's
/// message is left in `message`.
#[inline]
fn follow(
    object: &ObjectRef,
    exchange: &Exchange<'_>,
    message: &mut Message,
) -> Result<Outcome, SystemException> {
    object.core().lifecycle.check()?;
    let first = match object.binding().get() {
        Some(binding) => attempt::attempt(&binding, exchange, message),
        None => return pursue(object, exchange, message, None),
    };
    match first {
        Ok(Outcome::Reply(_) | Outcome::Done) => first,
        _ => pursue(object, exchange, message, Some(first)),
    }
}

/// Goes on with an exchange that has not been tried yet, or whose first attempt
/// may not have been its last.
#[cold]
fn pursue(
    object: &ObjectRef,
    exchange: &Exchange<'_>,
    message: &mut Message,
    mut outcome: Option<Result<Outcome, SystemException>>,
) -> Result<Outcome, SystemException> {
    let core = object.core();
    let mut forwards = 0;
    let mut fell_back = false;
    loop {
        let binding = match object.binding().get() {
            Some(binding) => binding,
            None => {
                let binding = Binding::new(core, object.ior().clone(), false)?;
                object.binding().bind(binding)
            }
        };
        let outcome = match outcome.take() {
            Some(outcome) => outcome,
            None => attempt::attempt(&binding, exchange, message),
        };
        match outcome {
            Ok(Outcome::Forward(target)) => {
                forwards += 1;
                if forwards > core.settings.max_forwards {
                    return Err(failure::too_many_forwards());
                }
                object.binding().forward(Binding::new(core, *target, true)?);
            }
            Ok(Outcome::Readdress(mode)) => {
                if !binding.set_addressing(mode) {
                    return Err(failure::protocol_error(CompletionStatus::No));
                }
            }
            outcome if binding.forwarded && !fell_back && is_dead_end(&outcome) => {
                // Where we were sent to nobody is any more: ask the original
                // reference again, once.
                fell_back = true;
                object.binding().forget_forward();
            }
            outcome => return outcome,
        }
    }
}

/// Whether the target of a forward is gone and nothing has happened there.
fn is_dead_end(outcome: &Result<Outcome, SystemException>) -> bool {
    match outcome {
        Ok(outcome) => matches!(outcome, Outcome::Unknown),
        Err(exception) => {
            exception.completed == CompletionStatus::No
                && matches!(
                    exception.kind,
                    SystemExceptionKind::CommFailure
                        | SystemExceptionKind::Transient
                        | SystemExceptionKind::ObjectNotExist
                )
        }
    }
}
