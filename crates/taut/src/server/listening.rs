//! Listeners, and who serves the connections that come in.

use std::fmt;
use std::io;
use std::sync::Weak;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use taut_giop::Ior;
use taut_giop::operation_handle::OperationHandles;

use super::ObjectAdapter;
use super::bidirectional;
use super::endpoint::ListenEndpoint;
use super::engine::Engine;
use super::peer::Peer;
use super::pending_output::PendingOutput;
use super::rate::Rate;
use super::reactor::Reactor;
use super::registry::Registry;
use super::watch;
use crate::connection::{Bidirectional, SharedConnection};
use crate::core::OrbCore;
use crate::lifecycle::stopped;
use crate::object::{ObjectRef, ReferenceFactory, profiles};
use crate::settings::BidirectionalPolicy;
use crate::threads;
use crate::transport::Stream;
use crate::transport::{Acceptor, Address};

/// The server half of an ORB.
pub(crate) struct Server<A> {
    pub(super) core: Arc<OrbCore>,
    endpoints: Vec<ListenEndpoint>,
    /// Where requests go, from the start to the end: object adapters know the server
    /// too, and neither would ever be freed.
    adapter: Mutex<Option<Arc<A>>>,
    listeners: Mutex<Vec<Arc<dyn Acceptor>>>,
    /// Where clients find us; set once the server listens.
    published: OnceLock<Vec<Address>>,
    pub(super) registry: Arc<Registry>,
    /// The octets that wait to be sent on all connections.
    pub(super) output: Arc<PendingOutput>,
    /// How often it may be told that there are no resources for a connection.
    pub(super) shortage_warnings: Mutex<Rate>,
    pub(super) engine: Engine<A>,
}

