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
    known: Mutex<Known>,
    /// Reads requests on connections that this ORB opens, where it is to.
    bidirectional: Arc<OnceLock<Weak<dyn Bidirectional>>>,
}

#[derive(Default)]
struct Known {
    endpoints: HashMap<Address, Arc<Endpoint>>,
    /// With how many endpoints idle ones are looked for.
    look_at: usize,
}

impl ConnectionCache {
    pub(crate) fn new(transport: Transport) -> Self {
        Self {
            transport,
            known: Mutex::default(),
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
        let mut known = self.known.lock();
        if let Some(endpoint) = known.endpoints.get(&address) {
            return Arc::clone(endpoint);
        }
        known.forget_idle(settings.max_idle_endpoints);
        let endpoint = Arc::new(Endpoint::new(
            address.clone(),
            self.transport,
            settings,
            &self.bidirectional,
        ));
        known.endpoints.insert(address, Arc::clone(&endpoint));
        endpoint
    }

    /// Waits until all is sent for which nobody waits, up to a point in time.
    pub(crate) fn flush(&self, deadline: Instant) {
        let endpoints: Vec<_> = self.known.lock().endpoints.values().cloned().collect();
        for endpoint in endpoints {
            endpoint.flush(deadline);
        }
    }

    /// Closes the connections that carry no call.
    pub(crate) fn close_idle(&self) {
        for endpoint in self.known.lock().endpoints.values() {
            endpoint.close_idle();
        }
    }
}

impl Known {
    /// Forgets the endpoints to which no binding leads any more, when `most` have
    /// been added since this was last done: servers may send us to ever new
    /// addresses.
    fn forget_idle(&mut self, most: usize) {
        if self.endpoints.len() < self.look_at {
            return;
        }
        // Nobody but the cache, which is locked, can make a second of the only one.
        self.endpoints
            .retain(|_, endpoint| Arc::strong_count(endpoint) > 1 || endpoint.is_offered());
        self.look_at = self.endpoints.len().saturating_add(most).max(1);
    }
}

impl fmt::Debug for ConnectionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionCache").finish_non_exhaustive()
    }
}
