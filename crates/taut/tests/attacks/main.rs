//! The cost of hostile peers: their own connection, and nothing else.
//!
//! Each attack runs against connections with threads of their own and against
//! those that share threads, while a well-behaved client goes on calling. The assertions
//! are about counts: how many attackers were sent away and with which message, that an
//! event tells of each by its address, and how much memory all of them got. How much slower
//! the well-behaved client becomes is measured by `cargo xtask bench attacks`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod arena;
mod attacker;
#[path = "../it/common/mod.rs"]
mod common;
mod memory;

mod client_side;
mod connects;
mod exhaustion;
mod floods;
mod fragments;
mod lies;
mod panics;
mod slow;
