//! The client's connections: one call at a time on each (the *exclusive*
//! strategy), kept for the next call.

mod cache;
mod client;
mod endpoint;
mod fault;
mod incoming;
mod outgoing;

pub(crate) use cache::ConnectionCache;
pub(crate) use client::{ClientConnection, reserve_for};
pub(crate) use endpoint::{Endpoint, Lease, LeaseError};
pub(crate) use fault::ConnectionFault;
pub(crate) use outgoing::Outgoing;
