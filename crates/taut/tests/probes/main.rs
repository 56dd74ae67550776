//! Steps of calls that are noted, and parts of a request's way that are counted: what the
//! feature `probes` adds.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../it/common/mod.rs"]
mod common;
mod demultiplexing;
mod steps;
