//! The command `taut`, run as its users run it.

mod call;
mod docs;
mod giop;
mod idl;
mod inputs;
mod ior;
mod linearizability;
mod name;
mod name_copy;
mod name_kills;
mod name_leases;
mod name_replicas;
mod name_serve;
mod schedule;
mod schedule_serve;
mod served;
mod shell;
mod support;
