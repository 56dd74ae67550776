//! The client's connections, kept from call to call: each for one call at a time
//! (the *exclusive* strategy), or one for all (*shared*).

#[cfg_attr(not(feature = "full"), path = "asynchronous_absent.rs")]
pub(crate) mod asynchronous;
mod batch;
mod budget;
mod cache;
mod client;
mod endpoint;
mod endpoint_key;
mod fault;
#[cfg_attr(not(feature = "full"), path = "flow_control_absent.rs")]
mod flow_control;
#[cfg_attr(not(feature = "full"), path = "greeting_absent.rs")]
mod greeting;
mod idle_watch;
mod incoming;
mod landing;
mod oneway_sender;
mod outgoing;
mod patience;
mod queue;
mod roles;
mod shared;
mod turns;

pub(crate) use cache::ConnectionCache;
pub(crate) use client::ClientConnection;
pub(crate) use client::MAX_REQUEST_ID;
pub(crate) use endpoint::NotTaken;
pub(crate) use endpoint::{Endpoint, Lease, LeaseError};
pub(crate) use endpoint_key::{Band, EndpointKey, PrivateId};
pub(crate) use fault::ConnectionFault;
pub(crate) use flow_control::FlowWatch;
#[cfg(feature = "full")]
pub(crate) use greeting::GREETING_ID;
pub(crate) use outgoing::Outgoing;
pub(crate) use patience::Patience;
pub(crate) use queue::Batching;
pub(crate) use roles::{Bidirectional, ServerRole};
pub(crate) use shared::Origin;
pub(crate) use shared::{NoReply, Sending, SharedConnection};
