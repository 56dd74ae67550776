//! The server role of a connection, as all threads may touch it.

mod batch;
mod client_role;
mod end;
mod sending;

use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use taut_giop::bidirectional::ListenPoint;
use taut_giop::deadline_context::Transit;
use taut_sync::lock::Mutex;
use taut_sync::lock::MutexGuard;

use super::deferral::{Deferrals, Home};
use super::duty::Duty;
use super::handover::Handover;
use super::outbox::Outbox;
use super::pending_output::{Account, OutputOwner, PendingOutput};
use super::rate::Rate;
use crate::connection::SharedConnection;
use crate::counters::Tally;
use crate::messaging::{Fragmentation, Messaging};
#[cfg(feature = "full")]
use crate::quality::{Client, Presence};
use crate::settings::{HAS_REACTOR, Settings};
use crate::transport::{Source, Stream};

/// The server role of a connection (see `connection::roles`), as others than
/// the thread that reads it may touch it: to send a reply, to close it, or to read it in the
/// other's place.
#[derive(Debug)]
pub(super) struct Peer {
    stream: Stream,
    /// How messages that are too large for one piece are sent.
    fragmentation: Fragmentation,
    /// How long the client may take for what it must do.
    message_timeout: Duration,
    drain_timeout: Duration,
    /// How long nothing must have arrived here before it is idle.
    least_idle_time: Duration,
    /// Where the client is. Asked once: a socket that failed does not know it.
    source: Option<Source>,
    /// The duty of reading the connection, and the requests that are under way.
    duty: Duty,
    /// The request that the thread on duty serves, or served last.
    request_id: AtomicU32,
    /// The last request that an overseer has found under way, and one more; 0:
    /// none was.
    overseen: AtomicU64,
    /// The state that the thread on duty leaves to the thread that relieves it.
    handover: Mutex<Handover>,
    /// Whether a servant has kept a thread while this client went on.
    is_multiplexed: AtomicBool,
    /// Whether the client has broken the rules.
    has_breached: AtomicBool,
    /// Whether too many clients from the same source have, lately.
    is_restricted: AtomicBool,
    /// Whether the connection is closed because there is no room for another.
    gives_way: AtomicBool,
    cancels: Mutex<Rate>,
    tally: Tally,
    /// The minor version and one of the highest version of GIOP that was noted; 0 if
    /// none was.
    noted_version: AtomicU8,
    /// The number of octets that had arrived at the last look for idle connections.
    received_before: AtomicU64,
    deadlines: Mutex<Deadlines>,
    /// The client role, where requests go both ways.
    client_role: OnceLock<Arc<SharedConnection>>,
    /// Itself.
    this: Weak<Self>,
    /// The connection's share of the octets that wait on all connections.
    account: Account,
    /// The octets that wait to be sent, where sending must not wait: from when the reactor
    /// reads the connection.
    outbox: OnceLock<Outbox>,
    /// The client, once an admission policy has been asked about it.
    #[cfg(feature = "full")]
    presence: OnceLock<Arc<Presence>>,
    /// How long requests that tell their deadlines are under way.
    transit: Mutex<Transit>,
    /// The end points that the client has named, and whether they are its own.
    listen_points: Mutex<Vec<(ListenPoint, bool)>>,
    /// Where the connection is served; set before the first request.
    home: OnceLock<Home>,
    /// The requests that are answered later, once there has been one.
    deferrals: OnceLock<Box<Deferrals>>,
}

/// By when the client must have done its part.
#[derive(Debug, Default)]
struct Deadlines {
    /// A message that has begun must have arrived.
    arrival: Option<Instant>,
    /// Octets that wait to be sent must have been taken; after the goodbye, the client must
    /// have closed too.
    departure: Option<Instant>,
    /// When it was last found that octets had arrived, and how many there were then.
    used: Option<Instant>,
    received: u64,
}

/// How long nothing has happened on a connection: the first is idle for longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Idleness {
    /// Nothing has ever arrived.
    Unused,
    /// Something was last found to have arrived then.
    Since(Instant),
}

