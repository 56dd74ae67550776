//! All that holds for threads that sleep while they wait holds for those that spin: the
//! same tests once more.

#![allow(
    clippy::duplicate_mod,
    reason = "each file is a test of its own as well, and has what it needs"
)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../calls.rs"]
mod calls;
#[path = "../forwarding.rs"]
mod forwarding;
#[path = "../hostile.rs"]
mod hostile;
#[path = "../lifecycle.rs"]
mod lifecycle;
