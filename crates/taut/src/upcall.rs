//! Calls of servants: whether a thread is in one, and what a panic costs.

use std::cell::Cell;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

#[cfg(feature = "collocation")]
use crate::sync::has_loan;

thread_local! {
    /// How many up-calls this thread is in.
    static UPCALLS: Cell<usize> = const { Cell::new(0) };
}

/// Whether the calling thread runs a servant at this moment.
pub(crate) fn is_in_upcall() -> bool {
    // Nothing else than servants is lent.
    #[cfg(feature = "collocation")]
    if has_loan() {
        return true;
    }
    UPCALLS.get() > 0
}

/// Runs what calls a servant. None when it panics.
#[inline(always)]
pub(crate) fn run<R>(call: impl FnOnce() -> R) -> Option<R> {
    let _upcall = Upcall::enter();
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// That the thread is in an up-call.
pub(crate) struct Upcall(());

impl Upcall {
    /// Begins one, whose panics are the caller's.
    #[inline]
    pub(crate) fn enter() -> Self {
        UPCALLS.set(UPCALLS.get() + 1);
        Self(())
    }
}

impl Drop for Upcall {
    #[inline]
    fn drop(&mut self) {
        UPCALLS.set(UPCALLS.get() - 1);
    }
}

/// What a panic costs the caller of the servant, and nobody else.
#[cold]
pub(crate) fn panicked(request: &dyn Debug) -> SystemException {
    tracing::error!(?request, "a servant panicked");
    SystemException::new(
        SystemExceptionKind::Unknown,
        minor::SERVANT_PANICKED,
        CompletionStatus::Maybe,
    )
}
