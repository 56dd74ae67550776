//! The Portable Object Adapter (CORBA 3.3 part 1, 15), through its public interface
//! and through requests that another ORB sends over TCP.

#[cfg_attr(
    not(feature = "full"),
    allow(dead_code, reason = "small shapes have a part of the tests")
)]
mod house;

mod activation;
mod demultiplexing;
mod keys;
mod plain_keys;
mod references;

#[cfg(feature = "full")]
mod activators;
#[cfg(feature = "full")]
mod adapter_activators;
#[cfg(feature = "full")]
mod current;
#[cfg(feature = "full")]
mod default_servants;
#[cfg(feature = "full")]
mod hierarchy;
#[cfg(feature = "full")]
mod keepers;
#[cfg(feature = "full")]
mod locators;
#[cfg(feature = "full")]
mod managers;
#[cfg(feature = "full")]
mod operations;
#[cfg(feature = "full")]
mod persistence;
#[cfg(feature = "full")]
mod policies;
#[cfg(feature = "full")]
mod races;
#[cfg(feature = "full")]
mod single_thread;
#[cfg(feature = "full")]
mod user_code;
