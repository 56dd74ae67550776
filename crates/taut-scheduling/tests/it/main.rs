//! The tests of scheduling: by an oracle, by examples of the literature, by data.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod build_time;
mod chains;
mod dispatcher;
mod examples;
mod file;
mod measured;
mod oracle;
mod schedule;
mod timeline;
