//! Whether an ORB still works.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};
use taut_sync::lock::{Condvar, Mutex};

const RUNNING: u8 = 0;
/// Running, and its calls have policies of the ORB's.
const GOVERNED: u8 = 1;
const STOPPING: u8 = 2;
const STOPPED: u8 = 3;

/// A part of an ORB that does not outlive the ORB's work.
pub(crate) trait EndsWithOrb: Send + Sync {
    /// The ORB has begun to stop. May come more than once.
    fn end(&self);
}

/// Why nothing is begun any more.
#[cold]
pub(crate) fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the server has stopped")
}

/// The life of an ORB: running, then stopping, then stopped.
#[derive(Default)]
pub(crate) struct Lifecycle {
    state: AtomicU8,
    /// The parts that end as soon as the ORB begins to stop.
    ending: Mutex<Vec<Weak<dyn EndsWithOrb>>>,
    /// Whether a thread carries the stop out, which one of those does that ask for it.
    is_carried_out: AtomicBool,
    /// Held while the state changes, so that nobody misses `changed`.
    change: Mutex<()>,
    changed: Condvar,
}

impl Lifecycle {
    /// Refuses work once the ORB has begun to stop.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 4.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), SystemException> {
        if self.state.load(Ordering::Relaxed) <= GOVERNED {
            return Ok(());
        }
        Err(refused())
    }

    /// Whether calls may be made, and have no policies of the ORB's.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.state.load(Ordering::Relaxed) == RUNNING
    }

    /// Whether calls have policies of the ORB's.
    #[inline]
    pub(crate) fn is_governed(&self) -> bool {
        self.state.load(Ordering::Relaxed) == GOVERNED
    }

    /// Notes whether calls have policies of the ORB's.
    pub(crate) fn set_governed(&self, is_governed: bool) {
        let (from, to) = match is_governed {
            true => (RUNNING, GOVERNED),
            false => (GOVERNED, RUNNING),
        };
        // Once it stops there are no calls that could have any.
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        let _ = self.state.compare_exchange(from, to, success, failure);
    }

    /// Whether the ORB has begun to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.state.load(Ordering::Acquire) > GOVERNED
    }

    /// Begins to stop. False when someone else has begun before.
    pub(crate) fn begin_stop(&self) -> bool {
        let change = self.change.lock();
        let begun = self
            .state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| {
                (state <= GOVERNED).then_some(STOPPING)
            })
            .is_ok();
        self.changed.notify_all();
        drop(change);
        if begun {
            let ending = std::mem::take(&mut *self.ending.lock());
            ending
                .iter()
                .filter_map(Weak::upgrade)
                .for_each(|it| it.end());
        }
        begun
    }

    /// Has something end when the ORB begins to stop, or now if it has begun.
    pub(crate) fn on_stop<E: EndsWithOrb + 'static>(&self, it: &Arc<E>) {
        let mut ending = self.ending.lock();
        // A thread that begins to stop the ORB says so before it looks for the parts that
        // are to end.
        if self.is_stopping() {
            drop(ending);
            return it.end();
        }
        if ending.len() == ending.capacity() {
            ending.retain(|it| it.strong_count() > 0);
            // So that what has gone is looked for seldom.
            let left = ending.len();
            ending.reserve(left.max(4));
        }
        let it: Weak<E> = Arc::downgrade(it);
        ending.push(it);
    }

    /// Waits for the time, or until the ORB begins to stop. True when it has.
    pub(crate) fn stops_within(&self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        let mut change = self.change.lock();
        while !self.is_stopping() {
            if self.changed.wait_until(&mut change, deadline).timed_out() {
                break;
            }
        }
        self.is_stopping()
    }

    /// Gives the stop, which has begun, to the calling thread, unless another carries it
    /// out. True: the caller ends by [`finish_stop`](Self::finish_stop) or, if it cannot
    /// do what there is to do, [`leave_stop`](Self::leave_stop).
    pub(crate) fn take_stop(&self) -> bool {
        !self.is_carried_out.swap(true, Ordering::AcqRel)
    }

    /// Leaves the stop to another thread that waits for it, or to the next that asks for it.
    pub(crate) fn leave_stop(&self) {
        let _change = self.change.lock();
        self.is_carried_out.store(false, Ordering::Release);
        self.changed.notify_all();
    }

    /// Waits until nothing runs any more, or the stop is [left](Self::leave_stop). True if
    /// nothing runs any more.
    pub(crate) fn waits_for_stop(&self) -> bool {
        let mut change = self.change.lock();
        while self.is_carried_out.load(Ordering::Acquire) && !self.has_stopped() {
            self.changed.wait(&mut change);
        }
        self.has_stopped()
    }

    /// Tells all who wait that nothing runs any more.
    pub(crate) fn finish_stop(&self) {
        let _change = self.change.lock();
        self.state.store(STOPPED, Ordering::Release);
        self.changed.notify_all();
    }

    /// Waits until nothing runs any more.
    pub(crate) fn wait_until_stopped(&self) {
        let mut change = self.change.lock();
        while !self.has_stopped() {
            self.changed.wait(&mut change);
        }
    }

    fn has_stopped(&self) -> bool {
        self.state.load(Ordering::Acquire) == STOPPED
    }
}

/// The ORB has begun to stop.
#[cold]
#[inline(never)]
fn refused() -> SystemException {
    SystemException::omg(SystemExceptionKind::BadInvOrder, 4, CompletionStatus::No)
}

impl fmt::Debug for Lifecycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lifecycle")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// A shutdown that found no thread for itself kept all who waited for it for ever.
    #[test]
    fn a_stop_that_is_left_is_taken_by_a_thread_that_waits_for_it() {
        let lifecycle = Lifecycle::default();
        assert!(lifecycle.begin_stop());
        assert!(lifecycle.take_stop());
        thread::scope(|scope| {
            let waits = scope.spawn(|| {
                while !lifecycle.take_stop() {
                    assert!(!lifecycle.waits_for_stop());
                }
                lifecycle.finish_stop();
            });
            lifecycle.leave_stop();
            waits.join().unwrap();
        });
        assert!(!lifecycle.take_stop());
        assert!(lifecycle.waits_for_stop());
        lifecycle.wait_until_stopped();
    }
}
