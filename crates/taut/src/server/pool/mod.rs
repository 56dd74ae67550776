//! Thread pools (Real-time CORBA 1.2, 4.10): lanes beside those of the server itself, which serve
//! the POAs that are bound to them.
//!
//! Each lane of a pool has listeners, a poller and threads of its own, and shares no lock with
//! another on a request's path. References of POAs that are bound to the pool lead to its lanes;
//! a request for one of them that comes in elsewhere is forwarded there.

mod backlog;
mod description;
mod error;
mod lane;
mod listen;

use std::cell::Cell;
use std::sync::Arc;

use taut_giop::SystemException;
use taut_sync::lock::Mutex;

use super::endpoint::ListenEndpoint;
use super::lane::{Lane, OpenListeners, PriorityBand};
use super::listening::Server;
use super::peer::Peer;
use super::request_in_progress::Buffered;
use super::service::Service;
use super::{Disposition, ObjectAdapter, SentPriority, ServerRequest};
use crate::core::OrbCore;
use crate::counters;
use crate::lifecycle::stopped;
use crate::object::PoolEndpoints;
use crate::policy::ThreadpoolId;
use crate::upcall::is_in_upcall;
use error::{buffer_full, cannot_listen, in_use, invalid, threads_exhausted};
use error::{too_many_threads, would_wait_for_itself};
use lane::LanePlace;

pub(in crate::server) use backlog::Backlog;
pub use description::{RequestBuffering, Threadpool, ThreadpoolLane};
pub(in crate::server) use error::PoolError;
pub use error::{InvalidThreadpool, ThreadpoolError};
pub(in crate::server) use lane::LaneRules;
pub(crate) use listen::LaneListen;

thread_local! {
    /// The number of the pool whose thread this is; 0: none.
    static POOL: Cell<u32> = const { Cell::new(0) };
}

/// Notes that the calling thread is one of this pool.
pub(in crate::server) fn enter_pool(pool: ThreadpoolId) {
    POOL.set(pool.0);
}

/// Whether a request for an object of this pool may be carried out by the calling thread: it is
/// one of the pool's, or carries out a call of its own process.
#[inline]
pub(crate) fn serves_pool(pool: u32) -> bool {
    let own = POOL.get();
    own == pool || own == ANY
}

/// Runs `run`, which carries out a call of the thread's own process, whatever pool its object is
/// of.
pub(in crate::server) fn in_any_pool<R>(run: impl FnOnce() -> R) -> R {
    let _before = Before(POOL.replace(ANY));
    run()
}

/// The number that stands for all pools.
const ANY: u32 = u32::MAX;

/// The pool of a thread before it began a call of its own process.
struct Before(u32);

impl Drop for Before {
    fn drop(&mut self) {
        POOL.set(self.0);
    }
}

/// The thread pools of a server.
pub(in crate::server) struct Pools<A> {
    made: Mutex<Made<A>>,
    /// Where the lanes listen, as arguments say.
    listen: Vec<LaneListen>,
}

struct Made<A> {
    pools: Vec<Pool<A>>,
    /// How many there have been.
    count: u32,
    /// Whether the server ends.
    is_closed: bool,
}

struct Pool<A> {
    id: ThreadpoolId,
    lanes: Box<[Arc<Lane<A>>]>,
    endpoints: Arc<PoolEndpoints>,
}

impl<A> Pools<A> {
    /// None yet. Lanes will listen where `listen` says.
    pub(in crate::server) fn new(listen: Vec<LaneListen>) -> Self {
        let made = Made {
            pools: Vec::new(),
            count: 0,
            is_closed: false,
        };
        Self {
            made: Mutex::new(made),
            listen,
        }
    }

    /// Lets no further pool be made, and returns the lanes of all.
    pub(in crate::server) fn close(&self) -> Vec<Arc<Lane<A>>> {
        let mut made = self.made.lock();
        made.is_closed = true;
        let lanes = made.pools.iter().flat_map(|pool| &pool.lanes);
        lanes.cloned().collect()
    }

    /// The endpoints of a pool, if it is there.
    pub(in crate::server) fn endpoints_of(&self, id: u32) -> Option<Arc<PoolEndpoints>> {
        let made = self.made.lock();
        let pool = made.pools.iter().find(|pool| pool.id.0 == id)?;
        Some(Arc::clone(&pool.endpoints))
    }
}

