//! Traces and metrics, as a program sees them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;
mod fields;
mod spans;
mod w3c;
