//! Values that readers may hold while they are revoked.

use std::fmt;
use std::ptr::NonNull;

use super::domain::{Loan, NoLoans};
use super::sync::{Arc, Ordering};
use super::{AtomicArc, Held};

/// An `Arc` until it is revoked, once and for all; what nothing else ever takes the place
/// of is lent in fewer steps than an [`AtomicArc`] is loaded.
pub struct Revocable<T> {
    /// The value that is in `current`, or was until it was revoked.
    value: NonNull<T>,
    current: AtomicArc<T>,
}

// SAFETY: what `value` points to is that of `current`, which may be sent if the `Arc` may.
unsafe impl<T: Send + Sync> Send for Revocable<T> {}
// SAFETY: it is lent, and passed on, as by `current`.
unsafe impl<T: Send + Sync> Sync for Revocable<T> {}

impl<T: Send + Sync + 'static> Revocable<T> {
    /// There until it is revoked.
    pub fn new(value: Arc<T>) -> Self {
        Self {
            value: NonNull::from(&*value),
            current: AtomicArc::from(Some(value)),
        }
    }
}

impl<T> Revocable<T> {
    /// Lends the value, and what `find` finds in it, to `borrow`; it lives meanwhile,
    /// revoked or not.
    /// `otherwise` is called instead when there is no such thing or the value has been
    /// revoked, and also when the thread has not [loaded](Self::load) anything yet, when it
    /// has borrowed too much already, or where the system does not help. Whichever is
    /// called gets the `state`.
    #[inline(always)]
    pub fn lend<S, U, R>(
        &self,
        state: S,
        find: impl FnOnce(&T) -> Option<&U>,
        borrow: impl FnOnce(S, &T, &U) -> R,
        otherwise: impl FnOnce(S) -> R,
    ) -> R
    where
        U: ?Sized,
    {
        let value = self.value;
        // SAFETY: it ends with this function, as all that begin meanwhile have before.
        let loan = unsafe { Loan::begin(value.as_ptr().cast()) };
        if loan.is_some()
            && self.current.value.load(Ordering::Acquire) == value.as_ptr()
            // SAFETY: it was there after it had been shown, so a thread that takes it away sees
            // that it is held, until the loan ends.
            && let lent = unsafe { value.as_ref() }
            && let Some(found) = find(lent)
        {
            return borrow(state, lent, found);
        }
        abandon(loan, state, otherwise)
    }

    /// The value, unless it has been revoked.
    pub fn load(&self) -> Option<Held<T>> {
        self.current.load()
    }

    /// Whether it has been revoked.
    pub fn is_revoked(&self) -> bool {
        self.current.is_empty()
    }

    /// Takes the value away. It ends when nobody borrows or holds it any more.
    pub fn revoke(&self) {
        if !self.is_revoked() {
            self.current.store(None);
        }
    }
}

/// Runs a part of a program in which [`Revocable::lend`] calls `otherwise` in this thread,
/// whatever there is to lend: where something else has to be looked at first.
pub fn without_lending<R>(run: impl FnOnce() -> R) -> R {
    let _none = NoLoans::begin();
    run()
}

/// Ends a loan that leads to nothing. It is a function of its own, so that what is needed
/// after it is not saved by those who do without.
#[cold]
#[inline(never)]
fn abandon<S, R>(loan: Option<Loan>, state: S, otherwise: impl FnOnce(S) -> R) -> R {
    drop(loan);
    otherwise(state)
}

impl<T> fmt::Debug for Revocable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Revocable")
            .field("is_revoked", &self.is_revoked())
            .finish_non_exhaustive()
    }
}
