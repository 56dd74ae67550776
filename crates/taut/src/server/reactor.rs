//! Connections that share threads: leader and followers over `epoll`.
//!
//! Each thread waits for an event of any connection; the one that gets it reads
//! what has arrived, carries it out, sends the reply, and waits again, while
//! the others wait in its place. There is no queue and no hand-off between
//! reading a request and running its up-call. Where a client sends a further
//! request before it has the reply, and a servant keeps the thread, another thread
//! relieves that one ([`Duty`](super::duty::Duty)), and the two go on side by side:
//! for the first time when the supervisor finds out, and then at once.
//!
//! A connection that lies idle has no buffers: those belong to the threads.

mod connection;
#[cfg(feature = "full")]
mod keeper;
#[cfg_attr(not(feature = "full"), path = "reactor/lane_threads_absent.rs")]
mod lane_threads;
mod worker_pool;

use std::io;
use std::sync::Arc;
use std::time::Instant;

use taut_sync::hazard;
use taut_sync::lock::Mutex;
use taut_sys::poll::{Event, Poller};
use taut_sys::return_stack::refill_behind;

use super::ObjectAdapter;
use super::deferral::Deferrals;
use super::duty::{Relief, Rest};
use super::load::Load;
use super::peer::Peer;
use super::peer_in_service::InService;
use super::rate::Rate;
use super::registry::Registry;
use super::service::Service;
use super::session::Session;
use crate::core::OrbCore;
use crate::threads;
use crate::waiting::Waiting;
use connection::{Connection, ThreadBuffers, Turn};
use lane_threads::LaneThreads;
use taut_sync::slot_table::{Found, SlotId, SlotTable};
use worker_pool::{Supervised, Worker, WorkerPool};

/// The threads and the connections that they share.
pub(super) struct Reactor<A> {
    core: Arc<OrbCore>,
    adapter: Arc<A>,
    registry: Arc<Registry>,
    poller: Poller,
    connections: SlotTable<Place<A>>,
    /// Held while a place of `StandBy` goes or changes: it leaves the poller only
    /// if the connection is not served here.
    standing_by: Mutex<()>,
    pool: WorkerPool,
    /// How often it may be told that there are too few threads.
    shortage_warnings: Mutex<Rate>,
    /// Where the threads are those of a lane of a thread pool.
    lane: Option<LaneThreads<A>>,
}

/// So many events are dealt with at a time whose requests are refused.
const MAX_REFUSED: usize = 64;

/// The connection that an event may concern.
enum Place<A> {
    /// A connection that these threads read.
    Shared(Box<Connection<A>>),
    /// One that has a thread of its own, which a servant keeps: a further
    /// request is read here.
    StandBy { served: InService, registry_id: u64 },
}

impl<A: ObjectAdapter> Place<A> {
    fn served(&self) -> &InService {
        match self {
            Self::Shared(connection) => connection.served(),
            Self::StandBy { served, .. } => served,
        }
    }

    fn peer(&self) -> &Peer {
        &self.served().peer
    }

    fn registry_id(&self) -> u64 {
        match self {
            Self::Shared(connection) => connection.registry_id(),
            Self::StandBy { registry_id, .. } => *registry_id,
        }
    }
}

impl<A: ObjectAdapter> Reactor<A> {
    /// A reactor with its threads, which work until [`stop`](Self::stop).
    ///
    /// # Errors
    ///
    /// The operating system's error where not even one thread can be started.
    pub(super) fn start(
        core: &Arc<OrbCore>,
        adapter: &Arc<A>,
        registry: &Arc<Registry>,
    ) -> io::Result<Arc<Self>> {
        let reactor = Arc::new(Self {
            core: Arc::clone(core),
            adapter: Arc::clone(adapter),
            registry: Arc::clone(registry),
            poller: Poller::new()?,
            connections: SlotTable::new(),
            standing_by: Mutex::new(()),
            pool: WorkerPool::new(&core.settings),
            shortage_warnings: Mutex::new(Rate::per_second(1)),
            lane: None,
        });
        for number in 0..core.settings.server.reactor_threads.max(1) {
            let Err(error) = reactor.spawn_worker() else {
                continue;
            };
            // One is enough to go on with.
            if number == 0 {
                reactor.stop();
                return Err(error);
            }
            reactor.warn_of_shortage(&error);
            break;
        }
        let supervised = Arc::clone(&reactor);
        match threads::spawn("taut supervisor", move || supervised.supervise()) {
            Ok(_) => Ok(reactor),
            Err(error) => {
                reactor.stop();
                Err(error)
            }
        }
    }

