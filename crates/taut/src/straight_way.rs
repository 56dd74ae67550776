//! Whether the calling thread's calls may go the straight way.
//!
//! Nearly all calls need nothing but a connection that is open. Those of a thread that
//! others watch, that has a deadline, policies or a priority, or whose calls have a context go another way,
//! so that all others pay one comparison for all of this.

use std::cell::Cell;

/// The thread is one of a reactor, which has to know when it waits.
pub(crate) const WATCHED: u8 = 1;

/// The thread's calls have a deadline.
pub(crate) const LIMITED: u8 = 2;

/// The thread's calls have a context.
pub(crate) const IN_CONTEXT: u8 = 4;

/// The thread's calls have policies.
pub(crate) const GOVERNED: u8 = 8;

/// The thread has a CORBA priority.
pub(crate) const PRIORITIZED: u8 = 16;

thread_local! {
    /// [`WATCHED`], [`LIMITED`], [`IN_CONTEXT`], [`GOVERNED`], [`PRIORITIZED`].
    static REASONS: Cell<u8> = const { Cell::new(0) };
}

/// Returns whether the calling thread's calls may go the straight way.
#[inline(always)]
pub(crate) fn is_open() -> bool {
    REASONS.get() == 0
}

/// Returns whether this reason against the straight way holds for the calling thread.
#[inline(always)]
pub(crate) fn is_closed_by(reason: u8) -> bool {
    REASONS.get() & reason != 0
}

/// Notes whether this reason against the straight way holds for the calling thread.
pub(crate) fn close_by(reason: u8, holds: bool) {
    let others = REASONS.get() & !reason;
    REASONS.set(if holds { others | reason } else { others });
}

/// Runs `run`, a part of a program whose calls have the context of the thread, or have not:
/// servants and other code of the application that calls lead to.
pub(crate) fn in_context<R>(holds: bool, run: impl FnOnce() -> R) -> R {
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            close_by(IN_CONTEXT, self.0);
        }
    }
    let _restored = Restored(is_closed_by(IN_CONTEXT));
    close_by(IN_CONTEXT, holds);
    run()
}
