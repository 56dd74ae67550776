//! Listeners, and a thread for each connection.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use taut_giop::Ior;

use super::ObjectAdapter;
use super::connection::{self, Peer};
use super::dispatch::Dispatcher;
use super::endpoint::{ListenEndpoint, published};
use super::registry::Registry;
use crate::core::OrbCore;
use crate::object::{ObjectRef, ReferenceFactory, profiles};
use crate::transport::{Address, Listener, Transport};

/// How long to wait when the system has no resources for another connection.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(100);

/// The server half of an ORB.
pub(crate) struct Server<A> {
    core: Arc<OrbCore>,
    endpoints: Vec<ListenEndpoint>,
    adapter: OnceLock<Arc<A>>,
    listeners: Mutex<Vec<Arc<Listener>>>,
    /// Where clients find us; set once the server listens.
    published: OnceLock<Vec<Address>>,
    registry: Registry,
}

impl<A: ObjectAdapter> Server<A> {
    /// A server that will listen at these endpoints.
    pub(crate) fn new(core: Arc<OrbCore>, endpoints: Vec<ListenEndpoint>) -> Arc<Self> {
        Arc::new(Self {
            core,
            endpoints,
            adapter: OnceLock::new(),
            listeners: Mutex::default(),
            published: OnceLock::new(),
            registry: Registry::default(),
        })
    }

    /// Begins to listen, unless it does. Requests go to `adapter`.
    ///
    /// # Errors
    ///
    /// What the operating system answers, with the endpoint it concerns.
    pub(crate) fn start(self: &Arc<Self>, adapter: Arc<A>) -> io::Result<()> {
        let mut listeners = self.listeners.lock();
        if self.published.get().is_some() {
            return Ok(());
        }
        let adapter = self.adapter.get_or_init(|| adapter);
        let mut addresses = Vec::new();
        for endpoint in &self.endpoints {
            let listener = Arc::new(endpoint.listen(Transport::Tcp)?);
            addresses.extend(published(endpoint, &listener));
            listeners.push(listener);
        }
        for listener in listeners.iter() {
            tracing::info!(address = %listener.address(), "listening");
            let (server, adapter) = (Arc::clone(self), Arc::clone(adapter));
            let listener = Arc::clone(listener);
            thread::Builder::new()
                .name(format!("taut accept {}", listener.address().port))
                .spawn(move || server.accept(&listener, &adapter))?;
        }
        if let Some(idle_timeout) = self.core.settings.idle_timeout {
            let server = Arc::clone(self);
            thread::Builder::new()
                .name("taut idle connections".to_owned())
                .spawn(move || server.close_idle(idle_timeout))?;
        }
        // `start` runs under the lock, so nobody can have set it meanwhile.
        let _ = self.published.set(addresses);
        Ok(())
    }

    /// The addresses that references carry; empty before the start.
    pub(crate) fn published(&self) -> &[Address] {
        self.published.get().map_or(&[], Vec::as_slice)
    }

    /// Closes the connections that lie idle, until the ORB stops. Looking twice
    /// within the time finds each after at least half of it.
    fn close_idle(&self, idle_timeout: Duration) {
        let interval = (idle_timeout / 2).max(Duration::from_millis(1));
        while !self.core.lifecycle.stops_within(interval) {
            self.registry.for_each(Peer::close_if_idle);
        }
    }

    fn accept(self: &Arc<Self>, listener: &Listener, adapter: &Arc<A>) {
        loop {
            let stream = match listener.accept() {
                Ok(stream) => stream,
                Err(_) if self.core.lifecycle.is_stopping() => return,
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    thread::sleep(ACCEPT_BACK_OFF);
                    continue;
                }
            };
            let peer = Arc::new(Peer::new(stream));
            let limit = self.core.settings.max_server_connections;
            let Some(id) = self.registry.enter(&peer, limit) else {
                tracing::warn!(
                    peer = peer.name(),
                    limit,
                    "refused: max_server_connections is reached"
                );
                peer.close();
                continue;
            };
            if self.core.lifecycle.is_stopping() {
                peer.close();
            }
            let dispatcher = Dispatcher::new(Arc::clone(&self.core), Arc::clone(adapter));
            let server = Arc::clone(self);
            let spawned = thread::Builder::new()
                .name("taut connection".to_owned())
                .spawn(move || {
                    let registry = &server.registry;
                    connection::serve(&peer, dispatcher, &server.core.settings, || {
                        registry.notify();
                    });
                    registry.leave(id);
                });
            if let Err(error) = spawned {
                tracing::warn!(%error, "no thread for a connection; closing it");
                self.registry.leave(id);
            }
        }
    }

    /// Stops listening, closes every connection once its request has been
    /// answered, and returns when all this is done.
    pub(crate) fn stop(&self) {
        for listener in self.listeners.lock().drain(..) {
            listener.close();
        }
        self.registry.for_each(Peer::close);
        self.registry.wait_until_none(Peer::is_busy, None);
        // Clients that do not close in turn are not waited for any longer.
        let timeout = Some(self.core.settings.drain_timeout);
        if !self.registry.wait_until_none(|_| true, timeout) {
            self.registry.for_each(Peer::abort);
        }
    }
}

impl<A: ObjectAdapter> ReferenceFactory for Server<A> {
    fn reference(&self, type_id: &str, object_key: &[u8]) -> ObjectRef {
        let version = self.core.settings.giop_version;
        let ior = Ior {
            type_id: type_id.to_owned(),
            profiles: profiles(version, self.published(), object_key),
        };
        ObjectRef::new(Arc::clone(&self.core), ior)
    }
}

impl<A: ObjectAdapter> fmt::Debug for Server<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("endpoints", &self.endpoints)
            .field("published", &self.published())
            .finish_non_exhaustive()
    }
}
