//! The contexts of requests whose servants run in this thread.

use std::cell::RefCell;

use opentelemetry::{Context, ContextGuard};

thread_local! {
    /// The requests that the thread carries out, the innermost last.
    static ATTACHED: RefCell<Vec<(u32, ContextGuard)>> = const { RefCell::new(Vec::new()) };
}

/// Makes a request's context that of the thread.
pub(crate) fn attach(request: u32, context: Context) {
    let guard = context.attach();
    ATTACHED.with_borrow_mut(|attached| attached.push((request, guard)));
}

/// Takes a request's context from the thread, if it is there.
pub(crate) fn detach(request: u32) {
    // The guard is dropped when the list is free again, for a span may end with it.
    let _guard = ATTACHED.with_borrow_mut(|attached| {
        let at = attached.iter().rposition(|(other, _)| *other == request)?;
        Some(attached.remove(at))
    });
}
