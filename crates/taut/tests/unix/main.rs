//! All that holds for connections over TCP holds for those over Unix-domain sockets: the
//! same tests once more. And what only these have.

#![allow(
    clippy::duplicate_mod,
    reason = "each file is a test of its own as well, and has what it needs"
)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[cfg(feature = "full")]
#[path = "../bidirectional.rs"]
mod bidirectional;
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
#[path = "../limits.rs"]
mod limits;
mod peers;
mod routes;
mod sockets;
