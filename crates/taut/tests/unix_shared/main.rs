//! The same tests once more for connections over Unix-domain sockets that calls share.

#![allow(
    clippy::duplicate_mod,
    reason = "each file is a test of its own as well, and has what it needs"
)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../calls.rs"]
mod calls;
#[path = "../lifecycle.rs"]
mod lifecycle;
