//! Asynchronous Method Invocation: calls whose replies go to reply handlers, or wait to be
//! polled for (CORBA 3.3 part 1, chapter 17).
//!
//! Such a call is a future that the ORB drives itself: its first poll sends the request in
//! the caller's thread, and from there on the threads for futures go on with it. None is held
//! while the reply is awaited.

mod brought;
mod delivery;
mod pollable_set;
mod poller;

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};

use taut_cdr::{Decoder, Encoder, Result as CdrResult};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::OwnedReply;
use super::body::{Body, Rewrite};
use super::pursuit::Pursuit;
use super::state::{Operation, Sending};
use crate::core::OrbCore;
use crate::exception::unwritable;
use crate::executor::BoxFuture;
use crate::invoke::arguments::{Arguments, Written};
use crate::invoke::call_context::KeptTerms;
use crate::invoke::reply::RaisedException;
use crate::object::{CalledOperation, ObjectRef, Reference};
use brought::Brought;

pub use pollable_set::{AlreadyInSet, PollError, Pollable, PollableSet, UnknownPollable};
pub use poller::Poller;

/// The facts about an operation that can be called asynchronously: how it is called, and how
/// its replies reach a reply handler or a poller. Generated code has one for each.
#[doc(hidden)]
pub struct AmiOperation {
    /// The operation itself.
    pub called: &'static CalledOperation<'static>,
    /// Reads the arguments and writes them again, unless they are the same for all servers.
    pub rewrite: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
    /// The reply handler's operation that takes the results.
    pub reply: &'static str,
    /// The reply handler's operation that takes an exception.
    pub exception: &'static str,
    /// Reads the results and writes them again.
    pub results: fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>,
    /// Reads a user exception and writes it again; false if the operation does not list it.
    pub raised: fn(&RaisedException<'_>, &mut Encoder) -> Result<bool, SystemException>,
}

impl ObjectRef {
    /// Calls an operation, and has its reply brought to a handler; without one, it is
    /// discarded.
    ///
    /// # Errors
    ///
    /// MARSHAL and its kin when the arguments cannot be written; TRANSIENT when there are as
    /// many such calls as `client.max_ami_calls` allows. Nothing is sent then.
    #[doc(hidden)]
    pub fn call_with_handler<A: Written, H: Reference>(
        &self,
        operation: &'static AmiOperation,
        handler: Option<&H>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
    ) -> Result<(), SystemException> {
        let call = A::erased(arguments, |arguments| Call::new(self, operation, arguments))?;
        call.bring_to(handler.map(H::as_object));
        Ok(())
    }

    /// Calls an operation whose reply is polled for.
    ///
    /// # Errors
    ///
    /// Those of [`call_with_handler`](Self::call_with_handler).
    #[doc(hidden)]
    pub fn call_with_poller<A: Written>(
        &self,
        operation: &'static AmiOperation,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
    ) -> Result<Poller, SystemException> {
        let call = A::erased(arguments, |arguments| Call::new(self, operation, arguments))?;
        Ok(Poller::of_call(call))
    }
}

/// A call that counts as one of those that may be under way.
struct Call {
    pursuit: Pursuit,
    operation: &'static AmiOperation,
    _counted: Counted,
}

impl Call {
    fn new(
        object: &ObjectRef,
        operation: &'static AmiOperation,
        arguments: Arguments<'_>,
    ) -> Result<Self, SystemException> {
        object.core().lifecycle.check()?;
        let counted = Counted::one_that_may_be(object.core())?;
        let body = Body::new(object, arguments, false);
        if let Err(error) = body.octets() {
            return Err(unwritable(error, CompletionStatus::No));
        }
        let body = body.rewritten_by(Rewrite::of(operation.rewrite));
        let (called, terms) = (
            Operation::Static(operation.called),
            KeptTerms::of(object, None),
        );
        Ok(Self {
            pursuit: Pursuit::new(object, called, Sending::TWO_WAY, body, terms),
            operation,
            _counted: counted,
        })
    }

    /// Has the call go on until its reply has been brought to the handler.
    fn bring_to(mut self, handler: Option<&ObjectRef>) {
        let core = Arc::clone(self.pursuit.object.core());
        let handler = handler.cloned();
        drive(&Arc::clone(&core), async move {
            let outcome = poll_fn(|cx| self.pursuit.poll(cx.waker())).await;
            match handler {
                Some(handler) => {
                    let brought = Brought::new(outcome, self.operation, &core);
                    drop(self);
                    delivery::deliver(handler, brought).await;
                }
                None => discard(outcome, self.operation),
            }
        });
    }
}

/// Lets go of an outcome that nobody takes.
fn discard(outcome: Result<OwnedReply, SystemException>, operation: &AmiOperation) {
    if let Err(exception) = outcome {
        let operation = operation.reply;
        tracing::debug!(operation, %exception, "a failure that nobody takes");
    }
}

/// One of the asynchronous calls of an ORB that are under way, or of the replies on the way to
/// their handlers.
struct Counted(Arc<OrbCore>);

impl Counted {
    /// Counts one more, and tells how many there were.
    fn one(core: &Arc<OrbCore>) -> (Self, usize) {
        // From here on dropping it is right.
        let before = core.asynchronous_calls.fetch_add(1, Ordering::Relaxed);
        (Self(Arc::clone(core)), before)
    }

    /// Counts one more, unless there are as many as there may be.
    ///
    /// # Errors
    ///
    /// TRANSIENT when there are.
    fn one_that_may_be(core: &Arc<OrbCore>) -> Result<Self, SystemException> {
        let (counted, before) = Self::one(core);
        if before < core.settings.client.max_ami_calls {
            return Ok(counted);
        }
        let (kind, minor) = (SystemExceptionKind::Transient, minor::AMI_CALL_LIMIT);
        Err(SystemException::new(kind, minor, CompletionStatus::No))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.asynchronous_calls.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ObjectRef {
    /// Has a future that concerns the object run to its end: it is polled once in the calling
    /// thread, and then by the ORB's threads for futures.
    #[doc(hidden)]
    pub fn drive(&self, future: BoxFuture) {
        drive(self.core(), future);
    }
}

/// Polls a future once in the calling thread, and has the threads for futures go on with it.
fn drive(core: &OrbCore, future: impl Future<Output = ()> + Send + 'static) {
    let mut future: BoxFuture = Box::pin(future);
    let task = core.executor.task();
    let waker = Waker::from(Arc::clone(&task));
    let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
    if polled.is_pending() {
        task.go_on(future);
    }
}

impl fmt::Debug for AmiOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AmiOperation")
            .field("called", &self.called.name)
            .field("reply", &self.reply)
            .field("exception", &self.exception)
            .finish_non_exhaustive()
    }
}
