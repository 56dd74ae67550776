//! The command `taut`, run as its users run it.

mod call;
mod docs;
mod foreign;
mod giop;
mod idl;
mod inputs;
mod ior;
mod linearizability;
mod mock;
mod mocked;
mod name;
mod name_copy;
mod name_full_disk;
mod name_json;
mod name_kills;
mod name_leases;
mod name_packaging;
mod name_replicas;
mod name_serve;
mod record;
mod schedule;
mod schedule_serve;
mod served;
mod sessions;
mod shell;
mod support;
