//! The Portable Object Adapter (CORBA 3.3 part 1, 15), through its public interface
//! and through requests that another ORB sends over TCP.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../common/mod.rs"]
mod common;
mod house;
mod keepers;

mod activation;
mod activators;
mod adapter_activators;
mod current;
mod default_servants;
mod demultiplexing;
mod hierarchy;
mod keys;
mod locators;
mod managers;
mod operations;
mod persistence;
mod plain_keys;
mod policies;
mod races;
mod references;
mod single_thread;
