//! Locks whose holder inherits the priority of the threads that wait (priority inheritance).
//!
//! While a thread waits, the kernel schedules the one that has the lock as if it had the higher
//! of both priorities, and so on along a chain of locks. Then no thread of a priority between
//! them keeps the waiting one from going on.
//!
//! The word of a lock has the id of the thread that has it, by which the kernel finds that. It
//! is not tried by loom: a thread takes a free lock and gives back one that nobody waits for by
//! one exchange each, and all the rest is done by the kernel (`FUTEX_LOCK_PI`).
//!
//! A thread may end with a lock. If nobody waits by then, the id of no thread stays in the word,
//! which the kernel tells to those that come. If somebody waits, the kernel hands the lock on and
//! marks the word (`FUTEX_OWNER_DIED`): that thread is told the same, and the lock stays with
//! it, for a reference to the value may have outlived its holder.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use lock_api::{GuardNoSend, RawMutexTimed};
use rustix::io::Errno;
use rustix::thread::futex::{self, Flags, Timespec};
use rustix::time::{ClockId, clock_gettime};

use super::raw::ThreadIdentity;

const FREE: u32 = 0;

/// The bits of the word that are a thread's id (`FUTEX_TID_MASK`); the others are the kernel's.
const THREAD: u32 = 0x3fff_ffff;

/// The bit of the word that says that the thread which had the lock has ended with it.
const OWNER_ENDED: u32 = futex::OWNER_DIED;

/// A wait for longer than this is one for ever: 30 years.
const FOR_EVER: Duration = Duration::from_secs(1 << 30);

/// The pause before the kernel is asked again that could not let this thread wait.
const PAUSE: Duration = Duration::from_micros(50);

/// A lock whose holder inherits the priority of those that wait, without a guard: a thread says
/// when it takes it and when it gives it back.
///
/// A process that forks without starting a program must not use it in the child.
pub struct PriorityInheritanceLock(AtomicU32);

/// Why a lock cannot be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NeverFree {
    /// The calling thread has it.
    OwnedByCaller,
    /// The thread that had it has ended. If the calling thread waited already when that ended,
    /// it [has](PriorityInheritanceLock::is_owned) the lock now: nobody else gets it unless it is
    /// given back.
    OwnerEnded,
}

/// The calling thread does not have the lock that it gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotOwner;

/// Returns the id of the calling thread, by which the kernel knows it.
#[inline]
fn own_id() -> u32 {
    thread_local!(static OWN: Cell<u32> = const { Cell::new(FREE) });
    match OWN.get() {
        FREE => {
            let id = rustix::thread::gettid().as_raw_nonzero().get();
            OWN.set(id.cast_unsigned());
            OWN.get()
        }
        id => id,
    }
}

