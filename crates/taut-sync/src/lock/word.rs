//! A word that threads wait at until it changes.

use std::time::Duration;

pub(super) use futex::Futex;
#[cfg(all(test, loom))]
pub(super) use tried::Tried;

/// The end of a wait at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// By a thread that has woken one that waits, or all.
    Called,
    /// By nobody: the word has another value than the one expected, or a signal came.
    Otherwise,
    /// By the clock.
    TimedOut,
}

/// A word in memory that threads share.
pub(super) trait Word {
    /// The value, which may be an old one.
    fn load(&self) -> u32;

    /// Changes the value if it is `from`, and then sees what was done before `from` was
    /// stored.
    fn acquire(&self, from: u32, to: u32) -> bool;

    /// Stores a value, and sees what was done before the one that it returns was stored.
    fn swap_acquire(&self, value: u32) -> u32;

    /// Stores a value, for those who see it to see what was done before.
    fn swap_release(&self, value: u32) -> u32;

    fn add(&self, value: u32);

    fn subtract(&self, value: u32);

    /// Waits while the value is `expected`, until it is woken; with a timeout, at most for so
    /// long.
    fn wait(&self, expected: u32, timeout: Option<Duration>) -> Woken;

    /// Wakes as many as `most` of the threads that wait.
    fn wake(&self, most: u32);
}

mod futex {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use rustix::io::Errno;
    use rustix::thread::futex::{self, Flags, Timespec};

    use super::{Woken, Word};

    #[derive(Debug)]
    pub(in super::super) struct Futex(AtomicU32);

    impl Futex {
        #[inline]
        pub(in super::super) const fn new(value: u32) -> Self {
            Self(AtomicU32::new(value))
        }
    }

    impl Word for Futex {
        #[inline]
        fn load(&self) -> u32 {
            self.0.load(Ordering::Relaxed)
        }

        #[inline]
        fn acquire(&self, from: u32, to: u32) -> bool {
            let result = self
                .0
                .compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed);
            result.is_ok()
        }

        #[inline]
        fn swap_acquire(&self, value: u32) -> u32 {
            self.0.swap(value, Ordering::Acquire)
        }

        #[inline]
        fn swap_release(&self, value: u32) -> u32 {
            self.0.swap(value, Ordering::Release)
        }

        #[inline]
        fn add(&self, value: u32) {
            self.0.fetch_add(value, Ordering::Relaxed);
        }

        #[inline]
        fn subtract(&self, value: u32) {
            self.0.fetch_sub(value, Ordering::Relaxed);
        }

        fn wait(&self, expected: u32, timeout: Option<Duration>) -> Woken {
            // A time that the kernel cannot tell is none.
            let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
            match futex::wait(&self.0, Flags::PRIVATE, expected, timeout.as_ref()) {
                Ok(()) => Woken::Called,
                Err(Errno::TIMEDOUT) => Woken::TimedOut,
                Err(_) => Woken::Otherwise,
            }
        }

        fn wake(&self, most: u32) {
            // It fails for no word that there is.
            let _ = futex::wake(&self.0, Flags::PRIVATE, most);
        }
    }
}

/// The same of loom's parts: the kernel's queue is a condition variable of loom's.
#[cfg(all(test, loom))]
mod tried {
    use std::time::Duration;

    use loom::sync::atomic::{AtomicU32, Ordering};
    use loom::sync::{Condvar, Mutex};

    use super::{Woken, Word};

    #[derive(Debug)]
    pub(in super::super) struct Tried {
        value: AtomicU32,
        queue: Mutex<()>,
        woken: Condvar,
    }

    impl Tried {
        pub(in super::super) fn new(value: u32) -> Self {
            Self {
                value: AtomicU32::new(value),
                queue: Mutex::new(()),
                woken: Condvar::new(),
            }
        }
    }

    impl Word for Tried {
        fn load(&self) -> u32 {
            self.value.load(Ordering::Relaxed)
        }

        fn acquire(&self, from: u32, to: u32) -> bool {
            let result =
                self.value
                    .compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed);
            result.is_ok()
        }

        fn swap_acquire(&self, value: u32) -> u32 {
            self.value.swap(value, Ordering::Acquire)
        }

        fn swap_release(&self, value: u32) -> u32 {
            self.value.swap(value, Ordering::Release)
        }

        fn add(&self, value: u32) {
            self.value.fetch_add(value, Ordering::Relaxed);
        }

        fn subtract(&self, value: u32) {
            self.value.fetch_sub(value, Ordering::Relaxed);
        }

        /// Nobody waits for a time here.
        fn wait(&self, expected: u32, _: Option<Duration>) -> Woken {
            let queue = self.queue.lock().unwrap();
            // The kernel compares under the lock of its queue, with the newest value.
            if self.value.fetch_add(0, Ordering::SeqCst) != expected {
                return Woken::Otherwise;
            }
            drop(self.woken.wait(queue).unwrap());
            Woken::Called
        }

        fn wake(&self, most: u32) {
            let _queue = self.queue.lock().unwrap();
            match most {
                1 => self.woken.notify_one(),
                _ => self.woken.notify_all(),
            }
        }
    }
}