impl<A: ObjectAdapter> Server<A> {
    /// Makes a thread pool, whose static threads are there when this returns. Requests go to
    /// `adapter`.
    ///
    /// # Errors
    ///
    /// BAD_PARAM, IMP_LIMIT, INITIALIZE, NO_RESOURCES, NO_PERMISSION or DATA_CONVERSION, with a
    /// minor code and a text that say more.
    pub(crate) fn create_pool(
        &self,
        described: &Threadpool,
        adapter: &Arc<A>,
    ) -> Result<ThreadpoolId, SystemException> {
        let settings = &self.core.settings;
        check(described, settings.real_time.max_threadpool_threads)?;
        let mut made = self.pools.made.lock();
        if made.is_closed {
            return Err(PoolError::from(stopped()).into());
        }
        let id = ThreadpoolId(made.count + 1);
        let lanes = described.lanes.iter().enumerate();
        let lanes: Box<[_]> = lanes
            .map(|(place, lane)| self.make_lane(described, lane, (id, place)))
            .collect();
        let started = start(&lanes, described, adapter);
        let addresses = match started {
            Ok(addresses) => addresses,
            Err(error) => {
                for lane in &lanes {
                    lane.close_listeners();
                    lane.stop();
                }
                return Err(error.into());
            }
        };
        let endpoints = PoolEndpoints::new(id.0, described.has_lanes, addresses);
        made.count += 1;
        made.pools.push(Pool {
            id,
            lanes,
            endpoints: Arc::new(endpoints),
        });
        tracing::info!(pool = %id, lanes = described.lanes.len(), "a thread pool serves");
        Ok(id)
    }

    fn make_lane(
        &self,
        described: &Threadpool,
        lane: &ThreadpoolLane,
        (pool, place): (ThreadpoolId, usize),
    ) -> Arc<Lane<A>> {
        let settings = &self.core.settings.real_time;
        let idle_time = described.dynamic_thread_idle_time;
        let backlog = described.buffering.map(|buffering| {
            let when_full = buffering.when_full.unwrap_or(settings.when_buffer_full);
            Backlog::new(buffering.max_requests, buffering.max_octets, when_full)
        });
        let at = LanePlace {
            pool,
            place,
            idle_time: idle_time.unwrap_or(settings.dynamic_thread_idle_time),
            stack_size: described.stack_size,
            backlog,
        };
        let rules = Arc::new(LaneRules::new(lane, at));
        let priority = lane.priority.get();
        let band = PriorityBand {
            lowest: priority,
            highest: priority,
        };
        let endpoints = self.lane_endpoints(lane, (pool, place));
        let (registry, output) = (&self.registry, &self.output);
        Lane::new(&self.core, registry, output, (band, endpoints), Some(rules))
    }

    /// Where a lane listens: where an argument says, else where the program says, else at free
    /// places of the endpoints of the server.
    fn lane_endpoints(
        &self,
        lane: &ThreadpoolLane,
        (pool, place): (ThreadpoolId, usize),
    ) -> Vec<ListenEndpoint> {
        let told = self.pools.listen.iter();
        let told = told.filter(|told| told.is_for(pool.0, place));
        let told: Vec<_> = told.flat_map(LaneListen::endpoints).cloned().collect();
        if !told.is_empty() {
            return told;
        }
        if !lane.endpoints.is_empty() {
            return lane.endpoints.clone();
        }
        let of_server = self.lanes.iter().flat_map(|lane| lane.endpoints());
        let free: Vec<_> = of_server
            .filter_map(ListenEndpoint::at_free_place)
            .collect();
        match free.is_empty() {
            true => vec![ListenEndpoint::any()],
            false => free,
        }
    }

    /// Destroys a thread pool: its connections are closed once the requests under way have been
    /// answered, and its threads end.
    ///
    /// # Errors
    ///
    /// [`InvalidThreadpool`]; BAD_INV_ORDER while POAs are bound to the pool, and with OMG minor
    /// 3 in an up-call.
    pub(crate) fn destroy_pool(&self, id: ThreadpoolId) -> Result<(), ThreadpoolError> {
        let mut made = self.pools.made.lock();
        let place = made.pools.iter().position(|pool| pool.id == id);
        let place = place.ok_or(InvalidThreadpool(id))?;
        if is_in_upcall() {
            return Err(would_wait_for_itself().into());
        }
        let endpoints = &made.pools[place].endpoints;
        endpoints.close().map_err(|poas| in_use(id, poas))?;
        let pool = made.pools.remove(place);
        drop(made);
        pool.lanes.iter().for_each(|lane| lane.close_listeners());
        let is_of_pool = |peer: &Peer| peer.pool() == Some(id.0);
        self.registry.for_each(|peer| {
            if is_of_pool(peer) {
                peer.close();
            }
        });
        let is_busy = |peer: &Peer| is_of_pool(peer) && peer.is_busy();
        self.registry.wait_until_none(is_busy, None);
        let timeout = Some(self.core.settings.server.drain_timeout);
        if !self.registry.wait_until_none(is_of_pool, timeout) {
            self.registry.for_each(|peer| {
                if is_of_pool(peer) {
                    peer.abort();
                }
            });
        }
        pool.lanes.iter().for_each(|lane| lane.stop());
        tracing::info!(pool = %id, "a thread pool has ended");
        Ok(())
    }
}

