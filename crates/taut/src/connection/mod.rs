//! The client's connections: one call at a time on each (the *exclusive*
//! strategy), kept for the next call.

mod cache;
mod client;
mod endpoint;
mod outgoing;

pub(crate) use cache::ConnectionCache;
pub(crate) use client::{ClientConnection, ConnectionFault, reserve_for};
pub(crate) use endpoint::{Endpoint, Lease, LeaseError};
pub(crate) use outgoing::Outgoing;
