//! Which of a reactor's threads wait for the reply to a call that a servant makes.
//!
//! Where all of them do, none is left for the requests that their callees may make in
//! turn. The reactor's supervisor has to know that; a thread that serves no reactor pays
//! one comparison for it.

#[cfg_attr(not(feature = "full"), path = "nested_calls/watched_absent.rs")]
mod watched;

pub(crate) use watched::{NestedCall, note};

/// Waits for a reply, or for what a call needs before it can be made.
pub(crate) fn wait<T>(wait: impl FnOnce() -> T) -> T {
    let _waiting = note();
    wait()
}
