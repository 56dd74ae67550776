//! Having another thread do something, and waiting until it is done.

#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

use sync::{Arc, Condvar, Mutex, MutexGuard, ThreadId, current, lock, wait};

/// Where threads leave errands for another, the host, and wait until they are done.
///
/// The host is whoever [serves](Self::serve): one thread at a time, and it does one
/// errand at a time. An errand may use what its customer has borrowed, for the
/// customer waits, whatever happens, until nobody has the errand any more.
#[derive(Debug, Default)]
pub struct Rendezvous {
    state: Mutex<State>,
    /// An errand has come, the host has gone, or all is over.
    changed: Condvar,
}

/// Nobody does errands here any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

#[derive(Debug, Default)]
struct State {
    /// The numbers of errands are in the order in which they came.
    last: u64,
    waiting: VecDeque<Errand>,
    /// Those that are being done: the first, and what was begun within it.
    running: Vec<u64>,
    /// The thread that carries errands out.
    host: Option<ThreadId>,
    is_closed: bool,
}

struct Errand {
    number: u64,
    action: Action,
    /// The errand is over, or will not be begun.
    settled: Arc<Condvar>,
}

/// A pointer to what an errand does. That is there as long as the errand's number is in
/// the queue or in `running`, and no longer: the pointer may be left when it is gone.
struct Action(NonNull<dyn FnMut() + Send>);

// SAFETY: what it points to may be used by any thread.
unsafe impl Send for Action {}

impl Rendezvous {
    /// Has the host do an errand, and waits until it is done; what the errand gives
    /// comes back, and so does a panic. If this thread is the host, it does the errand at
    /// once.
    ///
    /// # Errors
    ///
    /// [`Closed`] when nobody does errands any more; this one was not begun.
    ///
    /// # Panics
    ///
    /// As the errand does.
    pub fn carry_out<R: Send>(&self, errand: impl FnOnce() -> R + Send) -> Result<R, Closed> {
        if self.is_host() {
            return Ok(errand());
        }
        let mut errand = Some(errand);
        let mut outcome = None;
        self.hand_over(&mut || {
            if let Some(errand) = errand.take() {
                outcome = Some(catch_unwind(AssertUnwindSafe(errand)));
            }
        });
        match outcome {
            Some(Ok(result)) => Ok(result),
            Some(Err(panic)) => resume_unwind(panic),
            None => Err(Closed),
        }
    }

    /// Does errands, until all is over. Where another thread is the host, waits until
    /// it is not.
    pub fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(errand) = state.take() {
                drop(state);
                self.run(errand);
                state = self.lock();
            } else if state.is_closed {
                return;
            } else {
                state = wait(&self.changed, state);
            }
        }
    }

    /// Does one errand, if one waits and no other thread is the host. True when it
    /// has.
    pub fn serve_one(&self) -> bool {
        let errand = self.lock().take();
        errand.map(|errand| self.run(errand)).is_some()
    }

    /// Whether an errand waits.
    pub fn is_awaited(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    /// Whether the calling thread is the host: it is doing an errand.
    pub fn is_host(&self) -> bool {
        self.lock().host == Some(current().id())
    }

    /// Ends all. Errands that were begun are done, those that wait are not.
    pub fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        let refused = mem::take(&mut state.waiting);
        drop(state);
        self.changed.notify_all();
        for errand in refused {
            errand.settled.notify_all();
        }
    }

    /// Leaves an action to the host. When this returns the action is over, or was not
    /// begun, and nobody has it any more.
    fn hand_over<'a>(&self, action: &'a mut (dyn FnMut() + Send + 'a)) {
        let action = NonNull::from(action);
        // SAFETY: only the lifetime of what the closure borrows differs, of which a pointer
        // claims nothing.
        let action = Action(unsafe {
            mem::transmute::<NonNull<dyn FnMut() + Send + 'a>, NonNull<dyn FnMut() + Send>>(action)
        });
        let settled = Arc::new(Condvar::new());
        let mut state = self.lock();
        let Some(number) = state.leave(action, &settled) else {
            return;
        };
        // `run` relies on it: once the pointer is in the queue, this function neither panics
        // nor ends, nor does anything with the action, before the number is neither in the
        // queue nor in `running`. Both are changed and looked at under the lock, so all that
        // the action did has happened before.
        // All: some of those who wait may have to go on waiting for the host.
        self.changed.notify_all();
        while state.has(number) {
            state = wait(&settled, state);
        }
    }

    /// Does an errand that was taken.
    fn run(&self, errand: Errand) {
        let Errand {
            action: Action(mut action),
            settled,
            ..
        } = errand;
        // SAFETY: the errand's number stands in `running` until this call is over, and so
        // long `hand_over` lends the action. Nobody else calls it, for the errand was taken
        // out of the queue. The reference ends with the statement.
        let call = unsafe { action.as_mut() };
        // Panics are caught within.
        call();
        let mut state = self.lock();
        // Errands that were begun within this one are over, so its number is the last.
        state.running.pop();
        let is_free = state.running.is_empty();
        if is_free {
            state.host = None;
        }
        drop(state);
        if is_free {
            self.changed.notify_all();
        }
        settled.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// Puts an action into the queue, unless all is over.
    fn leave(&mut self, action: Action, settled: &Arc<Condvar>) -> Option<u64> {
        if self.is_closed {
            return None;
        }
        self.last += 1;
        self.waiting.push_back(Errand {
            number: self.last,
            action,
            settled: Arc::clone(settled),
        });
        Some(self.last)
    }

    /// Gives the calling thread the first errand, if it may do one.
    fn take(&mut self) -> Option<Errand> {
        let this = current().id();
        if self.host.is_some_and(|host| host != this) {
            return None;
        }
        let errand = self.waiting.pop_front()?;
        self.running.push(errand.number);
        self.host = Some(this);
        Some(errand)
    }

    /// Whether an errand waits or is being done.
    fn has(&self, number: u64) -> bool {
        self.running.contains(&number) || self.waiting.iter().any(|errand| errand.number == number)
    }
}

