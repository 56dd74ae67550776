//! What lock-free code is made of. Where `loom` tries that code in every order of
//! events, these are loom's own parts.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(loom)]
pub(crate) use modelled::{ArcSwapOption, Guard, Mutex};
#[cfg(not(loom))]
pub(crate) use {
    arc_swap::{ArcSwapOption, Guard},
    parking_lot::Mutex,
};

/// Stand-ins of the same meaning: an atomic pointer is one that is exchanged under
/// a lock, which gives loom its points to switch threads at.
#[cfg(loom)]
mod modelled {
    use std::mem;
    use std::sync::Arc;

    /// As `arc_swap::Guard`.
    pub(crate) type Guard<T> = Box<T>;

    /// As `arc_swap::ArcSwapOption`.
    pub(crate) struct ArcSwapOption<T>(loom::sync::Mutex<Option<Arc<T>>>);

    impl<T> ArcSwapOption<T> {
        pub(crate) fn empty() -> Self {
            Self(loom::sync::Mutex::new(None))
        }

        pub(crate) fn from_pointee(value: impl Into<Option<T>>) -> Self {
            Self(loom::sync::Mutex::new(value.into().map(Arc::new)))
        }

        pub(crate) fn load(&self) -> Guard<Option<Arc<T>>> {
            Box::new(self.0.lock().unwrap().clone())
        }

        pub(crate) fn load_full(&self) -> Option<Arc<T>> {
            self.0.lock().unwrap().clone()
        }

        pub(crate) fn store(&self, value: Option<Arc<T>>) {
            drop(self.swap(value));
        }

        pub(crate) fn swap(&self, value: Option<Arc<T>>) -> Option<Arc<T>> {
            mem::replace(&mut *self.0.lock().unwrap(), value)
        }
    }

    /// As `parking_lot::Mutex`.
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }
    }

    impl<T: Default> Default for Mutex<T> {
        fn default() -> Self {
            Self::new(T::default())
        }
    }
}