/// Opens the listeners of all lanes, starts their threads, and lets them accept. Returns the
/// addresses and the priority of each.
fn start<A: ObjectAdapter>(
    lanes: &[Arc<Lane<A>>],
    described: &Threadpool,
    adapter: &Arc<A>,
) -> Result<Vec<(crate::transport::Address, i16)>, PoolError> {
    let opened = lanes.iter().map(|lane| lane.open());
    let opened: Result<Vec<OpenListeners>, _> = opened.collect();
    let opened = opened.map_err(|error| cannot_listen(&error))?;
    let mut reactors = Vec::with_capacity(lanes.len());
    for (lane, described) in lanes.iter().zip(&described.lanes) {
        reactors.push((described.priority, lane.start_threads(adapter)?));
    }
    if described.borrows {
        for (priority, reactor) in &reactors {
            let lower = reactors.iter().filter(|(lower, _)| lower < priority);
            let mut lower: Vec<_> = lower.collect();
            lower.sort_by_key(|(lower, _)| std::cmp::Reverse(*lower));
            reactor.borrow_from(lower.iter().map(|(_, lower)| Arc::downgrade(lower)));
        }
    }
    let mut addresses = Vec::new();
    for ((lane, described), listeners) in lanes.iter().zip(&described.lanes).zip(opened) {
        let priority = described.priority.get();
        let published = listeners.published.iter();
        addresses.extend(published.map(|address| (address.clone(), priority)));
        lane.start(listeners, adapter)?;
    }
    Ok(addresses)
}

/// Checks that a description is that of a pool that can be.
fn check(described: &Threadpool, limit: usize) -> Result<(), SystemException> {
    if described.lanes.is_empty() {
        return Err(invalid("a thread pool with lanes needs one at least"));
    }
    let mut threads = 0;
    for (place, lane) in described.lanes.iter().enumerate() {
        let of_lane = u64::from(lane.static_threads) + u64::from(lane.dynamic_threads);
        if of_lane == 0 {
            return Err(invalid(format!(
                "lane {place} has neither static nor dynamic threads"
            )));
        }
        threads += of_lane;
        let is_same = |other: &ThreadpoolLane| other.priority == lane.priority;
        if described.lanes[..place].iter().any(is_same) {
            let priority = lane.priority;
            return Err(invalid(format!("two lanes have the priority {priority}")));
        }
    }
    if let Some(buffering) = described.buffering
        && buffering.max_requests == 0
        && buffering.max_octets == 0
    {
        return Err(invalid(
            "requests that wait need a limit: max_buffered_requests or max_request_buffer_size",
        ));
    }
    match usize::try_from(threads) {
        Ok(threads) if threads <= limit => Ok(()),
        _ => Err(too_many_threads(threads, limit)),
    }
}

impl LaneRules {
    /// Begins a thread that accepts connections: with the priority that the lane gives it, else
    /// with that of the ORB's internal threads.
    pub(in crate::server) fn begin_accepting(rules: Option<&Arc<Self>>, core: &OrbCore) {
        let Some(rules) = rules else {
            return core.priorities.begin_internal_thread();
        };
        rules.begin_acceptor(core);
    }

    /// The number of the pool.
    pub(in crate::server) fn pool_of(rules: Option<&Arc<Self>>) -> Option<u32> {
        rules.map(|rules| rules.pool.0)
    }

    /// Puts a request off, for which no thread of its lane is there: it waits, if it may.
    ///
    /// # Errors
    ///
    /// TRANSIENT, where it may not.
    pub(in crate::server) fn put_off<A: ObjectAdapter>(
        rules: Option<&Arc<Self>>,
        service: &Service<A>,
        (object_key, sent): (&[u8], SentPriority),
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        let with_buffer = rules.and_then(|rules| Some((rules, rules.backlog.as_ref()?)));
        let Some((rules, backlog)) = with_buffer else {
            counters::server::lane_refused("threads");
            if let Some(rules) = rules {
                tracing::debug!(
                    lane = %rules,
                    threads = rules.threads(),
                    "refused a request: every thread of its lane is at work"
                );
            }
            return Err(threads_exhausted(rules.map(|rules| &**rules)));
        };
        let priority = match sent {
            SentPriority::Context(priority) => priority.get(),
            _ => rules.priority.get(),
        };
        let Some(waiting) = Buffered::take(service, (object_key, sent), request) else {
            return Err(threads_exhausted(Some(rules)));
        };
        let size = waiting.size();
        counters::server::lane_buffered();
        for refused in backlog.push(priority, size, waiting) {
            counters::server::lane_refused("buffer");
            tracing::debug!(
                lane = %rules,
                waiting = backlog.count(),
                request = ?refused,
                "refused a request: as many wait in its lane as may"
            );
            refused.refuse(buffer_full(rules));
        }
        Ok(Disposition::Done)
    }
}
