//! Notes of no threads: in the shape `minimal` there is no reactor.

use std::sync::Arc;

/// Whether a thread of a reactor waits for a reply.
#[derive(Debug, Default)]
pub(crate) struct NestedCall;

impl NestedCall {
    pub(crate) fn watch_this_thread(_: &Arc<Self>) {}

    pub(crate) fn is_waiting(&self) -> bool {
        false
    }
}

/// Notes nothing.
pub(crate) fn note() -> impl Sized {}
