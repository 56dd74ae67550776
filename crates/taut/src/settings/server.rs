//! The settings of an ORB's server side.

use std::time::Duration;

use super::{WaitStrategy, choices, within_descriptors};
use crate::transport::{Address, ListenOptions, PeerNetwork};

/// The settings of an ORB's server side: how it listens, serves and finds objects, and the
/// most that clients may ask of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerSettings {
    /// How a thread that serves connections waits for requests. None, the default: as
    /// [`wait_strategy`](crate::WireSettings::wait_strategy) says.
    pub wait_strategy: Option<WaitStrategy>,
    /// The most end points that a client may name for calls back over its own
    /// connection; a list that is longer is refused with MARSHAL. Default 16.
    pub max_listen_points: usize,
    /// How many connections to the server may wait until it accepts them, as far
    /// as the system goes along (`net.core.somaxconn`). Those beyond are not
    /// refused; their clients' systems try again after a second. Default 1,024.
    pub listen_backlog: u32,
    /// The permissions of the files of Unix-domain sockets that the server listens at:
    /// a user who may write to one may connect. Default 0o600, the server's own user.
    pub unix_socket_mode: u32,
    /// How many connections each listener accepts in a second; the others wait. A client
    /// that connects in a loop costs no more than this. Default 1,500.
    pub max_accepts_per_second: u32,
    /// The most connections that the server keeps. Beyond it, the one that has been idle
    /// for longest is closed for a new one; when none is idle, the new one is closed at
    /// once. So it is when the process has no file descriptor left. Default 10,000, or
    /// fewer where the process may have too few open files (`ulimit -n`) when the settings
    /// are made: an eighth of these, and 16, are left to the program.
    pub max_connections: usize,
    /// The most connections that the server keeps from one address, and over
    /// Unix-domain sockets from one user. Beyond it, the one from there that has been idle
    /// for longest is closed for a new one; when none is idle, the new one is closed at
    /// once. Default 256.
    pub max_connections_per_peer: usize,
    /// The peers for which neither
    /// [`max_connections_per_peer`](Self::max_connections_per_peer) nor
    /// [`penalty_policy`](Self::penalty_policy) holds: gateways behind which there are
    /// many clients. Default: none.
    pub exempt_peers: Vec<PeerNetwork>,
    /// The most octets of replies that wait, on all connections of the server, until
    /// clients take them. Beyond it, the connection is closed whose client has taken
    /// nothing of what waits for longest. Default 256 MiB.
    pub max_pending_output: usize,
    /// How many of the server's connections have a thread of their own, which
    /// is the quickest way to serve them. Those that come when there are so
    /// many share the threads of a reactor, which costs least memory and serves
    /// thousands. 0: all share. Default 64.
    pub connection_threads: usize,
    /// How many threads the reactor has. Each waits for events, carries out
    /// requests that have arrived, and waits again. Default: as many as the process has
    /// CPUs, and at least 2.
    pub reactor_threads: usize,
    /// The most threads that the reactor may have. It gets further ones while
    /// none of those it has makes progress, because servants wait for something
    /// that only a further request may bring. Default 64.
    pub max_reactor_threads: usize,
    /// How long requests wait while every thread that the reactor may have is in a servant
    /// that waits for the reply to a call of its own, and none of these replies comes:
    /// those may depend on the very requests that wait. Then the requests are answered
    /// with NO_RESOURCES, and oneways are dropped. None: they wait for as long as it takes.
    /// Default 0.5 s.
    pub reactor_stall_timeout: Option<Duration>,
    /// The most requests of one connection that are carried out at once. A client
    /// may send a further request before it has the reply to the first; further
    /// threads carry such requests out, up to this number, and beyond it they wait
    /// unread. 1: one after the other, so that a servant whose client calls again
    /// within a callback waits for ever. Oneways keep their order, unless a
    /// servant takes longer than some 20 ms. Default 1,024.
    pub max_requests_per_connection: usize,
    /// How many replies are sent together at most, to requests of one connection that have
    /// arrived together. A reply waits only while the next request is there already, and the
    /// servants before it were quick. 1: each is sent by itself, as it is where the ORB has
    /// priorities. Default 64.
    pub reply_batch_messages: usize,
    /// How many octets these replies may have together; a longer one is sent at once.
    /// Default 16 KiB.
    pub reply_batch_octets: usize,
    /// How long such a reply waits at most before the next request is begun; an up-call that
    /// takes longer is not quick. While one takes longer than was to be expected, what waits is
    /// sent within some 10 ms, or 80 ms where the server was idle before. Zero: not at all.
    /// Default 0.1 ms.
    pub reply_batch_timeout: Duration,
    /// The most requests that wait while a POA manager holds them; further ones are
    /// refused with TRANSIENT, OMG minor 1. Default 1,000 for each manager.
    pub max_held_requests: usize,
    /// The most requests of one connection that servants have taken to answer later
    /// ([`ServerRequest::defer`](crate::ServerRequest::defer), asynchronous servants); further
    /// ones are refused with TRANSIENT. Default 16,384.
    pub max_deferred_requests_per_connection: usize,
    /// The same for all connections of the server together. Default 65,536.
    pub max_deferred_requests: usize,
    /// How many threads go on with the futures of asynchronous servants, unless the ORB has an
    /// [executor](crate::OrbBuilder::executor). They are started when the first future has to
    /// wait. Default 2.
    pub future_threads: usize,
    /// The name that tells the persistent references of this server from those of others: a
    /// POA takes a reference for its own if it was made by a POA of the same name in
    /// a server of the same id. Default: empty.
    pub id: String,
    /// The addresses that references of persistent POAs carry instead of those of this
    /// server: those of a forwarder, which knows where the server is at the moment
    /// and sends clients there (docs/persistence.md). Default: empty, they carry the
    /// server's own, and the server comes back at the same.
    pub persistent_addresses: Vec<Address>,
    /// How objects are found by what their keys say. Default: where they lie (active
    /// demultiplexing); the others are for measurement.
    pub object_demultiplexing: DemultiplexingStrategy,
    /// How POAs are found by what keys say. Default: where they lie.
    pub poa_demultiplexing: DemultiplexingStrategy,
    /// How a servant's object is found, where servants have one. Default: by a hash
    /// table.
    pub servant_demultiplexing: ReverseDemultiplexing,
    /// Whether POAs are predictable that do not say it by a policy of theirs, the root POA
    /// among them. Default: they are not.
    pub predictability: PredictabilityPolicy,
    /// How many requests a client may cancel in a second; then its connection
    /// is closed. Default 1,000.
    pub max_cancels_per_second: u32,
    /// How many connections from one address, or one user of this machine, may end in
    /// a second because their clients break the rules of GIOP or exceed a limit; then
    /// [`penalty_policy`](Self::penalty_policy) holds for new connections from there, for
    /// the time of [`penalty`](Self::penalty). Those that are open already go on.
    /// Default 10.
    pub max_protocol_errors_per_second: u32,
    /// How long new connections are penalized from an address whose clients have broken
    /// the rules too often. Zero: not at all. Default 10 s.
    pub penalty: Duration,
    /// The treatment of these connections. Default: they are served, and cost little.
    pub penalty_policy: PenaltyPolicy,
    /// How long, at the most, a server keeps a connection on which nothing
    /// happens; then, or after half the time, it says goodbye, and clients
    /// connect anew when they call again. None: for ever. Default 5 min.
    pub idle_timeout: Option<Duration>,
    /// How long nothing must have arrived on a connection that was used before it is taken to
    /// be idle, and gives way where there is no room for another: one whose client calls
    /// again and again does not. Default 1 s.
    pub least_idle_time: Duration,
    /// How long the header of a message may take to arrive at a server; then
    /// its connection is closed. Default 10 s.
    pub header_timeout: Duration,
    /// How long a closing server connection waits for its peer to close too.
    /// Default 0.5 s.
    pub drain_timeout: Duration,
}

