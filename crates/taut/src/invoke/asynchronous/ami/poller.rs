//! Replies that are polled for.

use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use taut_sync::lock::{Condvar, Mutex, MutexGuard};

use super::brought::Brought;
use super::pollable_set::Bell;
use super::{AmiOperation, Call, delivery, drive};
use crate::invoke::asynchronous::OwnedReply;
use crate::object::{ObjectRef, Reference};

/// A call whose reply is polled for (the standard's `Messaging::Poller`, CORBA 3.3 part 1,
/// chapter 17): what all generated pollers, such as `AmiClerkPoller`, have in common.
///
/// Clones are the same poller, and any thread may use them. The call has been sent when the
/// poller is there, and goes on without it being used; no thread is held. When the last clone
/// is dropped, the call is given up: CancelRequest goes out, and the reply is passed over.
///
/// The times that methods take are those that the caller waits at most: zero asks without
/// waiting, and None waits for as long as it takes. In IDL they are milliseconds, and
/// 4,294,967,295 of them stand for None.
#[derive(Clone)]
pub struct Poller {
    handle: Arc<Handle>,
}

/// The poller's share in its call, whose end gives the call up.
struct Handle(Arc<Polled>);

/// A call whose reply is polled for.
pub(super) struct Polled {
    target: ObjectRef,
    operation: &'static AmiOperation,
    /// The call while it is under way. It is locked while it goes on.
    call: Mutex<Option<Call>>,
    /// Whether nobody polls any more.
    is_given_up: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    reply: Reply,
    /// The object to which the reply goes instead of those who poll for it.
    handler: Option<ObjectRef>,
    /// Whether a thread waits to take the reply.
    is_awaited: bool,
    /// The bell of the set that it is in.
    set: Option<Weak<Bell>>,
}

#[derive(Default)]
enum Reply {
    #[default]
    Awaited,
    Here(Result<OwnedReply, SystemException>),
    /// Somebody has taken it, or it has gone to a handler.
    Taken,
}