impl PriorityInheritanceLock {
    /// A lock that is free.
    pub const fn new() -> Self {
        Self(AtomicU32::new(FREE))
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_take(&self) -> bool {
        let taken = self
            .0
            .compare_exchange(FREE, own_id(), Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok()
    }

    /// Waits for the lock and takes it.
    ///
    /// # Errors
    ///
    /// [`NeverFree`], if it does not become free.
    #[inline]
    pub fn take(&self) -> Result<(), NeverFree> {
        match self.try_take() {
            true => Ok(()),
            false => self.wait_for(None).map(drop),
        }
    }

    /// Takes the lock if it becomes free until the deadline. Returns whether it did.
    ///
    /// # Errors
    ///
    /// [`NeverFree`], if it does not become free at any time.
    pub fn take_until(&self, deadline: Instant) -> Result<bool, NeverFree> {
        match self.try_take() {
            true => Ok(true),
            false => self.wait_for(Some(deadline)),
        }
    }

    #[cold]
    #[inline(never)]
    fn wait_for(&self, deadline: Option<Instant>) -> Result<bool, NeverFree> {
        loop {
            match self.wait_in_kernel(deadline) {
                Ok(()) => {
                    // The kernel has given the lock to this thread: it sees what those before
                    // it did. Their release is a change of the word, as all that the kernel
                    // makes of it until here, so that this change is behind it.
                    let word = self.0.fetch_or(0, Ordering::Acquire);
                    return match word & OWNER_ENDED {
                        0 => Ok(true),
                        _ => Err(NeverFree::OwnerEnded),
                    };
                }
                Err(Errno::TIMEDOUT) => return Ok(false),
                Err(Errno::DEADLK) => return Err(NeverFree::OwnedByCaller),
                // The id in the word is that of no thread any more, or of one of the kernel.
                Err(Errno::SRCH | Errno::PERM) => return Err(NeverFree::OwnerEnded),
                // Its holder is about to end, or the kernel has no memory for one that waits.
                Err(_) => {
                    if self.try_take() {
                        return Ok(true);
                    }
                    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                        return Ok(false);
                    }
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    fn wait_in_kernel(&self, deadline: Option<Instant>) -> Result<(), Errno> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let Some(left) = left.filter(|left| *left < FOR_EVER) else {
            return futex::lock_pi(&self.0, Flags::PRIVATE, None);
        };
        let by = after(clock_gettime(ClockId::Monotonic), left);
        match futex::lock_pi2(&self.0, Flags::PRIVATE, Some(&by)) {
            // A kernel before 5.14, which knows the time of day alone.
            Err(Errno::NOSYS) => {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                let now = Timespec::try_from(now.unwrap_or_default());
                let by = now.map(|now| after(now, left)).map_err(|_| Errno::INVAL)?;
                futex::lock_pi(&self.0, Flags::PRIVATE, Some(&by))
            }
            taken => taken,
        }
    }

    /// Gives the lock back, to the thread of the highest priority among those that wait.
    ///
    /// # Errors
    ///
    /// [`NotOwner`], and nothing has changed.
    #[inline]
    pub fn give_back(&self) -> Result<(), NotOwner> {
        let own = own_id();
        match self
            .0
            .compare_exchange(own, FREE, Ordering::Release, Ordering::Relaxed)
        {
            Ok(_) => Ok(()),
            Err(word) if word & THREAD == own => self.give_to_next(),
            Err(_) => Err(NotOwner),
        }
    }

    #[cold]
    #[inline(never)]
    fn give_to_next(&self) -> Result<(), NotOwner> {
        // Those that the kernel gives it to see what was done before.
        self.0.fetch_or(0, Ordering::Release);
        loop {
            match futex::unlock_pi(&self.0, Flags::PRIVATE) {
                Ok(()) => return Ok(()),
                Err(Errno::PERM) => return Err(NotOwner),
                Err(_) => {}
            }
        }
    }

    /// Whether a thread has the lock.
    pub fn is_taken(&self) -> bool {
        self.0.load(Ordering::Relaxed) & THREAD != FREE
    }

    /// Whether the calling thread has the lock.
    pub fn is_owned(&self) -> bool {
        self.0.load(Ordering::Relaxed) & THREAD == own_id()
    }
}

/// The time that comes so much after another.
fn after(time: Timespec, left: Duration) -> Timespec {
    const SECOND: i64 = 1_000_000_000;
    // Both are less than a second, and the sum of the seconds is in this century.
    let nanoseconds = time.tv_nsec + i64::from(left.subsec_nanos());
    Timespec {
        tv_sec: time.tv_sec + left.as_secs() as i64 + nanoseconds / SECOND,
        tv_nsec: nanoseconds % SECOND,
    }
}

impl Default for PriorityInheritanceLock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for PriorityInheritanceLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PriorityInheritanceLock")
            .field("is_taken", &self.is_taken())
            .finish()
    }
}

impl fmt::Display for NeverFree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OwnedByCaller => "the calling thread has the lock already",
            Self::OwnerEnded => "the thread that had the lock has ended without giving it back",
        })
    }
}

impl std::error::Error for NeverFree {}

impl fmt::Display for NotOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the calling thread does not have the lock")
    }
}

impl std::error::Error for NotOwner {}

/// Such a lock for `lock_api`. A thread that takes it twice panics.
#[derive(Debug, Default)]
pub struct RawPriorityInheritanceMutex(PriorityInheritanceLock);

/// A lock whose holder inherits the priority of those that wait, and the value that only its
/// holder sees.
pub type PriorityInheritanceMutex<T> = lock_api::Mutex<RawPriorityInheritanceMutex, T>;

/// The value of a [`PriorityInheritanceMutex`], for its holder.
pub type PriorityInheritanceMutexGuard<'m, T> =
    lock_api::MutexGuard<'m, RawPriorityInheritanceMutex, T>;

/// A lock that its holder can take again, and that gives it the priority of those that wait.
pub type PriorityInheritanceReentrantMutex<T> =
    lock_api::ReentrantMutex<RawPriorityInheritanceMutex, ThreadIdentity, T>;

/// A guard cannot be waited for.
#[cold]
#[inline(never)]
#[expect(clippy::panic, reason = "it would wait for ever")]
fn never_free(reason: NeverFree) -> ! {
    panic!("a lock is waited for in vain: {reason}")
}

// SAFETY: `take`, `try_take` and `take_until` succeed only when the word has gone from free to
// this thread's id, with acquire ordering, or the kernel has put the id there because the holder
// before gave the lock back; only `give_back`, with release ordering, sets it free or has the
// kernel hand it on. So there is one holder at a time, which sees what those before it did. If
// the kernel hands it on because the holder has ended, whose guard may still be lent, nobody gets
// the value.
unsafe impl lock_api::RawMutex for RawPriorityInheritanceMutex {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: Self = Self(PriorityInheritanceLock::new());

    type GuardMarker = GuardNoSend;

    #[inline]
    fn lock(&self) {
        if let Err(reason) = self.0.take() {
            never_free(reason);
        }
    }

    #[inline]
    fn try_lock(&self) -> bool {
        self.0.try_take()
    }

    #[inline]
    unsafe fn unlock(&self) {
        let given = self.0.give_back();
        debug_assert!(given.is_ok(), "a guard stays in its thread");
    }

    #[inline]
    fn is_locked(&self) -> bool {
        self.0.is_taken()
    }
}

