//! The scheduling service in one process.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod fixture;
mod look_ups;
mod privileged;
mod runs;
mod schedules;
mod table;
