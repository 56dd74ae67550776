//! The command `taut`, run as its users run it.

mod docs;
mod giop;
mod idl;
mod inputs;
mod ior;
mod name;
mod schedule;
mod shell;
mod support;
