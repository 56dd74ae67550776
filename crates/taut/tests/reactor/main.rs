//! All that holds for connections with a thread of their own holds for those
//! that share threads: the same tests once more. And what only a reactor does.

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
#[path = "../large_sequences.rs"]
mod large_sequences;
#[path = "../lifecycle.rs"]
mod lifecycle;
mod sharing;
