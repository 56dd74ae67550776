//! The services of the operating system that Taut uses, behind safe functions.
//!
//! - [`stream`]: stream sockets that receive into a vector's spare capacity, one
//!   system call each way for a message: [`tcp`], and [`unix`] within a machine;
//! - [`socket_options`]: how the system queues, marks, paces and polls for a connection;
//! - [`poll`]: waiting for many sockets at once;
//! - [`cpu`]: which CPUs a thread may run on;
//! - [`descriptors`]: how many files and sockets a process may have;
//! - [`entropy`]: random octets;
//! - [`mod@file`]: files that change as a whole;
//! - [`host`]: this machine, as others see it;
//! - [`memory`]: memory that the C library keeps for later;
//! - [`priority`]: how the system schedules threads, and their priorities;
//! - [`return_stack`]: what the processor expects functions to return to;
//! - [`ticks`]: a counter for short times;
//! - [`usage`]: page faults and context switches.
//!
//! Not here: anything of CORBA, and every policy: callers decide what to do
//! with an error.

pub mod cpu;
mod credentials;
pub mod descriptors;
pub mod entropy;
pub mod file;
pub mod host;
mod info;
pub mod memory;
pub mod poll;
pub mod priority;
pub mod return_stack;
mod scatter;
pub mod socket_options;
pub mod stream;
pub mod tcp;
pub mod ticks;
pub mod unix;
pub mod usage;
mod zero_copy;

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