    /// Serves a connection from now on.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub(super) fn serve(&self, peer: &Arc<Peer>, registry_id: u64) -> io::Result<()> {
        tracing::debug!(peer = peer.name(), "connection accepted");
        let session = Session::new(self.service_of(peer), &self.core.settings);
        let connection = Connection::new(Arc::clone(peer), registry_id, session, Vec::new());
        let id = self.place(Place::Shared(Box::new(connection)))?;
        let watched = peer.stream().watch(&self.poller, token(id));
        if watched.is_err() {
            self.connections.remove(id);
        }
        watched
    }

    /// Reads a further request of a connection whose own thread is kept by a
    /// servant, if one comes, and serves the connection from then on.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub(super) fn stand_by(&self, peer: &Arc<Peer>, registry_id: u64) -> io::Result<SlotId> {
        let served = InService {
            peer: Arc::clone(peer),
            shift: Some(peer.duty().shift()),
        };
        let id = self.place(Place::StandBy {
            served,
            registry_id,
        })?;
        let watched = peer.stream().watch(&self.poller, token(id));
        if watched.is_err() {
            self.connections.remove(id);
        }
        watched.map(|()| id)
    }

    /// Leaves a connection to its own thread again, if that still has it.
    pub(super) fn stand_down(&self, id: SlotId, peer: &Peer) {
        let _standing_by = self.standing_by.lock();
        if self.connections.remove(id).is_some() {
            peer.stream().unwatch(&self.poller);
        }
    }

    fn place(&self, place: Place<A>) -> io::Result<SlotId> {
        let full = || io::Error::other("the reactor has no room for a connection");
        self.connections.insert(|_| place).ok_or_else(full)
    }

    /// The service of a connection by the thread that is on duty there now.
    fn service_of(&self, peer: &Arc<Peer>) -> Service<A> {
        let (core, adapter) = (Arc::clone(&self.core), Arc::clone(&self.adapter));
        let rules = self.lane.as_ref().map(|lane| Arc::clone(lane.rules()));
        Service::new(core, adapter, Arc::clone(peer)).in_lane(rules)
    }

    /// Ends all threads, as soon as what they carry out is done.
    pub(super) fn stop(&self) {
        self.pool.stop();
        self.poller.wake_all();
    }

    /// Starts a thread.
    fn spawn_worker(self: &Arc<Self>) -> io::Result<()> {
        let worker = self.pool.add();
        let reactor = Arc::clone(self);
        let own = Arc::clone(&worker);
        let spawned = threads::spawn("taut reactor", move || {
            reactor.core.priorities.begin_internal_thread();
            reactor.work(&own);
        });
        if spawned.is_err() {
            self.pool.leave(&worker);
        }
        spawned.map(drop)
    }

    /// Runs the supervisor.
    fn supervise(self: &Arc<Self>) {
        self.core.priorities.begin_internal_thread();
        hazard::prepare_thread();
        self.pool.supervise(self);
    }

    fn warn_of_shortage(&self, error: &io::Error) {
        if self.shortage_warnings.lock().admits(Instant::now()) {
            tracing::warn!(%error, "no further thread for the reactor");
        }
    }

    /// Runs one of the threads.
    fn work(&self, worker: &Arc<Worker>) {
        hazard::prepare_thread();
        worker.watch_this_thread();
        let settings = &self.core.settings;
        let mut buffers = ThreadBuffers::new(settings.wire.byte_order);
        if self.lane.is_some() {
            buffers.touch();
        }
        let (strategy, mut waiting) = (settings.server_waits(), Waiting::new(settings));
        loop {
            let event = waiting.wait(
                strategy,
                &mut (),
                |()| self.poller.try_wait(),
                |()| refill_behind(self.poller.wait()),
            );
            match event {
                Ok(Some(Event { token, is_last })) => {
                    worker.begin(token);
                    self.attend(slot_id(token), is_last, &mut buffers);
                    worker.end();
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::error!(%error, "the reactor cannot wait; a thread ends");
                    break;
                }
            }
            if self.pool.calls() && self.answer_call(worker, &mut buffers) {
                break;
            }
        }
        self.pool.leave(worker);
    }

    /// Does what no event tells. True when the calling thread is to end.
    #[cold]
    fn answer_call(&self, worker: &Worker, buffers: &mut ThreadBuffers) -> bool {
        if let Some(lane) = &self.lane {
            lane.work_off(self, worker, buffers);
        }
        self.pool.may_leave()
    }

    /// Deals with what has happened to a connection; `is_last` when its client
    /// sends nothing any more.
    fn attend(&self, id: SlotId, is_last: bool, buffers: &mut ThreadBuffers) {
        let Some(entry) = self.connections.get(id) else {
            return; // it has ended meanwhile
        };
        let Place::Shared(connection) = &entry.value else {
            // Its thread has been kept for long enough.
            return self.relieve(id, entry, true);
        };
        if is_last {
            connection.note_end();
        }
        let Some(mut events) = connection.take_turn() else {
            // The thread that has the turn will look again, but maybe not soon.
            if connection.peer().is_multiplexed() {
                self.relieve(id, entry, false);
            }
            return;
        };
        loop {
            match connection.turn(buffers, &self.registry) {
                Turn::Done => match connection.end_turn(events) {
                    Ok(()) => return,
                    Err(more) => events = more,
                },
                Turn::OthersFirst => {
                    connection.pass_turn();
                    let stream = connection.peer().stream();
                    if stream.watch_again(&self.poller, token(id)).is_ok() {
                        return;
                    }
                    break;
                }
                Turn::Relieved { is_last: true } => {
                    return self.registry.leave(connection.registry_id());
                }
                Turn::Relieved { is_last: false } => return self.registry.notify(),
                Turn::Over => break,
            }
        }
        self.remove(id, entry);
    }

    /// Removes a connection that nobody reads any more.
    #[cold]
    fn remove(&self, id: SlotId, entry: Found<Place<A>>) {
        // A value that this thread held would have to be ended by another.
        let removed = entry.to_arc();
        drop(entry);
        self.connections.remove(id);
        self.end(removed.value.peer(), removed.value.registry_id());
    }

    /// Lets another thread read a connection, if a servant keeps the one that
    /// does while its client goes on.
    #[cold]
    fn relieve(&self, id: SlotId, entry: Found<Place<A>>, may_overtake: bool) {
        // A value that this thread held would have to be ended by another.
        let relieved = entry.to_arc();
        drop(entry);
        let place = &relieved.value;
        let (InService { peer, shift }, registry_id) = (place.served(), place.registry_id());
        let limit = self.core.settings.server.max_requests_per_connection;
        let _standing_by = match place {
            Place::Shared(_) => None,
            Place::StandBy { .. } => Some(self.standing_by.lock()),
        };
        // Requests that are answered later keep no thread.
        let deferred = peer.deferrals().map_or(0, Deferrals::count);
        let limit = limit.saturating_add(deferred);
        if !peer.duty().is_in_upcall() || !peer.has_unread() {
            return;
        }
        let relief = shift.and_then(|shift| peer.duty().relieve(shift, limit, may_overtake));
        let Some(relief) = relief else {
            return;
        };
        tracing::trace!(
            peer = peer.name(),
            "a further request while one is under way"
        );
        self.connections.remove(id);
        self.succeed(peer, relief, registry_id);
    }

    /// Reads a connection from here on whose own thread is in an up-call: for the reply to it
    /// comes later. Nothing happens if that thread has been relieved.
    ///
    /// # Errors
    ///
    /// When as many requests are under way on the connection as can be counted.
    pub(super) fn take_over(&self, served: &InService, registry_id: u64) -> io::Result<()> {
        let InService { peer, shift } = served;
        let Some(shift) = *shift else {
            return Ok(());
        };
        match peer.duty().hand_over(shift) {
            Some(relief) => self.succeed(peer, relief, registry_id),
            None if peer.duty().shift() != shift => {}
            None => return Err(io::Error::other("too many requests are under way")),
        }
        Ok(())
    }

    /// Reads a connection whose thread has been relieved.
    fn succeed(&self, peer: &Arc<Peer>, relief: Relief, registry_id: u64) {
        peer.note_multiplexing();
        peer.become_reactive();
        let (service, settings) = (self.service_of(peer), &self.core.settings);
        let (session, rest) = Session::succeed(service, relief.is_reply_due, settings);
        let connection = Connection::new(Arc::clone(peer), registry_id, session, rest);
        let watched = self
            .place(Place::Shared(Box::new(connection)))
            .and_then(|id| {
                let (stream, token) = (peer.stream(), token(id));
                // An event for what is there already, even if it was not watched.
                let watched = stream
                    .watch_again(&self.poller, token)
                    .or_else(|_| stream.watch(&self.poller, token));
                if watched.is_err() {
                    self.connections.remove(id);
                }
                watched
            });
        if let Err(error) = watched {
            tracing::warn!(peer = peer.name(), %error, "no resources for a connection; closing it");
            peer.abort();
            self.end(peer, registry_id);
        }
    }

    /// Forgets a connection that nobody reads any more, as soon as nothing is
    /// under way.
    fn end(&self, peer: &Peer, registry_id: u64) {
        peer.hang_up(false);
        if peer.duty().end() == Rest::Forget {
            self.registry.leave(registry_id);
        }
    }
}

