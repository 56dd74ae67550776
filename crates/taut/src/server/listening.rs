//! The server half of an ORB: its lanes and the parts that they share.

#[cfg(feature = "full")]
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::sync::Weak;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use taut_giop::Ior;
use taut_sync::lock::Mutex;

use super::ObjectAdapter;
use super::bidirectional;
use super::endpoint::ListenEndpoint;
use super::lane::{Lane, PriorityBand};
use super::peer::Peer;
use super::pending_output::PendingOutput;
use super::pool::{LaneListen, Pools};
use super::protocols;
use super::registry::Registry;
use super::watch;
use crate::connection::{Bidirectional, SharedConnection};
use crate::core::OrbCore;
use crate::lifecycle::stopped;
use crate::object::{ObjectRef, PoolEndpoints, ReferenceFactory, Told, profile_tags, profiles};
use crate::settings::BidirectionalPolicy;
use crate::threads;
use crate::transport::Address;
use crate::transport::Stream;

/// The priority of requests that tell none.
const DEFAULT_PRIORITY: i16 = 0;

/// The server half of an ORB: lanes, each with listeners and threads of its own, and the
/// limits, which are those of all lanes together.
pub(crate) struct Server<A> {
    pub(super) core: Arc<OrbCore>,
    /// At least one.
    pub(super) lanes: Box<[Arc<Lane<A>>]>,
    pub(super) registry: Arc<Registry>,
    /// The thread pools, whose lanes are none of those above.
    pub(super) pools: Pools<A>,
    /// The octets that wait to be sent on all connections.
    pub(super) output: Arc<PendingOutput>,
    /// Held while the lanes are started, and while they stop listening.
    starting: Mutex<()>,
    /// The addresses of all lanes that references carry; set once the server listens.
    published: OnceLock<Vec<Address>>,
}

impl<A: ObjectAdapter> Server<A> {
    /// A server of one lane, which will listen at these endpoints.
    /// Lanes of thread pools listen where `lane_endpoints` says.
    pub(crate) fn new(
        core: Arc<OrbCore>,
        endpoints: Vec<ListenEndpoint>,
        lane_endpoints: Vec<LaneListen>,
    ) -> Arc<Self> {
        let pools = Pools::new(lane_endpoints);
        Self::with_lanes_and(core, [(PriorityBand::ALL, endpoints)], pools)
    }

    /// A server with a lane for each of these bands, which will listen at the endpoints
    /// beside the band. The bands do not overlap.
    #[cfg(test)]
    fn with_lanes<const COUNT: usize>(
        core: Arc<OrbCore>,
        lanes: [(PriorityBand, Vec<ListenEndpoint>); COUNT],
    ) -> Arc<Self> {
        Self::with_lanes_and(core, lanes, Pools::new(Vec::new()))
    }

    fn with_lanes_and<const COUNT: usize>(
        core: Arc<OrbCore>,
        lanes: [(PriorityBand, Vec<ListenEndpoint>); COUNT],
        pools: Pools<A>,
    ) -> Arc<Self> {
        const { assert!(COUNT > 0) };
        let registry = Arc::new(Registry::new(&core.settings));
        let output = PendingOutput::new(core.settings.server.max_pending_output);
        let lanes = lanes.map(|lane| Lane::new(&core, &registry, &output, lane, None));
        Arc::new(Self {
            lanes: Box::new(lanes),
            core,
            registry,
            pools,
            output,
            starting: Mutex::default(),
            published: OnceLock::new(),
        })
    }

