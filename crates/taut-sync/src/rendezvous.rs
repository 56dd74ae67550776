//! Having another thread do something, and waiting until it is done.

#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

use sync::{Arc, Condvar, Mutex, MutexGuard, ThreadId, current, lock, wait};

/// Where threads leave tasks for another, the host, and wait until they are done.
///
/// The host is the thread that [serves](Self::serve): one thread at a time, and it does one
/// task at a time. A task may use what the waiting thread has borrowed, for that
/// thread waits, whatever happens, until nobody has the task any more.
#[derive(Debug, Default)]
pub struct Rendezvous {
    state: Mutex<State>,
    /// A task has come, the host has gone, or all is over.
    changed: Condvar,
}

/// The error that nobody does tasks here any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

#[derive(Debug, Default)]
struct State {
    /// The numbers of tasks are in the order in which they came.
    last: u64,
    waiting: VecDeque<Task>,
    /// Those that are being done: the first, and what was begun within it.
    running: Vec<u64>,
    /// The thread that carries tasks out.
    host: Option<ThreadId>,
    is_closed: bool,
}

struct Task {
    number: u64,
    action: Action,
    /// The task is over, or will not be begun.
    settled: Arc<Condvar>,
}

/// A pointer to what a task does. That is there as long as the task's number is in
/// the queue or in `running`, and no longer: the pointer may be left when it is gone.
struct Action(NonNull<dyn FnMut() + Send>);

// SAFETY: what it points to may be used by any thread.
unsafe impl Send for Action {}

impl Rendezvous {
    /// Has the host do a task, and waits until it is done; what the task gives
    /// comes back, and so does a panic. If this thread is the host, it does the task at
    /// once.
    ///
    /// # Errors
    ///
    /// [`Closed`] when nobody does tasks any more; this one was not begun.
    ///
    /// # Panics
    ///
    /// As the task does.
    pub fn carry_out<R: Send>(&self, task: impl FnOnce() -> R + Send) -> Result<R, Closed> {
        if self.is_host() {
            return Ok(task());
        }
        let mut task = Some(task);
        let mut outcome = None;
        self.hand_over(&mut || {
            if let Some(task) = task.take() {
                outcome = Some(catch_unwind(AssertUnwindSafe(task)));
            }
        });
        match outcome {
            Some(Ok(result)) => Ok(result),
            Some(Err(panic)) => resume_unwind(panic),
            None => Err(Closed),
        }
    }

    /// Does tasks, until all is over. Where another thread is the host, waits until
    /// it is not.
    pub fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.take() {
                drop(state);
                self.run(task);
                state = self.lock();
            } else if state.is_closed {
                return;
            } else {
                state = wait(&self.changed, state);
            }
        }
    }

    /// Does one task, if one waits and no other thread is the host. True when it
    /// has.
    pub fn serve_one(&self) -> bool {
        let task = self.lock().take();
        task.map(|task| self.run(task)).is_some()
    }

    /// Whether a task waits.
    pub fn is_awaited(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    /// Whether the calling thread is the host: it is doing a task.
    pub fn is_host(&self) -> bool {
        self.lock().host == Some(current().id())
    }

    /// Ends all. Tasks that were begun are done, those that wait are not.
    pub fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        let refused = mem::take(&mut state.waiting);
        drop(state);
        self.changed.notify_all();
        for task in refused {
            task.settled.notify_all();
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

    /// Does a task that was taken.
    fn run(&self, task: Task) {
        let Task {
            action: Action(mut action),
            settled,
            ..
        } = task;
        // SAFETY: the task's number stands in `running` until this call is over, and so
        // long `hand_over` lends the action. Nobody else calls it, for the task was taken
        // out of the queue. The reference ends with the statement.
        let call = unsafe { action.as_mut() };
        // Panics are caught within.
        call();
        let mut state = self.lock();
        // Tasks that were begun within this one are over, so its number is the last.
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
        self.waiting.push_back(Task {
            number: self.last,
            action,
            settled: Arc::clone(settled),
        });
        Some(self.last)
    }

    /// Gives the calling thread the first task, if it may do one.
    fn take(&mut self) -> Option<Task> {
        let this = current().id();
        if self.host.is_some_and(|host| host != this) {
            return None;
        }
        let task = self.waiting.pop_front()?;
        self.running.push(task.number);
        self.host = Some(this);
        Some(task)
    }

    /// Whether a task waits or is being done.
    fn has(&self, number: u64) -> bool {
        self.running.contains(&number) || self.waiting.iter().any(|task| task.number == number)
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody does tasks here any more")
    }
}

impl std::error::Error for Closed {}

/// The primitives that the rendezvous is made of.
#[cfg(not(loom))]
mod sync {
    pub(super) use std::sync::Arc;
    pub(super) use std::thread::{ThreadId, current};

    pub(super) use crate::lock::{Condvar, Mutex, MutexGuard};

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

    /// Returns when so many tasks wait.
    fn await_tasks(rendezvous: &Rendezvous, count: usize) {
        while rendezvous.lock().waiting.len() < count {
            thread::yield_now();
        }
    }

    #[test]
    fn a_task_is_done_by_the_host_with_what_its_caller_has_borrowed() {
        let rendezvous = Rendezvous::default();
        thread::scope(|scope| {
            let host = scope.spawn(|| {
                rendezvous.serve();
                thread::current().id()
            });
            let mut hosts = Vec::new();
            for number in 0..100 {
                let text = format!("task {number}");
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
    fn tasks_are_done_one_at_a_time_and_in_order_by_several_hosts_too() {
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
            let callers: Vec<_> = (0..4)
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
            for caller in callers {
                caller.join().unwrap();
            }
            rendezvous.close();
        });
        assert_eq!(count.0.get(), 800);
    }

    #[test]
    fn a_panic_is_the_callers_and_the_host_goes_on() {
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
    fn the_host_does_its_own_tasks_at_once_and_others_within_its_own() {
        let rendezvous = Rendezvous::default();
        thread::scope(|scope| {
            let outer = scope.spawn(|| {
                rendezvous.carry_out(|| {
                    assert!(rendezvous.is_host());
                    let own = rendezvous.carry_out(|| 1).unwrap();
                    await_tasks(&rendezvous, 1);
                    assert!(rendezvous.serve_one());
                    // It is still the host, so nobody else becomes it.
                    assert!(rendezvous.is_host());
                    own
                })
            });
            await_tasks(&rendezvous, 1);
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
                    await_tasks(&rendezvous, 1);
                    rendezvous.close();
                })
            });
            await_tasks(&rendezvous, 1);
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
