//! Locks that wait in the kernel, at the word that they are (futex).
//!
//! A lock is four octets, and a condition variable eight. There is no table of waiting
//! threads beside them: no lock of one thread has to do with another's, which a table shared
//! by all locks of a process cannot promise to threads of a high priority.
//!
//! [`Mutex`] and the others are those of `lock_api`. A panic does not poison them.

mod algorithm;
mod condvar;
#[cfg(all(test, loom))]
mod orders;
mod raw;
mod word;

pub use condvar::{Condvar, WaitTimeoutResult};
pub use raw::{Mutex, MutexGuard, RawMutex, ReentrantMutex, ReentrantMutexGuard};
