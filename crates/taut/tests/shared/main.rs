//! All that holds for clients with exclusive connections holds for those that
//! share one: the same tests once more. And what only a shared connection does.

#![allow(
    clippy::duplicate_mod,
    reason = "each file is a test of its own as well, and has what it needs"
)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../calls.rs"]
mod calls;
#[path = "../forwarding.rs"]
mod forwarding;
mod fragments;
mod half_close;
#[path = "../large_sequences.rs"]
mod large_sequences;
#[path = "../lifecycle.rs"]
mod lifecycle;
mod multiplexing;
mod sharing;
