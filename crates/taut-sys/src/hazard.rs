//! Shared values that many read and few replace: reading one counts nothing that
//! other threads see, so it costs no atomic read-modify-write (hazard pointers).
//!
//! - `domain`: which thread has its eyes on what, and what was replaced meanwhile;
//! - `barrier`: fences that cost nothing where readers are;
//! - `revocable`: what never changes until it is taken away, for fewer moves still.

#![allow(unsafe_code)]

mod barrier;
mod domain;
mod revocable;
mod sync;

#[cfg(all(test, loom))]
mod orders;
#[cfg(all(test, not(loom)))]
mod tests;

use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::Deref;
use std::ptr::{self, NonNull};

use domain::Place;
pub use revocable::Revocable;
use sync::{Arc, AtomicPtr, Ordering};

/// A place for an `Arc`, or none, that can be exchanged while others read it.
///
/// What was [loaded](Self::load) lives until the thread lets go of it, whatever takes
/// its place. If it is the last one to have it, the value ends there and then.
///
/// Exchanging costs a system call and a look at every thread that has ever loaded
/// anything; loading costs three moves.
pub struct AtomicArc<T> {
    /// Null, or made by `Arc::into_raw`; this has a share of it.
    value: AtomicPtr<T>,
    _owns: PhantomData<Arc<T>>,
}

/// What was loaded from an [`AtomicArc`].
pub struct Held<T> {
    value: NonNull<T>,
    /// What keeps it alive: a place of this thread's where others see that it is held.
    /// None: a share of its own.
    place: Option<&'static Place>,
    /// The place belongs to the thread.
    _stays: PhantomData<*const Arc<T>>,
}

/// How often a reader tries again whose value was exchanged under its eyes.
const TRIES: usize = 8;

impl<T> AtomicArc<T> {
    /// Nothing yet.
    pub fn empty() -> Self {
        Self::from(None)
    }

    /// What is there.
    #[inline(always)]
    pub fn load(&self) -> Option<Held<T>> {
        let seen = NonNull::new(self.value.load(Ordering::Acquire))?;
        let Some(place) = domain::vacant_place() else {
            return self.load_counted();
        };
        match self.show(seen, place) {
            Ok(held) => Some(held),
            Err(now) => self.load_again(now, place),
        }
    }

    /// Holds what was seen here, unless something else is here by now.
    #[inline(always)]
    fn show(&self, seen: NonNull<T>, place: &'static Place) -> Result<Held<T>, *mut T> {
        place.show(seen.as_ptr().cast());
        let now = self.value.load(Ordering::Acquire);
        if now != seen.as_ptr() {
            return Err(now);
        }
        // Whoever exchanges it from here on sees that it is held.
        Ok(Held {
            value: seen,
            place: Some(place),
            _stays: PhantomData,
        })
    }

    /// [`load`](Self::load), where what was seen has been exchanged for this meanwhile.
    #[cold]
    #[inline(never)]
    fn load_again(&self, mut now: *mut T, place: &'static Place) -> Option<Held<T>> {
        for _ in 1..TRIES {
            place.clear();
            match self.show(NonNull::new(now)?, place) {
                Ok(held) => return Some(held),
                Err(another) => now = another,
            }
        }
        place.clear();
        self.load_counted()
    }

    /// What is there, with a share of its own: for threads that hold more than they
    /// have places, that are about to end, or that are disturbed too often.
    #[cold]
    #[inline(never)]
    fn load_counted(&self) -> Option<Held<T>> {
        domain::get().with_nothing_ending(|| {
            let value = self.value.load(Ordering::Acquire);
            let value = NonNull::new(value)?;
            // SAFETY: it was made by `Arc::into_raw`, and the share that the place has,
            // or had a moment ago, does not end meanwhile.
            mem::forget(unsafe { another_share(value.as_ptr()) });
            Some(Held {
                value,
                place: None,
                _stays: PhantomData,
            })
        })
    }

