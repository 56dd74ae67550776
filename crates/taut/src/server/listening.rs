//! Listeners, and who serves the connections that come in.

use std::fmt;
use std::io;
#[cfg(feature = "bidirectional")]
use std::sync::Weak;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut_giop::Ior;
use taut_giop::operation_handle::OperationHandles;

use super::ObjectAdapter;
#[cfg(feature = "bidirectional")]
use super::bidirectional;
use super::dispatch::Dispatcher;
use super::endpoint::{ListenEndpoint, published};
#[cfg(feature = "reactor")]
use super::engine::Engine;
use super::peer::Peer;
use super::rate::Rate;
#[cfg(feature = "reactor")]
use super::reactor::Reactor;
use super::registry::{Refusal, Registry};
use super::session::Session;
use super::{own_thread, watch};
#[cfg(feature = "bidirectional")]
use crate::connection::{Bidirectional, SharedConnection};
use crate::core::OrbCore;
use crate::counters;
use crate::lifecycle::stopped;
use crate::object::{ObjectRef, ReferenceFactory, profiles};
#[cfg(feature = "bidirectional")]
use crate::settings::BidirectionalPolicy;
use crate::settings::Settings;
use crate::transport::{Address, Listener, Stream};

/// How long to wait when the system has no resources for another connection.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(100);

/// The pace of accepting is kept in short spans, so that the connections that
/// are there already get on between them.
const PACE_SPAN: Duration = Duration::from_millis(50);
const PACES_PER_SECOND: u32 = 20;

/// The server half of an ORB.
pub(crate) struct Server<A> {
    core: Arc<OrbCore>,
    endpoints: Vec<ListenEndpoint>,
    /// Where requests go, from the start to the end: object adapters know the server
    /// too, and neither would ever be freed.
    adapter: Mutex<Option<Arc<A>>>,
    listeners: Mutex<Vec<Arc<Listener>>>,
    /// Where clients find us; set once the server listens.
    published: OnceLock<Vec<Address>>,
    registry: Arc<Registry>,
    #[cfg(feature = "reactor")]
    engine: Engine<A>,
}

