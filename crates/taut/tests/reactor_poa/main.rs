//! What holds for requests to a POA holds for those that share threads: where they
//! wait, run for long and come at once, the same tests once more.

#![allow(
    clippy::duplicate_mod,
    reason = "each file is a test of its own as well, and has what it needs"
)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(dead_code, reason = "these tests use a part of what there is")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../attacks/events.rs"]
mod events;
#[path = "../poa/house.rs"]
mod house;
#[path = "../poa/keepers.rs"]
mod keepers;

#[path = "../poa/activators.rs"]
mod activators;
#[path = "../poa/adapter_activators.rs"]
mod adapter_activators;
#[path = "../poa/current.rs"]
mod current;
#[path = "../poa/hierarchy.rs"]
mod hierarchy;
#[path = "../poa/locators.rs"]
mod locators;
#[path = "../poa/managers.rs"]
mod managers;
#[path = "../poa/races.rs"]
mod races;
#[path = "../poa/single_thread.rs"]
mod single_thread;
#[path = "../poa/user_code.rs"]
mod user_code;
