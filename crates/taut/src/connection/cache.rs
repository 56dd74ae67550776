//! All endpoints to which an ORB has talked.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Endpoint;
use crate::settings::Settings;
use crate::transport::{Address, Transport};

/// Finds the endpoint of an address. Asked once for each binding, never for a
/// call.
pub(crate) struct ConnectionCache {
    transport: Transport,
    endpoints: Mutex<HashMap<Address, Arc<Endpoint>>>,
}

impl ConnectionCache {
    pub(crate) fn new(transport: Transport) -> Self {
        Self {
            transport,
            endpoints: Mutex::default(),
        }
    }

    /// The endpoint at an address; connections to it are shared by all
    /// references that name it.
    pub(crate) fn endpoint(&self, address: Address, settings: &Settings) -> Arc<Endpoint> {
        let mut endpoints = self.endpoints.lock();
        if let Some(endpoint) = endpoints.get(&address) {
            return Arc::clone(endpoint);
        }
        let endpoint = Arc::new(Endpoint::new(address.clone(), self.transport, settings));
        endpoints.insert(address, Arc::clone(&endpoint));
        endpoint
    }

    /// Closes the connections that carry no call.
    pub(crate) fn close_idle(&self) {
        for endpoint in self.endpoints.lock().values() {
            endpoint.close_idle();
        }
    }
}

impl fmt::Debug for ConnectionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionCache").finish_non_exhaustive()
    }
}