impl<A: ObjectAdapter> Server<A> {
    /// A server that will listen at these endpoints.
    pub(crate) fn new(core: Arc<OrbCore>, endpoints: Vec<ListenEndpoint>) -> Arc<Self> {
        let registry = Arc::new(Registry::new(&core.settings));
        Arc::new(Self {
            core,
            endpoints,
            adapter: Mutex::default(),
            listeners: Mutex::default(),
            published: OnceLock::new(),
            registry,
            #[cfg(feature = "reactor")]
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
        for endpoint in &self.endpoints {
            let listener = Arc::new(endpoint.listen(&self.core.settings)?);
            addresses.extend(published(endpoint, &listener));
            opened.push(listener);
        }
        // Here, and not before one was refused: one could not listen there again.
        *listeners = opened;
        *self.adapter.lock() = Some(Arc::clone(&adapter));
        for listener in listeners.iter() {
            tracing::info!(address = %listener.address(), "listening");
            let (server, adapter) = (Arc::clone(self), Arc::clone(&adapter));
            let listener = Arc::clone(listener);
            let port = listener.address().port();
            let place = port.map_or_else(|| "unix".to_owned(), |port| port.to_string());
            thread::Builder::new()
                .name(format!("taut accept {place}"))
                .spawn(move || server.accept(&listener, &adapter))?;
        }
        let server = Arc::clone(self);
        thread::Builder::new()
            .name("taut watch".to_owned())
            .spawn(move || server.watch())?;
        // `start` runs under the lock, so nobody can have set it meanwhile.
        let _ = self.published.set(addresses);
        #[cfg(feature = "bidirectional")]
        if self.core.settings.bidirectional == BidirectionalPolicy::Both {
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
        watch::watch(&self.registry, &self.core, || {
            #[cfg(feature = "reactor")]
            return self.engine.stand_by(&self.core, || self.start_reactor());
            #[cfg(not(feature = "reactor"))]
            Duration::MAX
        });
    }

    fn accept(self: &Arc<Self>, listener: &Listener, adapter: &Arc<A>) {
        let most = self.core.settings.max_accepts_per_second;
        let mut pace = Rate::per(PACE_SPAN, most.div_ceil(PACES_PER_SECOND));
        let mut warnings = Rate::per_second(1);
        loop {
            while !pace.admits(Instant::now()) {
                if warnings.admits(Instant::now()) {
                    tracing::warn!(
                        address = %listener.address(),
                        setting = "max_accepts_per_second",
                        limit = most,
                        "too many clients connect: some have to wait"
                    );
                }
                if self.core.lifecycle.stops_within(PACE_SPAN / 4) {
                    return;
                }
            }
            match listener.accept() {
                Ok(stream) => self.serve(stream, adapter),
                Err(_) if self.core.lifecycle.is_stopping() => return,
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    thread::sleep(ACCEPT_BACK_OFF);
                }
            }
        }
    }

    /// Gives a connection to a thread of its own or to the reactor.
    fn serve(self: &Arc<Self>, stream: Stream, adapter: &Arc<A>) {
        let settings = &self.core.settings;
        if let Err(error) = stream.set_options(settings.socket_options()) {
            tracing::debug!(peer = stream.peer(), %error, "socket options not set");
        }
        #[cfg(feature = "reactor")]
        let is_shared = !self.engine.has_thread_left(settings);
        #[cfg(feature = "reactor")]
        let peer = match is_shared {
            true => Peer::reactive(stream, settings),
            false => Peer::waiting(stream, settings),
        };
        #[cfg(not(feature = "reactor"))]
        let peer = Peer::waiting(stream, settings);
        let id = match self.registry.enter(&peer, settings) {
            Ok(id) => id,
            Err(refusal) => return refuse(&peer, refusal, settings),
        };
        if self.core.lifecycle.is_stopping() {
            peer.close();
        }
        #[cfg(feature = "reactor")]
        let served = match is_shared {
            true => self.reactor().and_then(|reactor| reactor.serve(&peer, id)),
            false => self.serve_in_own_thread(peer, id, adapter),
        };
        #[cfg(not(feature = "reactor"))]
        let served = self.serve_in_own_thread(peer, id, adapter);
        if let Err(error) = served {
            self.registry.leave(id);
            if !self.core.lifecycle.is_stopping() {
                counters::server::refused("resources");
                tracing::warn!(%error, "no resources for a connection; closing it");
            }
        }
    }

    /// The reactor, which is started when it is first needed.
    #[cfg(feature = "reactor")]
    fn reactor(&self) -> io::Result<Arc<Reactor<A>>> {
        self.engine.reactor(|| self.start_reactor())
    }

    #[cfg(feature = "reactor")]
    fn start_reactor(&self) -> io::Result<Arc<Reactor<A>>> {
        let not_running = || io::Error::other("the server does not run");
        let adapter = self.adapter.lock().clone().ok_or_else(not_running)?;
        Reactor::start(&self.core, &adapter, &self.registry)
    }

    fn serve_in_own_thread(
        self: &Arc<Self>,
        peer: Arc<Peer>,
        id: u64,
        adapter: &Arc<A>,
    ) -> io::Result<()> {
        let dispatcher = Dispatcher::new(Arc::clone(&self.core), Arc::clone(adapter), &peer);
        let session = Session::new(dispatcher, &peer, &self.core.settings);
        let server = Arc::clone(self);
        #[cfg(feature = "reactor")]
        self.engine.own_threads.enter(id, &peer);
        let spawned = thread::Builder::new()
            .name("taut connection".to_owned())
            .spawn(move || {
                let registry = &server.registry;
                let settled = || registry.note_end(&peer);
                if own_thread::serve(&peer, session, &server.core.settings, settled) {
                    registry.leave(id);
                }
                #[cfg(feature = "reactor")]
                server.engine.leave_own_thread(id);
            });
        #[cfg(feature = "reactor")]
        if spawned.is_err() {
            self.engine.leave_own_thread(id);
        }
        spawned.map(drop)
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
        #[cfg(feature = "reactor")]
        self.engine.stop();
        *self.adapter.lock() = None;
    }
}

/// Closes a connection that is one too many.
fn refuse(peer: &Peer, refusal: Refusal, settings: &Settings) {
    let (setting, limit) = match refusal {
        Refusal::Total => ("max_server_connections", settings.max_server_connections),
        Refusal::PerPeer => (
            "max_connections_per_peer",
            settings.max_connections_per_peer,
        ),
        Refusal::Penalty => (
            "max_protocol_errors_per_second",
            settings.max_protocol_errors_per_second as usize,
        ),
    };
    counters::server::refused(setting);
    tracing::warn!(peer = peer.name(), setting, limit, "refused a connection");
    peer.close();
}

/// Connections that this ORB opens, and on which requests come in.
#[cfg(feature = "bidirectional")]
impl<A: ObjectAdapter> Bidirectional for Server<A> {
    fn adopt(&self, stream: Stream) -> io::Result<Arc<SharedConnection>> {
        let peer = Peer::reactive(stream, &self.core.settings);
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
        let addresses = match &settings.persistent_addresses[..] {
            forwarder if is_persistent && !forwarder.is_empty() => forwarder,
            _ => self.published(),
        };
        let ior = Ior {
            type_id: type_id.to_owned(),
            profiles: profiles(settings, addresses, object_key, handles),
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

#[cfg(feature = "reactor")]
#[cfg(test)]
mod tests {
    use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

    use super::*;
    use crate::server::{Disposition, Presence, ServerRequest};

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
        let core = Arc::new(OrbCore::new(Settings::default()));
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
