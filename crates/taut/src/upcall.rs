//! Calls of servants: how many a thread is in, and what a panic costs.

use std::cell::Cell;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

thread_local! {
    /// How many up-calls this thread is in.
    static UPCALLS: Cell<usize> = const { Cell::new(0) };
}

/// Whether the calling thread runs a servant at this moment.
pub(crate) fn is_in_upcall() -> bool {
    UPCALLS.get() > 0
}

/// Runs what calls a servant. None when it panics.
#[inline]
pub(crate) fn run<R>(call: impl FnOnce() -> R) -> Option<R> {
    UPCALLS.set(UPCALLS.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    UPCALLS.set(UPCALLS.get() - 1);
    outcome.ok()
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
