//! A lock that many may hold to read, for what is seldom written and lies off the way of
//! a call.

use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The standard library's lock, which every program has. A thread that panics while it
/// holds the lock leaves the value as it is, as everywhere in the ORB.
#[derive(Default)]
pub(crate) struct SharedLock<T>(RwLock<T>);

impl<T> SharedLock<T> {
    /// A lock around a value.
    pub(crate) const fn new(value: T) -> Self {
        Self(RwLock::new(value))
    }

    /// Waits until nobody writes.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody reads or writes.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> fmt::Debug for SharedLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedLock").finish_non_exhaustive()
    }
}
