//! Ports for servers that are told where to listen.

use std::net::{Ipv4Addr, TcpListener};

use crate::error::HarnessError;

/// A TCP port of the loopback that was free a moment ago.
///
/// # Errors
///
/// [`HarnessError::Resource`] when there is none.
pub fn free_port() -> Result<u16, HarnessError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|source| HarnessError::Resource {
            what: "free TCP port",
            source,
        })
}
