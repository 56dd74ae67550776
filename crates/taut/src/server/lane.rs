//! A lane: the part of a server that serves the requests of one band of priorities, with
//! listeners and threads of its own.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use taut_sync::lock::Mutex;

use super::ObjectAdapter;
use super::deferral::{ConnectionHome, Home};
use super::endpoint::ListenEndpoint;
use super::engine::Engine;
use super::listener::Listener;
use super::peer_in_service::InService;
use super::pending_output::PendingOutput;
use super::pool::LaneRules;
#[cfg(feature = "full")]
use super::pool::PoolError;
use super::rate::Rate;
use super::reactor::Reactor;
use super::registry::Registry;
use crate::core::OrbCore;
use crate::threads;
use crate::transport::Address;

/// A range of CORBA priorities, both ends included (Real-time CORBA 1.2, 4.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PriorityBand {
    pub(super) lowest: i16,
    pub(super) highest: i16,
}

impl PriorityBand {
    /// The band of all priorities, from `minPriority` to `maxPriority` (Real-time CORBA
    /// 1.2, 4.5).
    pub(super) const ALL: Self = Self {
        lowest: 0,
        highest: i16::MAX,
    };

    /// Whether a priority lies in the band.
    pub(super) fn contains(self, priority: i16) -> bool {
        (self.lowest..=self.highest).contains(&priority)
    }
}

/// The listeners of a lane, open but not yet accepted from, and the addresses of their
/// endpoints that references carry.
pub(super) struct OpenListeners {
    listeners: Vec<Arc<Listener>>,
    pub(super) published: Vec<Address>,
}

/// The part of a server that serves the requests of one band of priorities.
///
/// A lane owns its listeners, the threads that accept, the threads of its connections, and
/// its reactor, whose threads own the buffers. A connection stays in the lane that has
/// accepted it: no thread of another lane reads it or makes its up-calls, unless that is lent
/// within a thread pool. The lanes of a server share its object adapter and, with the registry of
/// connections and the pending output, the limits on both.
pub(super) struct Lane<A> {
    band: PriorityBand,
    endpoints: Vec<ListenEndpoint>,
    listeners: Mutex<Vec<Arc<Listener>>>,
    /// The target of requests, from the start to the end: object adapters know the server
    /// too, and neither would ever be freed.
    adapter: Mutex<Option<Arc<A>>>,
    pub(super) engine: Engine<A>,
    pub(super) core: Arc<OrbCore>,
    /// The server's.
    pub(super) registry: Arc<Registry>,
    /// The server's.
    pub(super) output: Arc<PendingOutput>,
    /// How often a warning may say that there are no resources for a connection.
    pub(super) shortage_warnings: Mutex<Rate>,
    /// The rules of a lane of a thread pool; none of the server's own lanes.
    rules: Option<Arc<LaneRules>>,
    /// Whether the lane has stopped listening.
    has_closed: AtomicBool,
}