impl fmt::Debug for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Errand")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody does errands here any more")
    }
}

impl std::error::Error for Closed {}

/// The primitives that the rendezvous is made of.
#[cfg(not(loom))]
mod sync {
    pub(super) use std::sync::Arc;
    pub(super) use std::thread::{ThreadId, current};

    pub(super) use parking_lot::{Condvar, Mutex, MutexGuard};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock()
    }

    pub(super) fn wait<'m, T>(
        condvar: &Condvar,
        mut guard: MutexGuard<'m, T>,
    ) -> MutexGuard<'m, T> {
        condvar.wait(&mut guard);
        guard
    }
}

/// The same, where loom tries it in every order of events.
#[cfg(loom)]
mod sync {
    pub(super) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
    pub(super) use loom::thread::{ThreadId, current};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    pub(super) fn wait<'m, T>(condvar: &Condvar, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
        condvar.wait(guard).unwrap()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::thread;

    use super::*;

    /// Returns when so many errands wait.
    fn await_errands(rendezvous: &Rendezvous, count: usize) {
        while rendezvous.lock().waiting.len() < count {
            thread::yield_now();
        }
    }

    #[test]
    fn an_errand_is_done_by_the_host_with_what_its_customer_has_borrowed() {
        let rendezvous = Rendezvous::default();
        thread::scope(|scope| {
            let host = scope.spawn(|| {
                rendezvous.serve();
                thread::current().id()
            });
            let mut hosts = Vec::new();
            for number in 0..100 {
                let text = format!("errand {number}");
                let length = rendezvous.carry_out(|| {
                    hosts.push(thread::current().id());
                    text.len()
                });
                assert_eq!(length, Ok(text.len()));
            }
            rendezvous.close();
            let host = host.join().unwrap();
            assert_eq!(hosts, [host; 100]);
        });
    }

    #[test]
    fn errands_are_done_one_at_a_time_and_in_order_by_several_hosts_too() {
        let rendezvous = Rendezvous::default();
        // Not atomic: only the rendezvous orders what happens to it.
        struct Count(std::cell::Cell<u64>);
        // SAFETY: a data race here is what ThreadSanitizer is to find.
        unsafe impl Sync for Count {}
        let count = Count(std::cell::Cell::new(0));
        let count = &count;
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| rendezvous.serve());
            }
            let customers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        for _ in 0..200 {
                            let add = move || {
                                let count = count;
                                count.0.set(count.0.get() + 1);
                            };
                            rendezvous.carry_out(add).unwrap();
                        }
                    })
                })
                .collect();
            for customer in customers {
                customer.join().unwrap();
            }
            rendezvous.close();
        });
        assert_eq!(count.0.get(), 800);
    }

    #[test]
    fn a_panic_is_the_customers_and_the_host_goes_on() {
        let rendezvous = Rendezvous::default();
        thread::scope(|scope| {
            let host = scope.spawn(|| rendezvous.serve());
            let panics = || rendezvous.carry_out(|| -> u32 { panic!("mine") });
            let panic = catch_unwind(AssertUnwindSafe(panics));
            assert_eq!(*panic.unwrap_err().downcast::<&str>().unwrap(), "mine");
            assert_eq!(rendezvous.carry_out(|| 7), Ok(7));
            rendezvous.close();
            host.join().unwrap();
        });
    }

    #[test]
    fn the_host_does_its_own_errands_at_once_and_others_within_its_own() {
        let rendezvous = Rendezvous::default();
        thread::scope(|scope| {
            let outer = scope.spawn(|| {
                rendezvous.carry_out(|| {
                    assert!(rendezvous.is_host());
                    let own = rendezvous.carry_out(|| 1).unwrap();
                    await_errands(&rendezvous, 1);
                    assert!(rendezvous.serve_one());
                    // It is still the host, so nobody else becomes it.
                    assert!(rendezvous.is_host());
                    own
                })
            });
            await_errands(&rendezvous, 1);
            let inner = scope.spawn(|| {
                while !rendezvous.lock().running.contains(&1) {
                    thread::yield_now();
                }
                // Another thread may not be host meanwhile.
                assert!(!rendezvous.serve_one());
                rendezvous.carry_out(|| 2)
            });
            assert!(rendezvous.serve_one());
            assert_eq!(outer.join().unwrap(), Ok(1));
            assert_eq!(inner.join().unwrap(), Ok(2));
            assert!(!rendezvous.is_host());
            assert!(!rendezvous.is_awaited());
        });
    }

    #[test]
    fn who_waits_when_all_ends_is_told_and_what_was_begun_is_done() {
        let rendezvous = Rendezvous::default();
        thread::scope(|scope| {
            let first = scope.spawn(|| {
                rendezvous.carry_out(|| {
                    await_errands(&rendezvous, 1);
                    rendezvous.close();
                })
            });
            await_errands(&rendezvous, 1);
            let second = scope.spawn(|| {
                while rendezvous.is_awaited() {
                    thread::yield_now();
                }
                rendezvous.carry_out(|| unreachable!("it is not begun"))
            });
            rendezvous.serve();
            assert_eq!(first.join().unwrap(), Ok(()));
            assert_eq!(second.join().unwrap(), Err::<(), _>(Closed));
        });
        assert_eq!(rendezvous.carry_out(|| ()), Err(Closed));
        assert!(!rendezvous.serve_one());
        rendezvous.serve();
    }
}

#[cfg(all(test, loom))]
mod orders;
