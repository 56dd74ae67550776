//! Calls of servants: whether a thread is in one, and what a panic costs.

use std::any::Any;
use std::cell::Cell;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

#[cfg(feature = "collocation")]
use crate::sync::has_loan;

thread_local! {
    /// How many up-calls this thread is in.
    static UPCALLS: Cell<usize> = const { Cell::new(0) };
    /// What the last panic said that this thread has caught, until it is reported.
    static PANIC_TEXT: Cell<Option<String>> = const { Cell::new(None) };
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
    catch_unwind(AssertUnwindSafe(call)).map_err(keep_text).ok()
}

/// Keeps what a panic says until [`panicked`] reports it.
#[cold]
#[inline(never)]
fn keep_text(panic: Box<dyn Any + Send>) {
    PANIC_TEXT.set(Some(panic_text(&*panic)));
}

/// The text of a panic, as `panic!` makes it; others have none.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return (*text).to_owned();
    }
    match panic.downcast_ref::<String>() {
        Some(text) => text.clone(),
        None => "a panic without text".to_owned(),
    }
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

/// Takes the text of the panic that this thread has caught last.
#[cold]
pub(crate) fn take_panic_text() -> String {
    PANIC_TEXT.take().unwrap_or_default()
}

/// Reports a panic of a servant that this thread has caught, and returns what its caller,
/// and nobody else, gets for it. The caller is called `peer`.
#[cold]
pub(crate) fn panicked(peer: &str, object_key: &[u8], request: &dyn Debug) -> SystemException {
    let panic = take_panic_text();
    let object_key = object_key.escape_ascii();
    tracing::error!(peer, %object_key, ?request, panic, "a servant panicked");
    SystemException::new(
        SystemExceptionKind::Unknown,
        minor::SERVANT_PANICKED,
        CompletionStatus::Maybe,
    )
    .because(panic)
}

/// The caller of a servant in its own process, for the events about panics.
#[cfg(feature = "collocation")]
pub(crate) const THIS_PROCESS: &str = "this process";
