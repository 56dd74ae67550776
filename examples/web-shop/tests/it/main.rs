//! The web service in front of its CORBA servers, over HTTP.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod answers;
mod cancellation;
mod common;
mod crowd;
mod demonstration;
mod trace;
