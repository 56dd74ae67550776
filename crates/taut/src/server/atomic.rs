//! The atomic numbers of what is tried in every order of events: those of
//! `loom` where that test is built.

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU64, Ordering};
