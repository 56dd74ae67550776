//! Locks that wait in the kernel, at the word that they are (futex).
//!
//! A lock is four octets, and a condition variable eight. There is no table of waiting
//! threads beside them: no lock of one thread has to do with another's, which a table shared
//! by all locks of a process cannot promise to threads of a high priority.
//!
//! The holder of a [`PriorityInheritanceMutex`] has the priority of the most urgent thread that
//! waits for it. It costs a little more than a [`Mutex`].
//!
//! [`Mutex`] and the others are those of `lock_api`. A panic does not poison them.

mod algorithm;
mod condvar;
mod inheritance;
#[cfg(all(test, loom))]
mod orders;
mod raw;
mod word;

pub use condvar::{Condvar, WaitTimeoutResult};
pub use inheritance::{
    NeverFree, NotOwner, PriorityInheritanceLock, PriorityInheritanceMutex,
    PriorityInheritanceMutexGuard, PriorityInheritanceReentrantMutex, RawPriorityInheritanceMutex,
};
pub use raw::{Mutex, MutexGuard, RawMutex, ReentrantMutex, ReentrantMutexGuard};
