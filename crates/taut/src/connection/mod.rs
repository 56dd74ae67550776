//! The client's connections, kept from call to call: each for one call at a time
//! (the *exclusive* strategy), or one for all (*shared*).

mod budget;
mod cache;
mod carrier;
mod client;
mod courier;
mod endpoint;
mod fault;
mod incoming;
mod outgoing;
mod shared;

pub(crate) use cache::ConnectionCache;
pub(crate) use carrier::{Bidirectional, Carrier};
pub(crate) use client::ClientConnection;
pub(crate) use courier::NotTaken;
pub(crate) use endpoint::{Endpoint, Lease, LeaseError};
pub(crate) use fault::ConnectionFault;
pub(crate) use outgoing::Outgoing;
pub(crate) use shared::{NoReply, Origin, SharedConnection};
