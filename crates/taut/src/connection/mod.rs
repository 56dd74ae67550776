//! The client's connections, kept from call to call: each for one call at a time
//! (the *exclusive* strategy), or one for all (*shared*).

#[cfg(feature = "oneway-queue")]
mod batch;
mod budget;
mod cache;
#[cfg(feature = "bidirectional")]
mod carrier;
mod client;
#[cfg(feature = "oneway-queue")]
mod courier;
mod endpoint;
mod endpoint_key;
mod fault;
mod idle_watch;
mod incoming;
mod landing;
mod outgoing;
#[cfg(feature = "oneway-queue")]
mod queue;
#[cfg(feature = "shared-connections")]
mod shared;
#[cfg(feature = "oneway-queue")]
mod turns;

pub(crate) use cache::ConnectionCache;
#[cfg(feature = "bidirectional")]
pub(crate) use carrier::{Bidirectional, Carrier};
pub(crate) use client::ClientConnection;
#[cfg(any(feature = "oneway-queue", feature = "shared-connections"))]
pub(crate) use client::MAX_REQUEST_ID;
#[cfg(feature = "oneway-queue")]
pub(crate) use endpoint::NotTaken;
pub(crate) use endpoint::{Endpoint, Lease, LeaseError};
pub(crate) use endpoint_key::EndpointKey;
pub(crate) use fault::ConnectionFault;
pub(crate) use outgoing::Outgoing;
#[cfg(feature = "bidirectional")]
pub(crate) use shared::Origin;
#[cfg(feature = "shared-connections")]
pub(crate) use shared::{NoReply, Sending, SharedConnection};
