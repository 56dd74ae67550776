//! All endpoints to which an ORB has talked.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::budget::{Budget, Holder};
use super::{Bidirectional, Endpoint, SharedConnection};
use crate::settings::Settings;
use crate::transport::{Address, Transport};

/// Finds the endpoint of an address. Asked once for each binding, never for a
/// call.
pub(crate) struct ConnectionCache {
    transport: Transport,
    endpoints: Arc<Endpoints>,
    budget: Arc<Budget>,
    /// Reads requests on connections that this ORB opens, where it is to.
    bidirectional: Arc<OnceLock<Weak<dyn Bidirectional>>>,
    /// Ends the thread that closes idle connections.
    end: Arc<End>,
}

/// The endpoints by their addresses.
#[derive(Default)]
struct Endpoints {
    by_address: Mutex<HashMap<Address, Arc<Endpoint>>>,
}

/// Whether the cache is no longer there.
#[derive(Debug, Default)]
struct End {
    has_come: Mutex<bool>,
    changed: Condvar,
}

impl ConnectionCache {
    pub(crate) fn new(transport: Transport, settings: &Settings) -> Self {
        let endpoints = Arc::<Endpoints>::default();
        let budget = Budget::new(settings.max_client_connections);
        let holder: Weak<dyn Holder> = Weak::<Endpoints>::clone(&Arc::downgrade(&endpoints));
        budget.set_holder(holder);
        Self {
            transport,
            endpoints,
            budget,
            bidirectional: Arc::default(),
            end: Arc::default(),
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
        let mut endpoints = self.endpoints.by_address.lock();
        if let Some(endpoint) = endpoints.get(&address) {
            return Arc::clone(endpoint);
        }
        if endpoints.is_empty()
            && let Some(timeout) = settings.client_idle_timeout
        {
            self.watch(timeout / 2);
        }
        let endpoint = Arc::new(Endpoint::new(
            address.clone(),
            self.transport,
            settings,
            &self.budget,
            &self.bidirectional,
        ));
        endpoints.insert(address, Arc::clone(&endpoint));
        endpoint
    }

    /// Starts the thread that closes idle connections, as long as there are any
    /// endpoints. It finds a connection idle when it finds it so twice.
    fn watch(&self, interval: Duration) {
        let (endpoints, end) = (Arc::downgrade(&self.endpoints), Arc::clone(&self.end));
        let thread = thread::Builder::new().name("taut client".to_owned());
        let watching = thread.spawn(move || {
            while !end.comes_within(interval)
                && let Some(endpoints) = endpoints.upgrade()
            {
                if endpoints.close_unused() {
                    return;
                }
            }
        });
        if let Err(error) = watching {
            tracing::warn!(%error, "no thread to close idle connections");
        }
    }

    /// Waits until all is sent for which nobody waits, up to a point in time.
    pub(crate) fn flush(&self, deadline: Instant) {
        for endpoint in self.endpoints.all() {
            endpoint.flush(deadline);
        }
    }

    /// Closes the connections that carry no call.
    pub(crate) fn close_idle(&self) {
        for endpoint in self.endpoints.all() {
            endpoint.close_idle();
        }
    }
}

impl Drop for ConnectionCache {
    fn drop(&mut self) {
        *self.end.has_come.lock() = true;
        self.end.changed.notify_all();
    }
}

impl Endpoints {
    fn all(&self) -> Vec<Arc<Endpoint>> {
        self.by_address.lock().values().cloned().collect()
    }

    /// Closes the connections that have carried no call since this was last
    /// asked, and forgets endpoints that nobody needs. True when none is left.
    fn close_unused(&self) -> bool {
        for endpoint in self.all() {
            endpoint.close_unused();
        }
        let mut endpoints = self.by_address.lock();
        endpoints.retain(|_, endpoint| Arc::strong_count(endpoint) > 1 || !endpoint.is_empty());
        endpoints.is_empty()
    }
}

impl Holder for Endpoints {
    fn give_way(&self) -> bool {
        self.all().iter().any(|endpoint| endpoint.give_way())
    }
}

impl End {
    /// Waits for it, but no longer than this. True when it has come.
    fn comes_within(&self, time: Duration) -> bool {
        let mut has_come = self.has_come.lock();
        self.changed
            .wait_while_for(&mut has_come, |has_come| !*has_come, time);
        *has_come
    }
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoints").finish_non_exhaustive()
    }
}

impl fmt::Debug for ConnectionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionCache").finish_non_exhaustive()
    }
}