impl<A: ObjectAdapter> Supervised for Arc<Reactor<A>> {
    fn spawn(&self) -> bool {
        let spawned = Reactor::spawn_worker(self);
        spawned
            .inspect_err(|error| self.warn_of_shortage(error))
            .is_ok()
    }

    fn look_at(&self, token: u64) {
        let id = slot_id(token);
        let Some(entry) = self.connections.get(id) else {
            return;
        };
        entry.value.peer().send_batch_at_once();
        if entry.value.peer().is_kept() {
            // Even a oneway may be overtaken now.
            self.relieve(id, entry, true);
        }
    }

    fn has_event(&self) -> bool {
        self.poller.has_event()
    }

    /// Does what a thread would do that is not there, but that each request is answered
    /// with NO_RESOURCES instead of being carried out: the servants, all of which wait
    /// for what only such requests bring, get an end of their calls.
    fn refuse_requests(&self) {
        if self.shortage_warnings.lock().admits(Instant::now()) {
            tracing::warn!(
                setting = "server.max_reactor_threads",
                limit = self.core.settings.server.max_reactor_threads,
                "refusing requests: every thread of the reactor waits in a servant"
            );
        }
        let mut buffers = ThreadBuffers::under(Load::Stalled, self.core.settings.wire.byte_order);
        for _ in 0..MAX_REFUSED {
            let Ok(Some(Event { token, is_last })) = self.poller.try_wait() else {
                return;
            };
            self.attend(slot_id(token), is_last, &mut buffers);
        }
    }
}

fn token(id: SlotId) -> u64 {
    u64::from(id.generation) << 32 | u64::from(id.index)
}

fn slot_id(token: u64) -> SlotId {
    SlotId {
        index: token as u32,
        generation: (token >> 32) as u32,
    }
}