impl Poller {
    /// The poller of a call, which begins.
    pub(super) fn of_call(call: Call) -> Self {
        let target = call.pursuit.object.clone();
        let core = Arc::clone(target.core());
        let polled = Arc::new(Polled {
            target,
            operation: call.operation,
            call: Mutex::new(Some(call)),
            is_given_up: AtomicBool::new(false),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let unfinished = Unfinished(Arc::clone(&polled));
        drive(&core, async move {
            let polled = &unfinished.0;
            let Some(outcome) = poll_fn(|cx| polled.go_on(cx.waker())).await else {
                return;
            };
            if let Some((handler, outcome)) = polled.finish(outcome) {
                polled.bring(outcome, handler).await;
            }
        });
        Self {
            handle: Arc::new(Handle(polled)),
        }
    }

    /// Whether the reply is there, or comes within this time. It is not taken.
    ///
    /// # Errors
    ///
    /// OBJECT_NOT_EXIST with OMG minor 5 when the reply has been taken, or has gone to a
    /// handler.
    pub fn is_ready(&self, timeout: Option<Duration>) -> Result<bool, SystemException> {
        let state = self.polled().await_reply(timeout);
        match state.reply {
            Reply::Awaited => Ok(false),
            Reply::Here(_) => Ok(true),
            Reply::Taken => Err(taken()),
        }
    }

    /// The object that was called.
    pub fn operation_target(&self) -> &ObjectRef {
        &self.polled().target
    }

    /// The operation that was called: `file`, or `get_balance` and `set_balance` for an
    /// attribute. It is also the method of the generated poller that takes the reply.
    pub fn operation_name(&self) -> &'static str {
        self.polled().operation.reply
    }

    /// Whether the reply is to be polled for: it has no associated handler.
    pub fn is_from_poller(&self) -> bool {
        self.polled().state.lock().handler.is_none()
    }

    /// The object to which the reply goes, if one has been set.
    pub fn associated_handler<H: Reference>(&self) -> Option<H> {
        let state = self.polled().state.lock();
        state.handler.clone().map(H::from_object)
    }

    /// Has the reply go to this handler instead of those who poll for it, at once if it is
    /// there. The handler has to be of the reply handler's interface of the object that was
    /// called. None: the reply is polled for again.
    ///
    /// # Errors
    ///
    /// OBJECT_NOT_EXIST with OMG minor 5 when the reply has been taken.
    pub fn set_associated_handler<H: Reference>(
        &self,
        handler: Option<&H>,
    ) -> Result<(), SystemException> {
        let polled = self.polled();
        let mut state = polled.state.lock();
        if let Reply::Taken = state.reply {
            return Err(taken());
        }
        state.handler = handler.map(|handler| handler.as_object().clone());
        let Some(handler) = state.handler.clone() else {
            return Ok(());
        };
        match std::mem::replace(&mut state.reply, Reply::Taken) {
            Reply::Here(outcome) => {
                drop(state);
                polled.changed.notify_all();
                drive(polled.target.core(), polled.bring(outcome, handler));
            }
            before => state.reply = before,
        }
        Ok(())
    }

    /// Takes the reply, as generated methods do it: `operation` is theirs.
    ///
    /// # Errors
    ///
    /// BAD_OPERATION when the call is one of another operation; NO_RESPONSE with OMG minor 1,
    /// or TIMEOUT with OMG minor 1, when the reply is not there; BAD_INV_ORDER with OMG minor
    /// 22 when another thread waits for it; OBJECT_NOT_EXIST with OMG minor 5 when it has been
    /// taken; an exception of an interceptor's `send_poll`; the system exception of the call.
    #[doc(hidden)]
    pub fn take(
        &self,
        operation: &str,
        timeout: Option<Duration>,
    ) -> Result<OwnedReply, SystemException> {
        let polled = self.polled();
        let called = polled.operation.reply;
        if operation != called {
            return Err(other_operation(operation, called));
        }
        polled.tell_interceptors()?;
        polled.take(timeout)
    }

    pub(super) fn polled(&self) -> &Arc<Polled> {
        &self.handle.0
    }

    /// Whether another poller is of the same call.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(self.polled(), other.polled())
    }
}

impl Polled {
    /// Goes on with the call; none when it has been given up.
    fn go_on(&self, waker: &Waker) -> Poll<Option<Result<OwnedReply, SystemException>>> {
        let mut call = self.call.lock();
        let Some(under_way) = call.as_mut() else {
            return Poll::Ready(None);
        };
        let polled = under_way.pursuit.poll(waker);
        let over = call.take_if(|_| polled.is_ready());
        drop(call);
        drop(over);
        // Those who give up wait for no lock.
        if self.is_given_up.load(Ordering::SeqCst) {
            self.give_up();
        }
        polled.map(Some)
    }

    /// Has the outcome for those who poll. Returns it for a handler if there is one.
    fn finish(
        &self,
        outcome: Result<OwnedReply, SystemException>,
    ) -> Option<(ObjectRef, Result<OwnedReply, SystemException>)> {
        let mut state = self.state.lock();
        let (reply, for_handler) = match state.handler.clone() {
            None => (Reply::Here(outcome), None),
            Some(handler) => (Reply::Taken, Some((handler, outcome))),
        };
        state.reply = reply;
        let set = state.set.as_ref().and_then(Weak::upgrade);
        drop(state);
        self.changed.notify_all();
        if let Some(set) = set {
            set.ring();
        }
        for_handler
    }

    /// Brings the outcome to a handler.
    fn bring(
        &self,
        outcome: Result<OwnedReply, SystemException>,
        handler: ObjectRef,
    ) -> impl Future<Output = ()> + Send + use<> {
        let brought = Brought::new(outcome, self.operation, self.target.core());
        delivery::deliver(handler, brought)
    }

