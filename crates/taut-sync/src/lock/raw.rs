//! The locks of `lock_api`, of this kind.
#![allow(unsafe_code)]

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use lock_api::{GetThreadId, GuardNoSend, RawMutexTimed};

use super::algorithm::Lock;
use super::word::Futex;

/// A lock without the value that it guards.
#[derive(Debug)]
pub struct RawMutex(Lock<Futex>);

/// A lock, and the value that only its holder sees.
pub type Mutex<T> = lock_api::Mutex<RawMutex, T>;

/// The value of a [`Mutex`], for its holder.
pub type MutexGuard<'m, T> = lock_api::MutexGuard<'m, RawMutex, T>;

/// A lock that its holder can take again.
pub type ReentrantMutex<T> = lock_api::ReentrantMutex<RawMutex, ThreadIdentity, T>;

/// The value of a [`ReentrantMutex`], for its holder.
pub type ReentrantMutexGuard<'m, T> =
    lock_api::ReentrantMutexGuard<'m, RawMutex, ThreadIdentity, T>;

// SAFETY: `Lock::try_take` and `Lock::take` return only when the word has gone from free to
// taken by this thread, with acquire ordering, and only `Lock::give_back` sets it free, with
// release ordering. So there is one holder at a time, which sees what those before it did.
unsafe impl lock_api::RawMutex for RawMutex {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: Self = Self(Lock::of(Futex::new(0)));

    type GuardMarker = GuardNoSend;

    #[inline]
    fn lock(&self) {
        self.0.take();
    }

    #[inline]
    fn try_lock(&self) -> bool {
        self.0.try_take()
    }

    #[inline]
    unsafe fn unlock(&self) {
        self.0.give_back();
    }

    #[inline]
    fn is_locked(&self) -> bool {
        self.0.is_taken()
    }
}

// SAFETY: `Lock::wait_for` returns true only when it has taken the lock, as above.
unsafe impl RawMutexTimed for RawMutex {
    type Duration = Duration;
    type Instant = Instant;

    fn try_lock_for(&self, timeout: Duration) -> bool {
        // A time that the clock cannot tell does not come.
        self.0.try_take() || self.0.wait_for(Instant::now().checked_add(timeout))
    }

    fn try_lock_until(&self, deadline: Instant) -> bool {
        self.0.try_take() || self.0.wait_for(Some(deadline))
    }
}

/// Tells threads apart.
#[derive(Debug)]
pub struct ThreadIdentity;

// SAFETY: threads that live at the same time have variables of their own, at addresses of
// their own, none of which is zero.
unsafe impl GetThreadId for ThreadIdentity {
    const INIT: Self = Self;

    #[inline]
    fn nonzero_thread_id(&self) -> NonZeroUsize {
        thread_local!(static OWN: u8 = const { 0 });
        OWN.with(|own| NonZeroUsize::MIN | std::ptr::from_ref(own).addr() << 1)
    }
}
