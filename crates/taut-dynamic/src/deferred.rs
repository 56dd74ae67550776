//! Calls that go on while their callers do something else.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::{Condvar, Mutex};
use taut::{InvokeFuture, ObjectRef, OwnedReply, SystemException};

/// The reply of a call, or the exception that it ended with.
pub(crate) type Outcome = Result<OwnedReply, SystemException>;

/// A call that was sent and whose response has not been fetched. It goes on though its caller
/// does not ask for it, in the threads of its ORB; dropping it gives the call up.
pub(crate) struct Deferred(Arc<Call>);

#[derive(Default)]
struct Call {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    outcome: Option<Outcome>,
    is_given_up: bool,
    /// The thread of the ORB that goes on with the call, while it waits.
    driver: Option<Waker>,
    /// The caller, if it waits for one of several calls.
    waiter: Option<Waker>,
}

impl Deferred {
    /// Begins a call.
    pub(crate) fn begin(target: &ObjectRef, future: InvokeFuture) -> Self {
        let call = Arc::<Call>::default();
        let driven = Arc::clone(&call);
        let mut future = Box::pin(future);
        target.drive(Box::pin(poll_fn(move |context| {
            driven.poll(future.as_mut(), context)
        })));
        Self(call)
    }

    /// Whether the call has ended. If not, `waker` wakes once it has.
    pub(crate) fn has_ended(&self, waker: &Waker) -> bool {
        let mut state = self.0.state.lock();
        if state.outcome.is_none() {
            state.waiter = Some(waker.clone());
        }
        state.outcome.is_some()
    }

    /// Waits until the call has ended.
    pub(crate) fn wait(self) -> Outcome {
        let mut state = self.0.state.lock();
        loop {
            match state.outcome.take() {
                Some(outcome) => return outcome,
                None => self.0.ended.wait(&mut state),
            }
        }
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.is_given_up = true;
        let driver = state.driver.take();
        drop(state);
        if let Some(driver) = driver {
            driver.wake();
        }
    }
}

impl Call {
    /// Goes on with the call; ready when it has ended or was given up.
    fn poll(&self, future: Pin<&mut InvokeFuture>, context: &mut Context<'_>) -> Poll<()> {
        {
            let mut state = self.state.lock();
            if state.is_given_up {
                return Poll::Ready(());
            }
            state.driver = Some(context.waker().clone());
        }
        let Poll::Ready(outcome) = future.poll(context) else {
            return Poll::Pending;
        };
        let mut state = self.state.lock();
        state.outcome = Some(outcome);
        let waiter = state.waiter.take();
        drop(state);
        self.ended.notify_all();
        if let Some(waiter) = waiter {
            waiter.wake();
        }
        Poll::Ready(())
    }
}

impl fmt::Debug for Deferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deferred").finish_non_exhaustive()
    }
}
