//! Calls that go on while their callers do something else.

use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use parking_lot::{Condvar, Mutex};
use taut::{InvokeFuture, OwnedReply, SystemException};
use taut_giop::{CompletionStatus, SystemExceptionKind};

type Outcome = Result<OwnedReply, SystemException>;

/// A call that was sent and whose response has not been fetched.
///
/// Its future is polled whenever it wakes, by a thread that all such calls of the process
/// share: a call goes on though its caller does not ask for it.
pub(crate) struct Deferred(Arc<Call>);

struct Call {
    state: Mutex<State>,
    ended: Condvar,
}

struct State {
    /// None: it has ended, or is being polled.
    future: Option<Pin<Box<InvokeFuture>>>,
    /// Whether it has woken while it was polled.
    is_woken: bool,
    outcome: Option<Outcome>,
    /// Wakes the one that waits for the end, if somebody does.
    waiter: Option<Waker>,
}

impl Deferred {
    /// Begins a call.
    pub(crate) fn begin(future: InvokeFuture) -> Self {
        let call = Arc::new(Call {
            state: Mutex::new(State {
                future: Some(Box::pin(future)),
                is_woken: false,
                outcome: None,
                waiter: None,
            }),
            ended: Condvar::new(),
        });
        call.poll();
        Self(call)
    }

    /// Whether the call has ended. If not, `waker` wakes once it has.
    pub(crate) fn has_ended(&self, waker: Option<&Waker>) -> bool {
        let mut state = self.0.state.lock();
        if state.outcome.is_none()
            && let Some(waker) = waker
        {
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

/// The call is given up.
impl Drop for Deferred {
    fn drop(&mut self) {
        let future = self.0.state.lock().future.take();
        drop(future);
    }
}

impl Call {
    /// Polls the future, outside of the lock: it may wake at once.
    fn poll(self: &Arc<Self>) {
        let waker = Waker::from(Arc::clone(self));
        loop {
            let Some(mut future) = self.state.lock().future.take() else {
                return;
            };
            let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
            let mut state = self.state.lock();
            match polled {
                Poll::Ready(outcome) => return self.end(state, outcome),
                // Nobody but this function has the call: it was given up.
                Poll::Pending if Arc::strong_count(self) <= 2 && state.outcome.is_none() => {
                    state.future = Some(future);
                    if !std::mem::take(&mut state.is_woken) {
                        return;
                    }
                }
                Poll::Pending => {
                    state.future = Some(future);
                    if !std::mem::take(&mut state.is_woken) {
                        return;
                    }
                }
            }
        }
    }
}