impl<A: ObjectAdapter> Lane<A> {
    /// A lane for the requests of a band that will listen at these endpoints.
    pub(super) fn new(
        core: &Arc<OrbCore>,
        registry: &Arc<Registry>,
        output: &Arc<PendingOutput>,
        (band, endpoints): (PriorityBand, Vec<ListenEndpoint>),
        rules: Option<Arc<LaneRules>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            band,
            endpoints,
            listeners: Mutex::default(),
            adapter: Mutex::default(),
            engine: Engine::default(),
            core: Arc::clone(core),
            registry: Arc::clone(registry),
            output: Arc::clone(output),
            shortage_warnings: Mutex::new(Rate::per_second(1)),
            rules,
            has_closed: AtomicBool::new(false),
        })
    }

    /// The rules of a lane of a thread pool.
    pub(super) fn rules(&self) -> Option<&Arc<LaneRules>> {
        self.rules.as_ref()
    }

    /// Where the lane listens.
    pub(super) fn endpoints(&self) -> &[ListenEndpoint] {
        &self.endpoints
    }

    /// Whether no further connection is accepted.
    pub(super) fn is_stopping(&self) -> bool {
        self.has_closed.load(Ordering::Acquire) || self.core.lifecycle.is_stopping()
    }

    /// The home of a connection that has this number in the registry.
    pub(super) fn home(self: &Arc<Self>, registry_id: u64) -> Home {
        let lane: Weak<dyn ConnectionHome> = Weak::<Self>::clone(&Arc::downgrade(self));
        Home { lane, registry_id }
    }

    /// Whether the lane is that of requests with a priority.
    pub(super) fn serves(&self, priority: i16) -> bool {
        self.band.contains(priority)
    }

    /// Opens the listeners. Clients can connect, but wait until the lane accepts.
    ///
    /// # Errors
    ///
    /// The operating system's error, with the endpoint that it concerns.
    pub(super) fn open(&self) -> io::Result<OpenListeners> {
        let options = self.core.settings.server.listen_options();
        let mut open = OpenListeners {
            listeners: Vec::new(),
            published: Vec::new(),
        };
        for endpoint in &self.endpoints {
            let listener = endpoint.listen(&self.core.protocols, &options)?;
            open.published.extend(endpoint.published(&*listener));
            open.listeners.push(Arc::new(listener));
        }
        Ok(open)
    }

    /// Starts the threads of a lane of a thread pool.
    ///
    /// # Errors
    ///
    /// Those of [`Reactor::start_lane`]; without rules there are none to start.
    #[cfg(feature = "full")]
    pub(super) fn start_threads(&self, adapter: &Arc<A>) -> Result<Arc<Reactor<A>>, PoolError> {
        let rules = self.rules.as_ref();
        let rules = rules.ok_or_else(|| io::Error::other("the lane is none of a pool"))?;
        let reactor = Reactor::start_lane(&self.core, adapter, &self.registry, rules)?;
        self.engine.run(&reactor);
        Ok(reactor)
    }

    /// Begins to accept connections, whose requests go to `adapter`.
    ///
    /// # Errors
    ///
    /// The operating system's error where a thread cannot be started.
    pub(super) fn start(self: &Arc<Self>, open: OpenListeners, adapter: &Arc<A>) -> io::Result<()> {
        let mut listeners = self.listeners.lock();
        *listeners = open.listeners;
        *self.adapter.lock() = Some(Arc::clone(adapter));
        for listener in listeners.iter() {
            tracing::info!(address = %listener.address(), "listening");
            let (lane, adapter) = (Arc::clone(self), Arc::clone(adapter));
            let listener = Arc::clone(listener);
            let address = listener.address();
            let port = address.port().map(|port| port.to_string());
            let place = port.unwrap_or_else(|| address.scheme().to_owned());
            threads::spawn(&format!("taut accept {place}"), move || {
                LaneRules::begin_accepting(lane.rules(), &lane.core);
                lane.accept(&listener, &adapter);
            })?;
        }
        Ok(())
    }

    /// Stops listening. Connections that have been accepted go on.
    pub(super) fn close_listeners(&self) {
        self.has_closed.store(true, Ordering::Release);
        for listener in self.listeners.lock().drain(..) {
            if let Err(error) = listener.close() {
                tracing::debug!(address = %listener.address(), %error, "something was left behind");
            }
        }
    }

    /// Ends the threads of the reactor and lets the adapter go, once no connection is left.
    pub(super) fn stop(&self) {
        self.engine.stop();
        *self.adapter.lock() = None;
    }

    /// Lets the reactor stand by where servants keep connections' own threads, and tells
    /// after which time to look again.
    pub(super) fn stand_by(&self) -> Duration {
        self.engine.stand_by(&self.core, || self.start_reactor())
    }

    /// The lane's reactor, which is started when it is first needed.
    ///
    /// # Errors
    ///
    /// The operating system's error where it cannot be started;
    /// [`io::ErrorKind::NotConnected`] once the server has stopped.
    pub(super) fn reactor(&self) -> io::Result<Arc<Reactor<A>>> {
        self.engine.reactor(|| self.start_reactor())
    }

    fn start_reactor(&self) -> io::Result<Arc<Reactor<A>>> {
        let not_running = || io::Error::other("the server does not run");
        let adapter = self.adapter.lock().clone().ok_or_else(not_running)?;
        Reactor::start(&self.core, &adapter, &self.registry)
    }
}

impl<A: ObjectAdapter> ConnectionHome for Lane<A> {
    fn hand_over(&self, served: &InService, registry_id: u64) -> io::Result<()> {
        let reactor = self.reactor()?;
        // The reactor does not stand by any more.
        self.engine.leave_own_thread(registry_id);
        reactor.take_over(served, registry_id)
    }

    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn pool(&self) -> Option<u32> {
        LaneRules::pool_of(self.rules())
    }
}

impl<A> fmt::Debug for Lane<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane")
            .field("band", &self.band)
            .field("endpoints", &self.endpoints)
            .finish_non_exhaustive()
    }
}