impl<A: ObjectAdapter> Server<A> {
    /// A server that will listen at these endpoints.
    pub(crate) fn new(core: Arc<OrbCore>, endpoints: Vec<ListenEndpoint>) -> Arc<Self> {
        let registry = Arc::new(Registry::new(&core.settings));
        let output = PendingOutput::new(core.settings.server.max_pending_output);
        Arc::new(Self {
            output,
            shortage_warnings: Mutex::new(Rate::per_second(1)),
            core,
            endpoints,
            adapter: Mutex::default(),
            listeners: Mutex::default(),
            published: OnceLock::new(),
            registry,
            engine: Engine::default(),
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
        if self.core.lifecycle.is_stopping() {
            return Err(stopped());
        }
        let mut addresses = Vec::new();
        let mut opened = Vec::new();
        let options = self.core.settings.server.listen_options();
        for endpoint in &self.endpoints {
            let listener = endpoint.listen(&self.core.protocols, &options)?;
            addresses.extend(endpoint.published(&*listener));
            opened.push(Arc::from(listener));
        }
        // Here, and not before one was refused: one could not listen there again.
        *listeners = opened;
        *self.adapter.lock() = Some(Arc::clone(&adapter));
        for listener in listeners.iter() {
            tracing::info!(address = %listener.address(), "listening");
            let (server, adapter) = (Arc::clone(self), Arc::clone(&adapter));
            let listener = Arc::clone(listener);
            let address = listener.address();
            let port = address.port().map(|port| port.to_string());
            let place = port.unwrap_or_else(|| address.scheme().to_owned());
            threads::spawn(format!("taut accept {place}"), move || {
                server.accept(&*listener, &adapter);
            })?;
        }
        let server = Arc::clone(self);
        threads::spawn("taut watch", move || server.watch())?;
        // `start` runs under the lock, so nobody can have set it meanwhile.
        let _ = self.published.set(addresses);
        if self.core.settings.wire.bidirectional != BidirectionalPolicy::Normal {
            let this: Weak<dyn Bidirectional> = Weak::<Self>::clone(&Arc::downgrade(self));
            self.core.connections.set_bidirectional(this);
        }
        Ok(())
    }

    /// The addresses that references carry; empty before the start.
    pub(crate) fn published(&self) -> &[Address] {
        self.published.get().map_or(&[], Vec::as_slice)
    }

    /// What the thread does that looks after the connections.
    fn watch(&self) {
        watch::watch(&self.registry, &self.output, &self.core, || {
            self.engine.stand_by(&self.core, || self.start_reactor())
        });
    }

    /// The reactor, which is started when it is first needed.
    pub(super) fn reactor(&self) -> io::Result<Arc<Reactor<A>>> {
        self.engine.reactor(|| self.start_reactor())
    }

    fn start_reactor(&self) -> io::Result<Arc<Reactor<A>>> {
        let not_running = || io::Error::other("the server does not run");
        let adapter = self.adapter.lock().clone().ok_or_else(not_running)?;
        Reactor::start(&self.core, &adapter, &self.registry)
    }

    /// Stops listening, closes every connection once its request has been
    /// answered, and returns when all this is done.
    pub(crate) fn stop(&self) {
        for listener in self.listeners.lock().drain(..) {
            if let Err(error) = listener.close() {
                tracing::debug!(address = %listener.address(), %error, "something was left behind");
            }
        }
        self.registry.for_each(Peer::close);
        self.registry.wait_until_none(Peer::is_busy, None);
        // Clients that do not close in turn are not waited for any longer.
        let timeout = Some(self.core.settings.server.drain_timeout);
        if !self.registry.wait_until_none(|_| true, timeout) {
            self.registry.for_each(Peer::abort);
        }
        self.engine.stop();
        *self.adapter.lock() = None;
    }
}

/// Connections that this ORB opens, and on which requests come in.
impl<A: ObjectAdapter> Bidirectional for Server<A> {
    fn adopt(&self, stream: Stream) -> io::Result<Arc<SharedConnection>> {
        let peer = Peer::reactive(stream, &self.output, &self.core.settings);
        let reactor = self.reactor()?;
        let (id, connection) =
            bidirectional::enter(&peer, &self.core, &self.registry, self.published())?;
        match reactor.serve(&peer, id) {
            Ok(()) => Ok(connection),
            Err(error) => {
                self.registry.leave(id);
                Err(error)
            }
        }
    }
}

impl<A: ObjectAdapter> ReferenceFactory for Server<A> {
    fn reference(
        &self,
        type_id: &str,
        object_key: &[u8],
        is_persistent: bool,
        handles: Option<&OperationHandles>,
    ) -> ObjectRef {
        let settings = &self.core.settings;
        let addresses = match &settings.server.persistent_addresses[..] {
            forwarder if is_persistent && !forwarder.is_empty() => forwarder,
            _ => self.published(),
        };
        let ior = Ior {
            type_id: type_id.to_owned(),
            profiles: profiles(&self.core, addresses, object_key, handles),
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

#[cfg(feature = "full")]
#[cfg(test)]
mod tests {
    use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

    use super::*;
    use crate::server::{Disposition, Presence, ServerRequest};
    use crate::settings::Settings;
    use crate::transport::Protocols;

    /// An adapter without objects.
    struct Nobody;

    impl ObjectAdapter for Nobody {
        type Memory<'m> = ();

        fn dispatch_next(
            &self,
            object_key: &[u8],
            request: &mut ServerRequest<'_>,
            (): &mut (),
        ) -> Result<Disposition, SystemException> {
            self.dispatch(object_key, request)
        }

        fn dispatch(
            &self,
            _: &[u8],
            _: &mut ServerRequest<'_>,
        ) -> Result<Disposition, SystemException> {
            Err(SystemException::omg(
                SystemExceptionKind::ObjectNotExist,
                2,
                CompletionStatus::No,
            ))
        }

        fn locate(&self, _: &[u8]) -> Result<Presence, SystemException> {
            Ok(Presence::Unknown)
        }
    }

    fn server() -> Arc<Server<Nobody>> {
        let core = Arc::new(OrbCore::new(Settings::default(), Protocols::default()));
        let server = Server::new(core, Vec::new());
        server.start(Arc::new(Nobody)).unwrap();
        server
    }

    fn stop(server: &Server<Nobody>) {
        assert!(server.core.lifecycle.begin_stop());
        server.stop();
        server.core.lifecycle.finish_stop();
    }

    #[test]
    fn a_server_that_has_stopped_starts_no_reactor() {
        let server = server();
        stop(&server);
        let refused = server.reactor().err().map(|error| error.kind());
        assert_eq!(refused, Some(io::ErrorKind::NotConnected));

        // Nor a second one.
        let server = self::server();
        let reactor = server.reactor().unwrap();
        assert!(Arc::ptr_eq(&reactor, &server.reactor().unwrap()));
        stop(&server);
        assert!(server.reactor().is_err());
    }
}
