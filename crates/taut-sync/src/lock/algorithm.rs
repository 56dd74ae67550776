//! How locks are taken and given back, and how condition variables are signalled.

use std::hint;
use std::time::{Duration, Instant};

use super::word::{Woken, Word};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and there may be threads that wait.
const AWAITED: u32 = 2;

/// How often a thread looks whether a lock becomes free before it waits in the kernel.
const LOOKS: u32 = 100;

/// The state of a lock.
#[derive(Debug)]
pub(super) struct Lock<W>(W);

impl<W> Lock<W> {
    /// A lock that is free, if the word has the value 0.
    pub(super) const fn of(word: W) -> Self {
        Self(word)
    }
}

impl<W: Word> Lock<W> {
    #[inline]
    pub(super) fn try_take(&self) -> bool {
        self.0.acquire(FREE, HELD)
    }

    #[inline]
    pub(super) fn take(&self) {
        if !self.try_take() {
            self.wait_for(None);
        }
    }

    /// Takes the lock if it becomes free in time; without a deadline, in any case.
    #[cold]
    #[inline(never)]
    pub(super) fn wait_for(&self, deadline: Option<Instant>) -> bool {
        if self.look() {
            return true;
        }
        // From here on the thread that gives it back wakes one that waits. This thread does
        // not know of others, so that it keeps the mark when it has the lock.
        while self.0.swap_acquire(AWAITED) != FREE {
            let timeout = match deadline.map(time_left) {
                Some(Duration::ZERO) => return false,
                timeout => timeout,
            };
            self.0.wait(AWAITED, timeout);
        }
        true
    }

    /// Takes the lock if it becomes free soon, and nobody waits for it.
    fn look(&self) -> bool {
        if cfg!(loom) {
            return self.try_take();
        }
        for _ in 0..LOOKS {
            match self.0.load() {
                FREE if self.try_take() => return true,
                AWAITED => return false,
                _ => hint::spin_loop(),
            }
        }
        false
    }

    #[inline]
    pub(super) fn give_back(&self) {
        if self.0.swap_release(FREE) == AWAITED {
            self.wake_one();
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_one(&self) {
        self.0.wake(1);
    }

    #[inline]
    pub(super) fn is_taken(&self) -> bool {
        self.0.load() != FREE
    }
}

/// The state of a condition variable.
#[derive(Debug)]
pub(super) struct Bell<W> {
    /// The number of signals.
    signals: W,
    waiting: W,
}

impl<W> Bell<W> {
    /// A condition that nobody waits for, if the words have the value 0.
    pub(super) const fn of(signals: W, waiting: W) -> Self {
        Self { signals, waiting }
    }
}

impl<W: Word> Bell<W> {
    /// Begins to wait, with the lock, and returns the number of signals before.
    pub(super) fn enter(&self) -> u32 {
        self.waiting.add(1);
        self.signals.load()
    }

    /// Waits for a signal, without the lock. Returns whether the deadline came first.
    pub(super) fn wait(&self, before: u32, deadline: Option<Instant>) -> bool {
        let has_timed_out = loop {
            if self.signals.load() != before {
                break false;
            }
            let timeout = deadline.map(time_left);
            if timeout == Some(Duration::ZERO) {
                break true;
            }
            if self.signals.wait(before, timeout) == Woken::Called && self.signals.load() == before
            {
                // The signal was for one that began to wait before it was given.
                self.signals.wake(1);
            }
        };
        self.waiting.subtract(1);
        has_timed_out
    }

    /// Wakes as many as `most` of the threads that wait. One that has looked at what has
    /// changed before it did has entered with the lock, and so is seen here.
    #[inline]
    pub(super) fn signal(&self, most: u32) {
        if self.waiting.load() > 0 {
            self.signal_waiting(most);
        }
    }

    #[cold]
    #[inline(never)]
    fn signal_waiting(&self, most: u32) {
        self.signals.add(1);
        self.signals.wake(most);
    }
}

fn time_left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