impl OutputOwner for Peer {
    fn account(&self) -> &Account {
        &self.account
    }

    fn name(&self) -> &str {
        Self::name(self)
    }

    fn abort(&self) {
        Self::abort(self);
    }
}

impl Peer {
    /// A connection whose thread may wait while it sends.
    pub(super) fn waiting(
        stream: Stream,
        output: &Arc<PendingOutput>,
        settings: &Settings,
    ) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            client_role: OnceLock::new(),
            this: Weak::clone(this),
            account: output.open(),
            source: stream.source(),
            stream,
            fragmentation: Fragmentation::new(Messaging::of(settings), settings),
            message_timeout: settings.limits.message_timeout,
            drain_timeout: settings.server.drain_timeout,
            least_idle_time: settings.server.least_idle_time,
            duty: Duty::new(),
            request_id: AtomicU32::new(0),
            overseen: AtomicU64::new(0),
            handover: Mutex::default(),
            is_multiplexed: AtomicBool::new(false),
            has_breached: AtomicBool::new(false),
            is_restricted: AtomicBool::new(false),
            gives_way: AtomicBool::new(false),
            cancels: Mutex::new(Rate::per_second(settings.server.max_cancels_per_second)),
            tally: Tally::default(),
            noted_version: AtomicU8::new(0),
            received_before: AtomicU64::new(u64::MAX),
            deadlines: Mutex::default(),
            listen_points: Mutex::default(),
            #[cfg(feature = "full")]
            presence: OnceLock::new(),
            transit: Mutex::default(),
            outbox: OnceLock::new(),
            home: OnceLock::new(),
            deferrals: OnceLock::new(),
        })
    }

    /// A connection that is served with others, for which nobody waits.
    pub(super) fn reactive(
        stream: Stream,
        output: &Arc<PendingOutput>,
        settings: &Settings,
    ) -> Arc<Self> {
        let peer = Self::waiting(stream, output, settings);
        peer.become_reactive();
        peer
    }

    /// Whether nobody waits while it sends.
    pub(super) fn is_reactive(&self) -> bool {
        self.outbox().is_some()
    }

    /// Where what cannot be sent at once waits, if no thread does.
    #[inline(always)]
    fn outbox(&self) -> Option<&Outbox> {
        match HAS_REACTOR {
            true => self.outbox.get(),
            false => None,
        }
    }

    /// Returns when nobody waits any more while it sends: a thread that relieves
    /// another says so at once.
    pub(super) fn wait_until_reactive(&self) {
        self.outbox.wait();
    }

    /// Names the peer.
    pub(super) fn name(&self) -> &str {
        self.stream.peer()
    }

    /// Where the client is.
    pub(super) fn source(&self) -> Option<Source> {
        self.source
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The protocol of the messages, both ways.
    #[inline(always)]
    pub(super) fn messaging(&self) -> Messaging {
        self.fragmentation.messaging()
    }

    /// Returns the duty of reading the connection, with the requests that are under way.
    #[inline]
    pub(super) fn duty(&self) -> &Duty {
        &self.duty
    }

    /// Whether a request is being served.
    pub(super) fn is_busy(&self) -> bool {
        self.duty.is_busy()
    }

    /// Returns the counts of the connection.
    #[inline]
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Locks the state that the thread on duty leaves to the thread that relieves it.
    pub(super) fn handover(&self) -> MutexGuard<'_, Handover> {
        self.handover.lock()
    }

    /// Whether the client has sent more than what is being served, or has
    /// closed.
    pub(super) fn has_unread(&self) -> bool {
        self.handover.lock().has_octets() || self.stream.has_arrived()
    }

    /// The client, for admission policies.
    #[cfg(feature = "full")]
    pub(super) fn presence(&self) -> &Arc<Presence> {
        self.presence.get_or_init(|| {
            let client = Client::new(self.name(), self.source);
            Arc::new(Presence::of(client))
        })
    }

    /// Returns how much longer than the quickest a request has been under way that was sent
    /// and has arrived at these readings of both clocks, in units of 100 ns.
    pub(super) fn note_transit(&self, sent_at: u64, arrived_at: u64) -> u64 {
        self.transit.lock().note(sent_at, arrived_at)
    }

    /// Whether the client may cancel one more request now.
    pub(super) fn admits_cancel(&self) -> bool {
        self.cancels.lock().admits(Instant::now())
    }

    /// Notes that the client has broken the rules, so that its connection ends.
    pub(super) fn note_breach(&self) {
        self.has_breached.store(true, Ordering::Relaxed);
    }

    /// Notes that too many clients from the same source have broken the rules.
    pub(super) fn restrict(&self) {
        self.is_restricted.store(true, Ordering::Relaxed);
    }

    /// Whether too many clients from the same source have broken the rules.
    pub(super) fn is_restricted(&self) -> bool {
        self.is_restricted.load(Ordering::Relaxed)
    }

    /// Notes that the connection is closed because there is no room for another.
    pub(super) fn set_gives_way(&self) {
        self.gives_way.store(true, Ordering::Relaxed);
    }

    /// Whether the connection is closed because there is no room for another.
    pub(super) fn gives_way(&self) -> bool {
        self.gives_way.load(Ordering::Relaxed)
    }

    /// Whether the client has broken the rules.
    pub(super) fn has_breached(&self) -> bool {
        self.has_breached.load(Ordering::Relaxed)
    }

    /// Notes which request is going to be served. False when its id is that
    /// of another which still is.
    #[inline(always)]
    pub(super) fn note_request(&self, request_id: u32) -> bool {
        if !HAS_REACTOR {
            return true;
        }
        self.request_id.store(request_id, Ordering::Relaxed);
        !self.duty.has_apart() || !self.is_apart(request_id)
    }

    /// Whether another request with this id is being served.
    #[cold]
    #[inline(never)]
    fn is_apart(&self, request_id: u32) -> bool {
        // In this order: one that is deferred is among those before it leaves the others.
        let is_apart = self.handover.lock().is_apart(request_id);
        let deferrals = self.deferrals();
        is_apart || deferrals.is_some_and(|deferrals| deferrals.is_waiting(request_id))
    }

    /// Notes where the connection is served.
    pub(super) fn set_home(&self, home: Home) {
        // It is set once, before the connection is served.
        let _ = self.home.set(home);
    }

    /// Where the connection is served.
    pub(super) fn home(&self) -> Option<&Home> {
        self.home.get()
    }

    /// The number of the thread pool that serves the connection, if one does.
    pub(super) fn pool(&self) -> Option<u32> {
        self.home()?.lane.upgrade()?.pool()
    }

    /// The requests that are answered later, if there has ever been one.
    pub(super) fn deferrals(&self) -> Option<&Deferrals> {
        self.deferrals.get().map(|deferrals| &**deferrals)
    }

    /// The requests that are answered later.
    pub(super) fn open_deferrals(&self) -> &Deferrals {
        self.deferrals.get_or_init(Box::default)
    }

    /// A share in this.
    pub(super) fn share(&self) -> Option<Arc<Self>> {
        self.this.upgrade()
    }

    /// The request that the thread on duty serves.
    pub(super) fn request_id(&self) -> u32 {
        self.request_id.load(Ordering::Relaxed)
    }

    /// Whether the thread on duty has been running one and the same servant since
    /// this was last asked.
    pub(super) fn is_kept(&self) -> bool {
        let now = match self.duty.is_in_upcall() {
            true => u64::from(self.request_id()) + 1,
            false => 0,
        };
        self.overseen.swap(now, Ordering::Relaxed) == now && now != 0
    }

    /// Notes that a servant has kept a thread while this client went on. It will
    /// happen again, and then a thread is to be relieved at once.
    pub(super) fn note_multiplexing(&self) {
        self.is_multiplexed.store(true, Ordering::Relaxed);
    }

    /// Whether a servant has kept a thread while this client went on.
    pub(super) fn is_multiplexed(&self) -> bool {
        self.is_multiplexed.load(Ordering::Relaxed)
    }
}
