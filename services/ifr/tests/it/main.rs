//! The interface repository, as clients see it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failed unwrap is a failed test"
)]

mod changes;
mod fixture;
mod idl;
mod own;
mod random;
mod steps;
mod store;

taut::include_idl!("bank");
