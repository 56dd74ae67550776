//! Shared values that many read and few replace: reading one counts nothing that
//! other threads see, so it costs no atomic read-modify-write (hazard pointers).
//!
//! - `domain`: which thread has its eyes on what;
//! - `reclaim`: what was taken away meanwhile, and ends later;
//! - `control`: the threads in which it ends, which read nothing;
//! - `barrier`: fences that cost nothing where readers are;
//! - `revocable`: what never changes until it is taken away, for fewer moves still.

#![allow(unsafe_code)]

mod barrier;
#[cfg(not(loom))]
mod control;
mod domain;
mod reclaim;
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
#[cfg(not(loom))]
use std::time::{Duration, Instant};

use domain::Place;
pub use revocable::{Revocable, without_lending};
use sync::{Arc, AtomicPtr, Ordering};

/// A place for an `Arc`, or none, that can be exchanged while others read it.
///
/// A value that was [loaded](Self::load) lives until the thread lets go of it, whatever
/// takes its place. A value that is held when it is taken away ends in a thread of its own,
/// once nobody holds it: the thread that reads it never ends it.
///
/// Exchanging costs a system call and a look at every thread that has ever loaded
/// anything; loading costs three moves.
pub struct AtomicArc<T> {
    /// Null, or made by `Arc::into_raw`; this has a share of it. Only [`empty`](Self::empty)
    /// and `from` make one, of values that may end in any thread and at any time.
    value: AtomicPtr<T>,
    _owns: PhantomData<Arc<T>>,
}

/// A value that was loaded from an [`AtomicArc`].
pub struct Held<T> {
    value: NonNull<T>,
    /// The protection that keeps the value alive: a place of this thread's where others see
    /// that it is held. None: a share of its own.
    place: Option<&'static Place>,
    /// The place belongs to the thread.
    _stays: PhantomData<*const Arc<T>>,
}

/// How often a reader tries again whose value was exchanged under its eyes.
const TRIES: usize = 8;

impl<T: Send + Sync + 'static> AtomicArc<T> {
    /// Nothing yet.
    pub fn empty() -> Self {
        Self::from(None)
    }
}

impl<T> AtomicArc<T> {
    /// Loads the current value, which stays alive while it is held.
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
        // A thread that exchanges the value from here on sees that it is held.
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

    /// Loads the current value with a share of its own: for threads that hold more than
    /// they have places, that are about to end, or that are disturbed too often.
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
        // No other value can have the address of one that is held.
        self.value.load(Ordering::Acquire) == held.value.as_ptr()
    }

    /// Whether nothing is there.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.value.load(Ordering::Acquire).is_null()
    }

    /// Returns a share of the current value, to be kept as long as one likes.
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
            let value = value.cast();
            // SAFETY: the share is given up once, here: nobody finds it in the place
            // any more. The value may end in any thread and at any time.
            unsafe { domain::get().retire(value, value, give_up::<T>) };
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

/// Gives up the share of a reader. If it is the last, the value ends later, and elsewhere.
///
/// # Safety
///
/// `value` was made by `Arc::<T>::into_raw`, is an [`AtomicArc`]'s, and the share is the
/// caller's.
#[cold]
#[inline(never)]
#[cfg(not(loom))]
unsafe fn give_up_counted<T>(value: *mut T) {
    // SAFETY: as the caller says.
    let share = unsafe { Arc::from_raw(value) };
    if let Some(last) = Arc::into_inner(share) {
        let last = Box::into_raw(Box::new(last));
        // SAFETY: it is the only one, and may end in any thread and at any time.
        unsafe { domain::get().defer(last.cast(), end_box::<T>) };
    }
}

/// The same, where loom tries it: its `Arc` does not tell whose share was the last.
///
/// # Safety
///
/// As above.
#[cfg(loom)]
unsafe fn give_up_counted<T>(value: *mut T) {
    // SAFETY: as the caller says.
    unsafe { give_up::<T>(value.cast()) };
}

/// Ends what is in a box.
///
/// # Safety
///
/// `value` was made by `Box::<T>::into_raw`, and is the caller's.
unsafe fn end_box<T>(value: *mut ()) {
    // SAFETY: as the caller says.
    drop(unsafe { Box::from_raw(value.cast::<T>()) });
}

/// Drops a value and then its companion once no thread holds the value: at once if none
/// does, else in a thread of its own. The caller has taken the value out of where others
/// found it.
pub fn end_with<T, C>(value: Arc<T>, companion: C)
where
    T: Send + Sync + 'static,
    C: Send + 'static,
{
    let address = Arc::as_ptr(&value).cast_mut().cast();
    // Dropped in this order.
    let both = Box::into_raw(Box::new((value, companion)));
    // SAFETY: they are dropped once, and may be in any thread and at any time.
    unsafe { domain::get().retire(address, both.cast(), end_box::<(Arc<T>, C)>) };
}

fn into_raw<T>(value: Option<Arc<T>>) -> *mut T {
    value.map_or(ptr::null_mut(), |value| Arc::into_raw(value).cast_mut())
}

impl<T: Send + Sync + 'static> From<Option<Arc<T>>> for AtomicArc<T> {
    fn from(value: Option<Arc<T>>) -> Self {
        Self {
            value: AtomicPtr::new(into_raw(value)),
            _owns: PhantomData,
        }
    }
}

impl<T: Send + Sync + 'static> Default for AtomicArc<T> {
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
            None => unsafe { give_up_counted(self.value.as_ptr()) },
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

/// Has each control thread that starts from now on do this first, such as to set its priority,
/// unless something else has been said before.
pub fn begin_control_threads_with(begin: Box<dyn Fn() + Send + Sync>) {
    #[cfg(not(loom))]
    control::begin_with(begin);
    // No control thread runs under loom.
    #[cfg(loom)]
    drop(begin);
}

/// Does what a thread's first load would do as well, which allocates: so that it does
/// not happen where time counts.
pub fn prepare_thread() {
    let _ = domain::vacant_place();
}

/// Waits until those values have ended that were taken away and nobody holds now, but no
/// longer than this. Not for code that may be part of the end of one.
#[cfg(not(loom))]
pub fn settle(patience: Duration) {
    if let Some(deadline) = Instant::now().checked_add(patience) {
        domain::get().settle(deadline);
    }
}

/// Whether the calling thread holds the value at this address, so that it does not end
/// before the thread lets go of it. Values are not found that the thread holds by a share of
/// its own, as it does beyond a number.
pub fn holds(address: usize) -> bool {
    domain::holds(address)
}
