//! All endpoints to which an ORB has talked.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use super::{Bidirectional, Endpoint, SharedConnection};
use crate::settings::Settings;
use crate::transport::{Address, Transport};

/// Finds the endpoint of an address. Asked once for each binding, never for a
/// call.
pub(crate) struct ConnectionCache {
    transport: Transport,
    endpoints: Mutex<HashMap<Address, Arc<Endpoint>>>,
    /// Reads requests on connections that this ORB opens, where it is to.
    bidirectional: Arc<OnceLock<Weak<dyn Bidirectional>>>,
}

impl ConnectionCache {
    pub(crate) fn new(transport: Transport) -> Self {
        Self {
            transport,
            endpoints: Mutex::default(),
            bidirectional: Arc::default(),
        }
    }

    /// From here on, requests may come in on the connections that this ORB opens.
    pub(crate) fn set_bidirectional(&self, bidirectional: Weak<dyn Bidirectional>) {
        // The server, which starts once, is the only one.
        let _ = self.bidirectional.set(bidirectional);
    }

    /// Lets requests to `address` go over a connection that was opened from
    /// there.
    pub(crate) fn offer(
        &self,
        address: Address,
        connection: &Arc<SharedConnection>,
        settings: &Settings,
    ) {
        self.endpoint(address, settings).offer(connection);
    }

    /// The endpoint at an address; connections to it are shared by all
    /// references that name it.
    pub(crate) fn endpoint(&self, address: Address, settings: &Settings) -> Arc<Endpoint> {
        let mut endpoints = self.endpoints.lock();
        if let Some(endpoint) = endpoints.get(&address) {
            return Arc::clone(endpoint);
        }
        let endpoint = Arc::new(Endpoint::new(
            address.clone(),
            self.transport,
            settings,
            &self.bidirectional,
        ));
        endpoints.insert(address, Arc::clone(&endpoint));
        endpoint
    }

    /// Waits until all is sent for which nobody waits, up to a point in time.
    pub(crate) fn flush(&self, deadline: Instant) {
        let endpoints: Vec<_> = self.endpoints.lock().values().cloned().collect();
        for endpoint in endpoints {
            endpoint.flush(deadline);
        }
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
