//! Counts of a whole process: the octets that all its threads allocate, and the threads.
//! Each such test runs in a process of its own.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod allocations;
#[cfg(feature = "full")]
mod asynchronous;
#[path = "../it/common/mod.rs"]
mod common;
#[cfg(feature = "full")]
mod deferred;
#[cfg(feature = "full")]
mod left_behind;
mod memory;
#[cfg(feature = "full")]
mod real_time;
#[cfg(feature = "full")]
mod real_time_calls;
#[cfg(feature = "full")]
mod threads;
