//! Values that threads share, and ways for threads to meet.
//!
//! - [`hazard`]: shared values that are read without counting;
//! - [`slot_table`]: entries that are found by index and told apart by generation;
//! - [`erased`]: shared values whose type is not told;
//! - [`ring`]: the last records of one thread, which others read meanwhile;
//! - [`rendezvous`]: having another thread do something with what one has borrowed;
//! - [`threads`]: starting threads;
//! - [`lock`]: locks and condition variables;
//! - [`primitives`]: locks and atomics, or their models where `loom` tries the code that
//!   is made of them in every order of events.
//!
//! Not here: anything of CORBA, and sockets (`taut-sys`).

pub mod erased;
pub mod hazard;
pub mod lock;
pub mod primitives;
pub mod rendezvous;
pub mod ring;
pub mod slot_table;
pub mod threads;

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
