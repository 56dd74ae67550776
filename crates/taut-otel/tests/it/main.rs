//! Traces and metrics, as a program sees them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod fields;
mod w3c;
