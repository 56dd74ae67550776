//! Atomics, locks and hazard pointers that lock-free code is made of. Where `loom` tries
//! that code in every order of events, these are loom's own parts.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

#[cfg(not(loom))]
pub use crate::hazard::{end_with, settle, without_lending};
#[cfg(loom)]
use loom::thread;
#[cfg(loom)]
pub use loom::thread::ThreadId;
#[cfg(not(loom))]
use std::thread;
#[cfg(not(loom))]
pub use std::thread::ThreadId;

#[cfg(loom)]
pub use modelled::{AtomicArc, Condvar, Held, Mutex, MutexGuard, Revocable};
#[cfg(not(loom))]
pub use {
    crate::hazard::{AtomicArc, Held, Revocable, holds},
    crate::lock::{Condvar, Mutex, MutexGuard},
};

/// As `crate::hazard::holds`: here each has a share of its own.
#[cfg(loom)]
pub fn holds(_: usize) -> bool {
    false
}

/// As `crate::hazard::end_with`: here each that holds a value has a share of its own.
#[cfg(loom)]
pub fn end_with<T, C>(value: std::sync::Arc<T>, companion: C) {
    drop((value, companion));
}

/// As `crate::hazard::without_lending`: here nothing is lent in fewer steps.
#[cfg(loom)]
pub fn without_lending<R>(run: impl FnOnce() -> R) -> R {
    run()
}

/// As `crate::hazard::settle`: here nothing ends later.
#[cfg(loom)]
pub fn settle(_: std::time::Duration) {}

/// The thread that asks.
pub fn current_thread() -> ThreadId {
    thread::current().id()
}

/// Stand-ins of the same meaning: an atomic pointer is one that is exchanged under
/// a lock, which gives loom its points to switch threads at.
#[cfg(loom)]
mod modelled {
    use std::fmt;
    use std::mem;
    use std::ops::{Deref, DerefMut};
    use std::sync::Arc;
    use std::time::Duration;

    /// As `crate::hazard::Held`.
    pub struct Held<T>(Arc<T>);

    impl<T> Held<T> {
        pub fn to_arc(&self) -> Arc<T> {
            Arc::clone(&self.0)
        }
    }

    impl<T> Deref for Held<T> {
        type Target = T;

        fn deref(&self) -> &T {
            &self.0
        }
    }

    /// As `crate::hazard::AtomicArc`.
    pub struct AtomicArc<T>(loom::sync::Mutex<Option<Arc<T>>>);

    impl<T> From<Option<Arc<T>>> for AtomicArc<T> {
        fn from(value: Option<Arc<T>>) -> Self {
            Self(loom::sync::Mutex::new(value))
        }
    }

    impl<T> Default for AtomicArc<T> {
        fn default() -> Self {
            Self::empty()
        }
    }

    impl<T> fmt::Debug for AtomicArc<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("AtomicArc").finish_non_exhaustive()
        }
    }

    impl<T> AtomicArc<T> {
        pub fn empty() -> Self {
            Self(loom::sync::Mutex::new(None))
        }

        pub fn load(&self) -> Option<Held<T>> {
            self.load_full().map(Held)
        }

        pub fn has(&self, held: &Held<T>) -> bool {
            let value = self.0.lock().unwrap();
            value
                .as_ref()
                .is_some_and(|value| Arc::ptr_eq(value, &held.0))
        }

        pub fn is_empty(&self) -> bool {
            self.0.lock().unwrap().is_none()
        }

        pub fn load_full(&self) -> Option<Arc<T>> {
            self.0.lock().unwrap().clone()
        }

        pub fn store(&self, value: Option<Arc<T>>) {
            drop(self.swap(value));
        }

        pub fn swap(&self, value: Option<Arc<T>>) -> Option<Arc<T>> {
            mem::replace(&mut *self.0.lock().unwrap(), value)
        }
    }

    /// As `crate::hazard::Revocable`.
    pub struct Revocable<T>(AtomicArc<T>);

    impl<T> Revocable<T> {
        pub fn new(value: Arc<T>) -> Self {
            Self(AtomicArc::from(Some(value)))
        }

        pub fn lend<S, U: ?Sized, R>(
            &self,
            state: S,
            find: impl FnOnce(&T) -> Option<&U>,
            borrow: impl FnOnce(S, &T, &U) -> R,
            otherwise: impl FnOnce(S) -> R,
        ) -> R {
            let value = self.load();
            match value.as_deref().and_then(|lent| Some((lent, find(lent)?))) {
                Some((lent, found)) => borrow(state, lent, found),
                None => otherwise(state),
            }
        }

        pub fn load(&self) -> Option<Held<T>> {
            self.0.load()
        }

        pub fn is_revoked(&self) -> bool {
            self.0.is_empty()
        }

        pub fn revoke(&self) {
            self.0.store(None);
        }
    }

    /// As `crate::lock::Mutex`.
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard(Some(self.0.lock().unwrap()))
        }
    }

    /// As `crate::lock::MutexGuard`. None only while a [`Condvar`] has it.
    pub struct MutexGuard<'m, T>(Option<loom::sync::MutexGuard<'m, T>>);

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_ref().unwrap()
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_mut().unwrap()
        }
    }

    /// As `crate::lock::Condvar`.
    pub struct Condvar(loom::sync::Condvar);

    impl Condvar {
        pub fn new() -> Self {
            Self(loom::sync::Condvar::new())
        }

        pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
            let held = guard.0.take().unwrap();
            guard.0 = Some(self.0.wait(held).unwrap());
        }

        /// Nobody waits for so long here.
        pub fn wait_while_for<T>(
            &self,
            guard: &mut MutexGuard<'_, T>,
            mut condition: impl FnMut(&mut T) -> bool,
            _timeout: Duration,
        ) -> NeverTimedOut {
            while condition(guard) {
                self.wait(guard);
            }
            NeverTimedOut
        }

        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }

    impl Default for Condvar {
        fn default() -> Self {
            Self::new()
        }
    }

    /// As `crate::lock::WaitTimeoutResult`.
    pub struct NeverTimedOut;

    impl NeverTimedOut {
        pub fn timed_out(&self) -> bool {
            false
        }
    }

    impl<T: Default> Default for Mutex<T> {
        fn default() -> Self {
            Self::new(T::default())
        }
    }
}
