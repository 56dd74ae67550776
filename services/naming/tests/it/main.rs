//! Tests of the naming service and of its stores.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod damage;
mod etcd;
mod iterators;
mod programs;
mod store;
mod store_leases;