/// The way in which the object or POA that a key names is found (M7 and M8 of the TAO papers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum DemultiplexingStrategy {
    /// Where the key says that it lies, which is checked; by name, in a hash table,
    /// only if it does not. As costly for a million as for one.
    #[default]
    Active,
    /// By name, in a hash table.
    DynamicHash,
    /// By name, one after the other; POAs level by level.
    Linear,
}

/// The way in which the object of a servant is found (M11 of the TAO papers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ReverseDemultiplexing {
    /// In a hash table.
    #[default]
    DynamicHash,
    /// By looking at one object after the other.
    Linear,
}

/// Whether all that requests need is there before they come (Taut's own; docs/real-time.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PredictabilityPolicy {
    /// The other policies say how servants are found, and requests may wait.
    #[default]
    Flexible,
    /// Servants and children are there before requests come: policies and activators that make
    /// some on demand are refused, and no request waits for a turn, for a thread or for its
    /// manager. The POA can be [sealed](crate::Poa::seal).
    Predictable,
}

/// The treatment of new connections from an address whose clients have broken the rules
/// of GIOP too often ([`ServerSettings::max_protocol_errors_per_second`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum PenaltyPolicy {
    /// They are served, so that a good client behind the same address is none the worse.
    /// But none gets a thread of its own where there is a reactor, and one whose client
    /// breaks the rules is closed at once, without an answer and without a warning.
    #[default]
    Restrict,
    /// They are refused.
    Refuse,
}

impl ServerSettings {
    /// The properties of a place to listen at.
    pub(crate) fn listen_options(&self) -> ListenOptions {
        let mut options = ListenOptions::default();
        options.backlog = self.listen_backlog;
        options.file_mode = self.unix_socket_mode;
        options
    }
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            wait_strategy: None,
            max_listen_points: 16,
            listen_backlog: 1_024,
            unix_socket_mode: 0o600,
            max_accepts_per_second: 1_500,
            max_connections: within_descriptors(10_000),
            max_connections_per_peer: 256,
            exempt_peers: Vec::new(),
            max_pending_output: 256 << 20,
            connection_threads: 64,
            reactor_threads: choices::default_reactor_threads(),
            max_reactor_threads: 64,
            reactor_stall_timeout: Some(Duration::from_millis(500)),
            max_requests_per_connection: 1_024,
            reply_batch_messages: 64,
            reply_batch_octets: 16 << 10,
            reply_batch_timeout: Duration::from_micros(100),
            max_held_requests: 1_000,
            max_deferred_requests_per_connection: 16_384,
            max_deferred_requests: 65_536,
            future_threads: 2,
            id: String::new(),
            persistent_addresses: Vec::new(),
            object_demultiplexing: DemultiplexingStrategy::Active,
            poa_demultiplexing: DemultiplexingStrategy::Active,
            servant_demultiplexing: ReverseDemultiplexing::DynamicHash,
            predictability: PredictabilityPolicy::Flexible,
            max_cancels_per_second: 1_000,
            max_protocol_errors_per_second: 10,
            penalty: Duration::from_secs(10),
            penalty_policy: PenaltyPolicy::Restrict,
            idle_timeout: Some(Duration::from_secs(300)),
            least_idle_time: Duration::from_secs(1),
            header_timeout: Duration::from_secs(10),
            drain_timeout: Duration::from_millis(500),
        }
    }
}