    /// Waits until the reply is there or has been taken.
    fn await_reply(&self, timeout: Option<Duration>) -> MutexGuard<'_, State> {
        let until = timeout.map(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.state.lock();
        while let Reply::Awaited = state.reply {
            match until {
                Some(Some(until)) => {
                    if self.changed.wait_until(&mut state, until).timed_out() {
                        break;
                    }
                }
                // Later than there are times.
                Some(None) | None => self.changed.wait(&mut state),
            }
        }
        state
    }

    fn take(&self, timeout: Option<Duration>) -> Result<OwnedReply, SystemException> {
        let mut state = self.state.lock();
        if state.is_awaited {
            let busy = SystemExceptionKind::BadInvOrder;
            return Err(SystemException::omg(busy, 22, CompletionStatus::No));
        }
        state.is_awaited = true;
        drop(state);
        let mut state = self.await_reply(timeout);
        state.is_awaited = false;
        match std::mem::replace(&mut state.reply, Reply::Taken) {
            Reply::Here(outcome) => outcome,
            Reply::Taken => Err(taken()),
            Reply::Awaited => {
                state.reply = Reply::Awaited;
                Err(not_there(timeout))
            }
        }
    }

    /// Runs the interceptors' points before a poll.
    fn tell_interceptors(&self) -> Result<(), SystemException> {
        match self.call.lock().as_mut() {
            Some(call) => call.pursuit.poll_points(),
            None => Ok(()),
        }
    }

    /// Whether there is something to tell those who wait for one of several.
    pub(super) fn is_settled(&self) -> bool {
        !matches!(self.state.lock().reply, Reply::Awaited)
    }

    /// Rings the bell of a set when the reply comes. False if there is another such set.
    pub(super) fn enter(&self, bell: &Arc<Bell>) -> bool {
        let mut state = self.state.lock();
        if state.set.as_ref().is_some_and(|set| set.strong_count() > 0) {
            return false;
        }
        state.set = Some(Arc::downgrade(bell));
        true
    }

    pub(super) fn leave(&self) {
        self.state.lock().set = None;
    }

    fn give_up(&self) {
        self.is_given_up.store(true, Ordering::SeqCst);
        // The thread that has the lock looks at this when it has let go of it.
        let call = self.call.try_lock().and_then(|mut call| call.take());
        drop(call);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let is_for_handler = self.0.state.lock().handler.is_some();
        if !is_for_handler {
            self.0.give_up();
        }
    }
}

/// The duty to settle the call: the ORB has ended if this is dropped before.
struct Unfinished(Arc<Polled>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.0.is_settled() {
            let (kind, completed) = (SystemExceptionKind::BadInvOrder, CompletionStatus::Maybe);
            let ended = SystemException::omg(kind, 4, completed);
            drop(self.0.finish(Err(ended)));
        }
    }
}

/// The reply is not there.
#[cold]
pub(super) fn not_there(timeout: Option<Duration>) -> SystemException {
    let kind = match timeout {
        Some(Duration::ZERO) => SystemExceptionKind::NoResponse,
        _ => SystemExceptionKind::Timeout,
    };
    SystemException::omg(kind, 1, CompletionStatus::No)
}

#[cold]
fn taken() -> SystemException {
    SystemException::omg(SystemExceptionKind::ObjectNotExist, 5, CompletionStatus::No)
}

#[cold]
fn other_operation(asked: &str, called: &str) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::BadOperation, minor::POLLED_OPERATION);
    SystemException::new(kind, minor, CompletionStatus::No).because(format!(
        "`{asked}` is polled for, and `{called}` was called"
    ))
}

impl fmt::Debug for Poller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poller")
            .field("target", self.operation_target())
            .field("operation", &self.operation_name())
            .field("is_settled", &self.polled().is_settled())
            .finish_non_exhaustive()
    }
}
