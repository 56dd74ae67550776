//! Condition variables.

use std::fmt;
use std::time::{Duration, Instant};

use lock_api::{MutexGuard, RawMutex};

use super::algorithm::Bell;
use super::word::Futex;

/// A condition that threads wait for with a lock: a [`Mutex`](super::Mutex) or a
/// [`PriorityInheritanceMutex`](super::PriorityInheritanceMutex). No thread is woken without a
/// signal.
pub struct Condvar(Bell<Futex>);

/// The end of a wait that had a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time was over before the signal came.
    pub fn timed_out(self) -> bool {
        self.0
    }
}

impl Condvar {
    /// A condition that nobody waits for.
    pub const fn new() -> Self {
        Self(Bell::of(Futex::new(0), Futex::new(0)))
    }

    /// Gives the lock back, waits for a signal, and takes the lock again.
    pub fn wait<R: RawMutex, T: ?Sized>(&self, guard: &mut MutexGuard<'_, R, T>) {
        self.wait_at_most(guard, None);
    }

    /// The same, but waits for at most so long.
    pub fn wait_for<R: RawMutex, T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, R, T>,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        // A time that the clock cannot tell does not come.
        self.wait_at_most(guard, Instant::now().checked_add(timeout))
    }

    /// The same, but waits until this point in time at most.
    pub fn wait_until<R: RawMutex, T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, R, T>,
        deadline: Instant,
    ) -> WaitTimeoutResult {
        self.wait_at_most(guard, Some(deadline))
    }

    /// Waits while the value is as `condition` says.
    pub fn wait_while<R: RawMutex, T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, R, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) {
        while condition(&mut **guard) {
            self.wait(guard);
        }
    }

    /// The same, but waits for at most so long.
    pub fn wait_while_for<R: RawMutex, T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, R, T>,
        mut condition: impl FnMut(&mut T) -> bool,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        let deadline = Instant::now().checked_add(timeout);
        let mut result = WaitTimeoutResult(false);
        while !result.0 && condition(&mut **guard) {
            result = self.wait_at_most(guard, deadline);
        }
        WaitTimeoutResult(result.0 && condition(&mut **guard))
    }

    fn wait_at_most<R: RawMutex, T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, R, T>,
        deadline: Option<Instant>,
    ) -> WaitTimeoutResult {
        let before = self.0.enter();
        let has_timed_out = MutexGuard::unlocked(guard, || self.0.wait(before, deadline));
        WaitTimeoutResult(has_timed_out)
    }

    /// Wakes one of the threads that wait.
    #[inline]
    pub fn notify_one(&self) {
        self.0.signal(1);
    }

    /// Wakes all threads that wait.
    #[inline]
    pub fn notify_all(&self) {
        self.0.signal(i32::MAX as u32);
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Condvar { .. }")
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::super::{Mutex, ReentrantMutex};
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn one_thread_at_a_time_has_the_value() {
        let count = Arc::new(Mutex::new(0_u64));
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let count = Arc::clone(&count);
                thread::spawn(move || (0..20_000).for_each(|_| *count.lock() += 1))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(*count.lock(), 160_000);
        assert!(!count.is_locked());
    }

    #[test]
    fn a_lock_is_taken_in_time_or_not_at_all() {
        let lock = Mutex::new(());
        let held = lock.lock();
        assert!(lock.try_lock().is_none());
        thread::scope(|scope| {
            let begun = Instant::now();
            let waiter = scope.spawn(|| lock.try_lock_for(SHORT).is_some());
            assert!(!waiter.join().unwrap());
            assert!(begun.elapsed() >= SHORT);
            let waiter = scope.spawn(|| lock.try_lock_for(Duration::MAX).is_some());
            thread::sleep(SHORT);
            drop(held);
            assert!(waiter.join().unwrap());
        });
        let past = Instant::now();
        assert!(lock.try_lock_until(past).is_some());
    }

    #[test]
    fn each_signal_wakes_one_and_the_last_wakes_all() {
        let (woken, changed) = (Mutex::new((0, 0)), Condvar::new());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut state = woken.lock();
                    state.0 += 1;
                    changed.wait(&mut state);
                    state.1 += 1;
                });
            }
            let wait_until = |reached: &dyn Fn(&(u32, u32)) -> bool| {
                while !reached(&woken.lock()) {
                    thread::yield_now();
                }
            };
            wait_until(&|state| state.0 == 4);
            changed.notify_one();
            wait_until(&|state| state.1 == 1);
            thread::sleep(SHORT);
            assert_eq!(woken.lock().1, 1);
            changed.notify_all();
            wait_until(&|state| state.1 == 4);
        });
    }

    #[test]
    fn a_wait_ends_with_its_time() {
        let (lock, changed) = (Mutex::new(7), Condvar::new());
        let mut value = lock.lock();
        let begun = Instant::now();
        assert!(changed.wait_for(&mut value, SHORT).timed_out());
        assert!(begun.elapsed() >= SHORT);
        assert!(changed.wait_until(&mut value, begun).timed_out());
        let kept = changed.wait_while_for(&mut value, |value| *value == 7, SHORT);
        assert!(kept.timed_out());
        let gone = changed.wait_while_for(&mut value, |value| *value == 8, SHORT);
        assert!(!gone.timed_out());
        assert_eq!(*value, 7);
    }

    #[test]
    fn only_the_holder_of_a_reentrant_lock_takes_it_again() {
        let lock = ReentrantMutex::new(());
        let outer = lock.lock();
        let inner = lock.try_lock();
        assert!(inner.is_some());
        thread::scope(|scope| {
            let other = scope.spawn(|| lock.try_lock().is_some());
            assert!(!other.join().unwrap());
            drop(inner);
            let other = scope.spawn(|| lock.try_lock().is_some());
            assert!(!other.join().unwrap());
            drop(outer);
            let other = scope.spawn(|| lock.try_lock().is_some());
            assert!(other.join().unwrap());
        });
    }

    #[test]
    fn messages_go_through_a_queue_of_one_both_ways() {
        let (queue, changed) = (Mutex::new(None), Condvar::new());
        thread::scope(|scope| {
            for first in 0..2_u32 {
                let (queue, changed) = (&queue, &changed);
                scope.spawn(move || {
                    for value in 0..5_000 {
                        let mut place = queue.lock();
                        changed.wait_while(&mut place, |place| place.is_some());
                        *place = Some(value * 2 + first);
                        changed.notify_all();
                    }
                });
            }
            let mut sum = 0_u64;
            for _ in 0..10_000 {
                let mut place = queue.lock();
                changed.wait_while(&mut place, |place| place.is_none());
                sum += u64::from(place.take().unwrap());
                changed.notify_all();
            }
            assert_eq!(sum, (0..10_000_u64).sum());
        });
    }
}