// SAFETY: `take_until` returns true only when it has taken the lock, as above.
unsafe impl RawMutexTimed for RawPriorityInheritanceMutex {
    type Duration = Duration;
    type Instant = Instant;

    fn try_lock_for(&self, timeout: Duration) -> bool {
        match Instant::now().checked_add(timeout) {
            Some(deadline) => self.try_lock_until(deadline),
            // A time that the clock cannot tell does not come.
            None => {
                lock_api::RawMutex::lock(self);
                true
            }
        }
    }

    fn try_lock_until(&self, deadline: Instant) -> bool {
        match self.0.take_until(deadline) {
            Ok(is_taken) => is_taken,
            Err(reason) => never_free(reason),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn one_thread_at_a_time_has_the_value() {
        let count = Arc::new(PriorityInheritanceMutex::new(0_u64));
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let count = Arc::clone(&count);
                thread::spawn(move || (0..10_000).for_each(|_| *count.lock() += 1))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(*count.lock(), 80_000);
        assert!(!count.is_locked());
    }

    #[test]
    fn a_lock_is_taken_in_time_or_not_at_all() {
        let lock = PriorityInheritanceMutex::new(());
        let held = lock.lock();
        thread::scope(|scope| {
            let tried = scope.spawn(|| lock.try_lock().is_some());
            assert!(!tried.join().unwrap());
            let begun = Instant::now();
            let waiter = scope.spawn(|| lock.try_lock_for(SHORT).is_some());
            assert!(!waiter.join().unwrap());
            assert!(begun.elapsed() >= SHORT);
            let waiter = scope.spawn(|| lock.try_lock_for(Duration::MAX).is_some());
            thread::sleep(SHORT);
            drop(held);
            assert!(waiter.join().unwrap());
        });
        assert!(lock.try_lock_until(Instant::now()).is_some());
    }

    #[test]
    fn a_lock_belongs_to_the_thread_that_has_taken_it() {
        let lock = PriorityInheritanceLock::new();
        assert_eq!(lock.give_back(), Err(NotOwner));
        lock.take().unwrap();
        assert!(lock.is_taken() && lock.is_owned() && !lock.try_take());
        assert_eq!(lock.take(), Err(NeverFree::OwnedByCaller));
        let by = Instant::now() + SHORT;
        assert_eq!(lock.take_until(by), Err(NeverFree::OwnedByCaller));
        thread::scope(|scope| {
            scope.spawn(|| {
                assert!(lock.is_taken() && !lock.is_owned());
                assert_eq!(lock.give_back(), Err(NotOwner));
            });
        });
        lock.give_back().unwrap();
        assert!(!lock.is_taken());
    }

    #[test]
    fn a_lock_whose_owner_has_ended_is_never_free() {
        let lock = PriorityInheritanceLock::new();
        thread::scope(|scope| {
            scope.spawn(|| lock.take().unwrap()).join().unwrap();
        });
        // Joining ends before the system has forgotten the thread.
        assert_eq!(lock.take(), Err(NeverFree::OwnerEnded));
    }

    /// Has a thread take the lock and end with it while another waits by `wait`.
    #[expect(clippy::unwrap_used, reason = "a test may fail by a panic")]
    fn wait_while_the_owner_ends<R: Send>(
        lock: &PriorityInheritanceLock,
        wait: impl FnOnce() -> R + Send,
    ) -> R {
        thread::scope(|scope| {
            let (taken, is_taken) = mpsc::channel();
            scope.spawn(move || {
                lock.take().unwrap();
                taken.send(()).unwrap();
                while lock.0.load(Ordering::Relaxed) & futex::WAITERS == 0 {
                    thread::yield_now();
                }
                // It waits in the kernel soon after it has said so.
                thread::sleep(SHORT);
            });
            is_taken.recv().unwrap();
            scope.spawn(wait).join().unwrap()
        })
    }

    /// The kernel hands it on as if it had been given back.
    #[test]
    fn a_lock_whose_owner_ends_is_told_from_one_that_is_given_back() {
        let lock = PriorityInheritanceLock::new();
        wait_while_the_owner_ends(&lock, || {
            assert_eq!(lock.take(), Err(NeverFree::OwnerEnded));
            // Nobody else gets it, unless the one that was told gives it back.
            assert!(lock.is_owned());
            thread::scope(|scope| {
                scope.spawn(|| {
                    let by = Instant::now() + SHORT;
                    assert_eq!(lock.take_until(by), Ok(false));
                });
            });
            lock.give_back().unwrap();
        });
        assert!(lock.try_take());
        lock.give_back().unwrap();
    }

    #[test]
    #[should_panic(expected = "the calling thread has the lock already")]
    fn a_thread_that_takes_it_twice_panics() {
        let lock = PriorityInheritanceMutex::new(());
        let _held = lock.lock();
        let _again = lock.lock();
    }

    #[test]
    fn times_are_added_across_seconds() {
        let time = Timespec {
            tv_sec: 7,
            tv_nsec: 900_000_000,
        };
        let later = after(time, Duration::from_millis(1_200));
        assert_eq!((later.tv_sec, later.tv_nsec), (9, 100_000_000));
    }
}