    /// Whether this is what is there still.
    #[inline]
    pub fn has(&self, held: &Held<T>) -> bool {
        // What is held has no other's address.
        self.value.load(Ordering::Acquire) == held.value.as_ptr()
    }

    /// Whether nothing is there.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.value.load(Ordering::Acquire).is_null()
    }

    /// What is there, for as long as one likes.
    pub fn load_full(&self) -> Option<Arc<T>> {
        self.load().map(|held| held.to_arc())
    }

    /// Puts something else there.
    pub fn store(&self, value: Option<Arc<T>>) {
        let before = self.value.swap(into_raw(value), Ordering::AcqRel);
        Self::retire(before);
    }

    /// Puts something else there, and gives back what was there.
    pub fn swap(&self, value: Option<Arc<T>>) -> Option<Arc<T>> {
        let before = self.value.swap(into_raw(value), Ordering::AcqRel);
        if before.is_null() {
            return None;
        }
        // SAFETY: it was made by `Arc::into_raw`, and the share that the place had is
        // given up below.
        let given_back = unsafe { another_share(before) };
        Self::retire(before);
        Some(given_back)
    }

    /// Gives up the share that the place had, as soon as nobody holds the value.
    fn retire(value: *mut T) {
        if !value.is_null() {
            // SAFETY: the share is given up once, here: nobody finds it in the place
            // any more.
            unsafe { domain::get().retire(value.cast(), give_up::<T>) };
        }
    }
}

/// One share more of a value.
///
/// # Safety
///
/// `value` was made by `Arc::into_raw`, and somebody has a share of it meanwhile.
unsafe fn another_share<T>(value: *const T) -> Arc<T> {
    // SAFETY: as the caller says.
    unsafe { Arc::increment_strong_count(value) };
    // SAFETY: as the caller says; the share is the one that was just made.
    unsafe { Arc::from_raw(value) }
}

/// Gives up a share of a value.
///
/// # Safety
///
/// `value` was made by `Arc::<T>::into_raw`, and the share is the caller's.
#[cold]
#[inline(never)]
unsafe fn give_up<T>(value: *mut ()) {
    // SAFETY: as the caller says.
    drop(unsafe { Arc::from_raw(value.cast::<T>()) });
}

fn into_raw<T>(value: Option<Arc<T>>) -> *mut T {
    value.map_or(ptr::null_mut(), |value| Arc::into_raw(value).cast_mut())
}

impl<T> From<Option<Arc<T>>> for AtomicArc<T> {
    fn from(value: Option<Arc<T>>) -> Self {
        Self {
            value: AtomicPtr::new(into_raw(value)),
            _owns: PhantomData,
        }
    }
}

impl<T> Default for AtomicArc<T> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<T> Drop for AtomicArc<T> {
    fn drop(&mut self) {
        // Somebody may hold it still.
        self.store(None);
    }
}

impl<T> Held<T> {
    /// The value, for as long as one likes.
    pub fn to_arc(&self) -> Arc<T> {
        // SAFETY: it was made by `Arc::into_raw` and lives as long as `self`.
        unsafe { another_share(self.value.as_ptr()) }
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the place, or the share, keeps it alive as long as `self` is there.
        unsafe { self.value.as_ref() }
    }
}

impl<T> Drop for Held<T> {
    #[inline]
    fn drop(&mut self) {
        match self.place {
            Some(place) => place.clear(),
            // SAFETY: the share is this one's own.
            None => unsafe { give_up::<T>(self.value.as_ptr().cast()) },
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for AtomicArc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AtomicArc").field(&self.load()).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}

/// Does what a thread's first load would do as well, which allocates: so that it does
/// not happen where time counts.
pub fn prepare_thread() {
    let _ = domain::vacant_place();
}

/// Whether the calling thread holds the value at this address, so that it does not end
/// before the thread lets go of it. Values are not found that the thread holds by a share of
/// its own, as it does beyond a number.
pub fn holds(address: usize) -> bool {
    domain::holds(address)
}
