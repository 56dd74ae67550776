//! Tests of the naming service and of its stores.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[cfg(feature = "metrics")]
mod counters;
mod damage;
mod etcd;
mod iterators;
mod permission;
mod programs;
mod store;
mod store_leases;
