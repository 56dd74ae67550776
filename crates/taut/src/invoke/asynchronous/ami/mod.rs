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

use super::body::{Body, Rewrite};
use super::pursuit::Pursuit;
use super::state::{Operation, Sending};
use crate::core::OrbCore;
use crate::exception::unwritable;
use crate::executor::BoxFuture;
use crate::invoke::arguments::Written;
use crate::invoke::call_context::KeptTerms;
use crate::invoke::reply::RaisedException;
use crate::object::{CalledOperation, ObjectRef};
use brought::Brought;

pub use pollable_set::{AlreadyInSet, PollError, Pollable, PollableSet, UnknownPollable};
pub use poller::Poller;

/// The facts about an operation that those need who bring its replies to a reply handler or a
/// poller. Generated code has one for each operation that can be called asynchronously.
#[doc(hidden)]
pub struct ReplyOperations {
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
    pub fn call_with_handler<A: Written>(
        &self,
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
        rewrite: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
        (handler, operations): (Option<&ObjectRef>, &'static ReplyOperations),
    ) -> Result<(), SystemException> {
        let mut call = Call::new(self, operation, arguments, rewrite)?;
        let handler = handler.cloned();
        drive(self.core(), async move {
            let outcome = poll_fn(|cx| call.pursuit.poll(cx.waker())).await;
            drop(call);
            let brought = Brought::new(outcome, operations);
            match handler {
                Some(handler) => delivery::deliver(handler, brought).await,
                None => brought.discard(),
            }
        });
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
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
        rewrite: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
        operations: &'static ReplyOperations,
    ) -> Result<Poller, SystemException> {
        let call = Call::new(self, operation, arguments, rewrite)?;
        Ok(Poller::of_call(self, call, operations))
    }
}

/// A call that counts as one of those that may be under way.
struct Call {
    pursuit: Pursuit,
    _counted: Counted,
}

impl Call {
    fn new<A: Written>(
        object: &ObjectRef,
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
        rewrite: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
    ) -> Result<Self, SystemException> {
        object.core().lifecycle.check()?;
        let counted = Counted::one(object.core())?;
        let body = A::erased(arguments, |arguments| Body::new(object, arguments, false));
        if let Err(error) = body.octets() {
            return Err(unwritable(error, CompletionStatus::No));
        }
        let body = body.rewritten_by(Rewrite::of(rewrite));
        let (operation, terms) = (Operation::Static(operation), KeptTerms::of(object, None));
        Ok(Self {
            pursuit: Pursuit::new(object, operation, Sending::TWO_WAY, body, terms),
            _counted: counted,
        })
    }
}

/// One of the asynchronous calls of an ORB that are under way.
struct Counted(Arc<OrbCore>);

impl Counted {
    /// # Errors
    ///
    /// TRANSIENT when there are as many as there may be.
    fn one(core: &Arc<OrbCore>) -> Result<Self, SystemException> {
        let most = core.settings.client.max_ami_calls;
        // From here on dropping it is right.
        let before = core.asynchronous_calls.fetch_add(1, Ordering::Relaxed);
        let counted = Self(Arc::clone(core));
        if before < most {
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

impl fmt::Debug for ReplyOperations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyOperations")
            .field("reply", &self.reply)
            .field("exception", &self.exception)
            .finish_non_exhaustive()
    }
}