    /// Begins to listen, unless the server does. Requests go to `adapter`.
    ///
    /// # Errors
    ///
    /// The operating system's error, with the endpoint that it concerns.
    pub(crate) fn start(self: &Arc<Self>, adapter: Arc<A>) -> io::Result<()> {
        let _starting = self.starting.lock();
        if self.published.get().is_some() {
            return Ok(());
        }
        if self.core.lifecycle.is_stopping() {
            return Err(stopped());
        }
        // All before the first lane accepts: if one is refused, the others are closed, and
        // can be listened at again.
        let opened: Vec<_> = self
            .lanes
            .iter()
            .map(|lane| lane.open())
            .collect::<Result<_, _>>()?;
        let addresses: Vec<_> = opened
            .iter()
            .flat_map(|listeners| &listeners.published)
            .cloned()
            .collect();
        protocols::check(&self.core, &addresses)?;
        for (lane, listeners) in self.lanes.iter().zip(opened) {
            lane.start(listeners, &adapter)?;
        }
        let server = Arc::clone(self);
        threads::spawn("taut watch", move || {
            server.core.priorities.begin_internal_thread();
            server.watch();
        })?;
        // No other thread can have set it: this one holds the lock.
        let _ = self.published.set(addresses);
        if self.core.settings.wire.bidirectional != BidirectionalPolicy::Normal {
            let this: Weak<dyn Bidirectional> = Weak::<Self>::clone(&Arc::downgrade(self));
            self.core.connections.set_bidirectional(this);
        }
        Ok(())
    }

    /// The addresses that references carry: those of all lanes, in the lanes' order. Empty
    /// before the start.
    pub(crate) fn published(&self) -> &[Address] {
        self.published.get().map_or(&[], Vec::as_slice)
    }

    /// Looks after the connections of all lanes until the ORB stops.
    fn watch(&self) {
        watch::watch(&self.registry, &self.output, &self.core, || {
            let next = self.lanes.iter().map(|lane| lane.stand_by()).min();
            next.unwrap_or(Duration::MAX)
        });
    }

    /// The lane of requests with a priority; the first if none has it.
    fn lane_of(&self, priority: i16) -> &Arc<Lane<A>> {
        let found = self.lanes.iter().find(|lane| lane.serves(priority));
        found.unwrap_or(&self.lanes[0])
    }

    /// Stops listening, closes every connection once its request has been
    /// answered, and returns when all this is done.
    pub(crate) fn stop(&self) {
        let starting = self.starting.lock();
        self.lanes.iter().for_each(|lane| lane.close_listeners());
        let of_pools = self.pools.close();
        of_pools.iter().for_each(|lane| lane.close_listeners());
        drop(starting);
        self.registry.for_each(Peer::close);
        self.registry.wait_until_none(Peer::is_busy, None);
        // Clients that do not close in turn are not waited for any longer.
        let timeout = Some(self.core.settings.server.drain_timeout);
        if !self.registry.wait_until_none(|_| true, timeout) {
            self.registry.for_each(Peer::abort);
        }
        self.lanes.iter().for_each(|lane| lane.stop());
        of_pools.iter().for_each(|lane| lane.stop());
        self.core.executor.close();
    }
}

/// Connections that this ORB opens, and on which requests come in.
impl<A: ObjectAdapter> Bidirectional for Server<A> {
    fn adopt(&self, stream: Stream) -> io::Result<Arc<SharedConnection>> {
        let peer = Peer::reactive(stream, &self.output, &self.core.settings);
        let lane = self.lane_of(DEFAULT_PRIORITY);
        let reactor = lane.reactor()?;
        let (id, connection) =
            bidirectional::enter(&peer, &self.core, &self.registry, self.published())?;
        peer.set_home(lane.home(id));
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
        told: Told<'_>,
    ) -> ObjectRef {
        let settings = &self.core.settings;
        let addresses = match (&settings.server.persistent_addresses[..], told.pool) {
            (forwarder, _) if is_persistent && !forwarder.is_empty() => forwarder,
            (_, Some(pool)) => pool.addresses(),
            (_, None) => self.published(),
        };
        let ior = Ior {
            type_id: type_id.to_owned(),
            profiles: profiles(&self.core, addresses, object_key, told),
        };
        ObjectRef::new(Arc::clone(&self.core), ior)
    }

    fn profile_tags(&self) -> Vec<u32> {
        profile_tags(&self.core, self.published())
    }

    fn pool(&self, id: u32) -> Option<Arc<PoolEndpoints>> {
        self.pools.endpoints_of(id)
    }
}

impl<A: ObjectAdapter> fmt::Debug for Server<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("lanes", &self.lanes)
            .field("published", &self.published())
            .finish_non_exhaustive()
    }
}
