//! The ORB from outside: all tests that share a process with others.
//!
//! A test that counts threads, memory or descriptors of the process is one of `alone` or
//! `attacks`, or runs in a process of its own (`test_tools::in_own_process`). A case that holds
//! in several modes is a function that `common::mode::for_each_mode` makes tests of.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

mod byte_order;
mod calls;
mod code_sets;
mod forwarding;
mod hostile;
mod large_replies;
mod large_sequences;
mod lifecycle;
mod limits;
mod pipelined;
mod poa;
mod socket_buffers;
mod unix;

#[cfg(feature = "full")]
mod asynchronous;
#[cfg(feature = "full")]
mod bidirectional;
#[cfg(feature = "full")]
mod client_connections;
#[cfg(feature = "full")]
mod collocation;
#[cfg(feature = "full")]
mod deferred;
#[cfg(feature = "full")]
mod gioplite;
#[cfg(feature = "full")]
mod history;
#[cfg(feature = "full")]
mod interceptors;
#[cfg(feature = "full")]
mod main_thread;
#[cfg(feature = "full")]
mod oneways;
#[cfg(feature = "full")]
mod persistent_addresses;
#[cfg(feature = "full")]
mod poa_guide;
#[cfg(feature = "full")]
mod policies;
#[cfg(feature = "full")]
mod reactor;
#[cfg(feature = "full")]
mod real_time;
#[cfg(feature = "full")]
mod shared;
#[cfg(feature = "full")]
mod waiting;
