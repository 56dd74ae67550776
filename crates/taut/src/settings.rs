//! Every limit and time-out of an ORB, with its default.

#[cfg_attr(not(feature = "full"), path = "settings/choices_minimal.rs")]
mod choices;

use std::io;
use std::time::{Duration, Instant};

use taut_cdr::{ByteOrder, CharCodeSet, GraphLimits, MemoryLimit};
use taut_giop::framing::FramingLimits;
use taut_giop::{Limits, Version};
use taut_sys::descriptors;

use crate::transport::{
    Address, ChannelOption, ConnectOptions, ListenOptions, PeerNetwork, Resolver, Stream,
};

pub(crate) use choices::HAS_REACTOR;
pub use choices::{BidirectionalPolicy, CollocationStrategy, ConnectionSharing, SyncScope};

/// The limits and time-outs of an ORB. Each has a default; the ORB's builder
/// changes them.
///
/// The shape `minimal` has all of them. Those of what it leaves out (docs/footprint.md)
/// have one value there, or bound what does not occur: oneways that wait, requests on
/// shared connections, the threads of a reactor, points of clients that listen.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// What a peer may make us keep of messages and fragments. A peer that
    /// wants more loses its connection.
    pub framing: FramingLimits,
    /// How many service contexts a message, profiles a reference and components a
    /// profile may have: 64, 32 and 128 unless set. A request beyond is answered
    /// with MessageError, a reply or a reference with MARSHAL.
    pub lists: Limits,
    /// How large the TypeCodes in messages may be: 4,096 nodes and 1,024
    /// indirections each unless set. A message beyond is answered with MARSHAL.
    pub type_codes: GraphLimits,
    /// The highest GIOP version to speak: what references to our objects say,
    /// and the most that requests to others use. Default 1.2.
    pub giop_version: Version,
    /// Messages of GIOP 1.2 that are larger than this, in octets, are sent in
    /// fragments of at most this size, or of 32 octets if that is more. Messages
    /// of 1.0 and 1.1 are always sent whole: 1.0 has no fragments, and what 1.1
    /// has few peers understand. Fragments of both versions are received.
    /// Default: the largest number, so that nothing is cut.
    pub fragment_size: usize,
    /// The code set that references to our objects call native: what clients in
    /// other languages then choose for strings, if they can. One that has UTF-8
    /// chooses UTF-8. Default ISO 8859-1.
    pub native_char_code_set: CharCodeSet,
    /// The code sets that strings are written and read in, as client and as
    /// server, besides ISO 8859-1 and UTF-8: the best first. A character that
    /// does not exist in the one agreed upon is DATA_CONVERSION, OMG minor 1; a
    /// client that demands another one gets CODESET_INCOMPATIBLE, OMG minor 2.
    /// There are further ones with the feature `code-sets`. Default: none.
    pub char_code_sets: Vec<CharCodeSet>,
    /// Whether `wchar` and `wstring` are sent and read as UTF-16 where no code set was
    /// agreed for them: to an object whose reference names no code sets, and from a
    /// client that announces none. For peers that are known to have UTF-16. Without it,
    /// such wide characters are INV_OBJREF, OMG minor 1 or 2, in the client, and
    /// BAD_PARAM, OMG minor 23, in the server (CORBA 3.3 part 2, 7.10.2.6). Default
    /// false.
    pub assume_utf16: bool,
    /// The byte order of the messages that are sent; all are understood. The
    /// default, this machine's, is the fastest, and another is for tests of
    /// peers.
    pub byte_order: ByteOrder,
    /// How deeply sequences and values may nest in a message; beyond it a
    /// message is answered with MARSHAL. Default 64.
    pub nesting_limit: u16,
    /// How much memory the values in a message may take, in proportion to its
    /// octets; beyond it a message is answered with MARSHAL. Many small elements
    /// take most: an empty string is 4 or 8 octets in a message and 24 in memory.
    /// Default 4 octets for each octet, and 64 KiB.
    pub memory: MemoryLimit,
    /// Whether a value may contain itself, directly or not. Values share each
    /// other by counting; a circle of them is never freed, so that a peer who
    /// may send circles may use up memory. Without leave they are MARSHAL.
    /// Default: no.
    pub cyclic_values: bool,
    /// How long to wait for the look-up of a host's name, and again for a connection to
    /// be accepted at each address that it stands for; then the call fails with TRANSIENT.
    /// Default 10 s.
    pub connect_timeout: Duration,
    /// The name service that is asked for hosts' addresses. Default: the operating
    /// system's.
    pub resolver: Resolver,
    /// How many threads may wait for the name service at once. The system cannot be asked
    /// with a time limit, so each name is looked up by a thread, which ends when there is
    /// an answer; calls wait for it no longer than they have time. Further names wait until
    /// one of these threads ends. Default 16.
    pub max_resolver_threads: usize,
    /// After how long without a word from a peer its system is asked whether it is
    /// still there (TCP keep-alive); if it does not answer for as long again, the
    /// connection is lost. Whole seconds, from 1 to 32,767 (nine hours): what is
    /// less or more is taken for the nearest. None: never. Default 60 s.
    pub keep_alive: Option<Duration>,
    /// How many octets that were sent the system is asked to keep for each connection
    /// until the peer's has them (`SO_SNDBUF`): whoever sends more waits. The system
    /// brings it within its bounds (of Linux, `net.core.wmem_max`). More than 2³¹ − 1:
    /// connections fail. None, the default: the system chooses, and adapts it to each
    /// connection.
    pub send_buffer: Option<usize>,
    /// How many octets that have arrived it is asked to keep until they are received
    /// (`SO_RCVBUF`, `net.core.rmem_max`): when there are more, the peer has to wait.
    /// Without a meaning for Unix-domain sockets. None, the default: as above.
    pub receive_buffer: Option<usize>,
    /// How long a call may take in all: looking up names, connecting, waiting for a
    /// connection, sending, waiting for the reply and receiving it, forwards and repeated
    /// attempts. Then it fails with TIMEOUT: COMPLETED_NO if the request has not left in
    /// full, COMPLETED_MAYBE otherwise. A reference may have a time of its own
    /// ([`ObjectRef::with_call_timeout`](crate::ObjectRef::with_call_timeout)), and so may
    /// a part of a program ([`deadline::within`](crate::deadline::within)); see there for
    /// what this is in the standard. None, the default: no limit.
    pub call_timeout: Option<Duration>,
    /// How a thread waits for the reply to its call, and how one that serves a
    /// connection waits for requests, unless [`server_wait_strategy`] says otherwise
    /// (docs/waiting.md). Default: by blocking.
    ///
    /// [`server_wait_strategy`]: Self::server_wait_strategy
    pub wait_strategy: WaitStrategy,
    /// How a thread that serves connections waits for requests. None, the default: as
    /// [`wait_strategy`](Self::wait_strategy) says.
    pub server_wait_strategy: Option<WaitStrategy>,
    /// How long a wait spins before it blocks, with [`WaitStrategy::Spin`]; the most
    /// that [`WaitStrategy::Adaptive`] lets one spin, if it is less than 100 µs. Default
    /// 1 ms.
    pub spin_time: Duration,
    /// How calls to one endpoint share connections. Default: not at all.
    pub connection_sharing: ConnectionSharing,
    /// In which order the addresses of a reference are tried. Default: those on this
    /// machine first.
    pub transport_order: TransportOrder,
    /// What a oneway call waits for. Default: that the transport has taken it.
    pub sync_scope: SyncScope,
    /// With how many others a oneway is sent at the most for which nobody waits
    /// ([`SyncScope::None`]): as soon as so many wait beside one connection, they are
    /// sent. 1: each by itself. Default 256.
    pub oneway_batch_messages: usize,
    /// How many octets they may have together until they are sent. Default 64 KiB.
    pub oneway_batch_octets: usize,
    /// How long such a oneway waits for others at the most, and at the least 0.1 ms when
    /// it is not zero; zero: not at all. Default 1 ms.
    pub oneway_batch_timeout: Duration,
    /// The most oneways that wait to be sent over one connection, because it is not open
    /// yet or its peer does not take them, and their octets; beyond either, a call fails
    /// with TRANSIENT. Default 1,024, and 16 MiB.
    pub max_queued_oneways: usize,
    /// See [`max_queued_oneways`](Self::max_queued_oneways).
    pub max_queued_oneway_octets: usize,
    /// How objects of this process are called. Default: through their POA.
    pub collocation: CollocationStrategy,
    /// Whether requests go both ways on a connection. Default: only from the
    /// side that opened it.
    pub bidirectional: BidirectionalPolicy,
    /// The most end points that a client may name for calls back over its own
    /// connection; a list that is longer is refused with MARSHAL. Default 16.
    pub max_listen_points: usize,
    /// The most connections to one endpoint, and so the most calls in flight
    /// to it, where connections are exclusive. Default 64.
    pub max_connections_per_endpoint: usize,
    /// The most connections that this ORB opens, to all endpoints. Beyond it, one
    /// that carries no call is closed for a new one; when all do, a call fails
    /// with TRANSIENT. So it is when the process has no file descriptor left, and then a
    /// call fails with NO_RESOURCES. Default 1,024, or fewer where the process may have
    /// too few open files (`ulimit -n`) when the settings are made.
    pub max_client_connections: usize,
    /// How long, at the most, the client keeps a connection that carries no call;
    /// it is closed then, or after half the time. None: until the server closes
    /// it. Default 2 min.
    ///
    /// A thread sees to that, which is started with the second connection, or with the
    /// first where the process has several threads already. A process that has one thread
    /// and one connection keeps both as they are: beside a second thread each of its
    /// calls would cost more.
    pub client_idle_timeout: Option<Duration>,
    /// The most calls that wait for replies on one connection, where
    /// connections are shared. Default 1,024.
    pub max_requests_in_flight: usize,
    /// How long a call waits for one of these connections when all are in
    /// use, or for room among the calls in flight; then it fails with TRANSIENT.
    /// Default 30 s.
    pub connection_wait: Duration,
    /// The most location forwards, and wishes for another form of the target's
    /// address, that are followed for one call; then it fails with TRANSIENT.
    /// Default 8.
    pub max_forwards: usize,
    /// The most replies to nobody that are passed over while a call waits for
    /// its own; then the connection is closed, and its calls fail with
    /// COMM_FAILURE. Such are replies to oneways, which some ORBs send, and to
    /// calls that were given up. Default 1,000.
    pub max_stray_replies: usize,
    /// How many further addresses are connected to before those are forgotten,
    /// and the connections to them closed, to which no reference leads any more.
    /// Default 64.
    pub max_idle_endpoints: usize,
    /// The most octets of a file with a reference (`file:///path`) that are read; a longer
    /// one is refused. Default 1 MiB.
    pub max_reference_file: usize,
    /// How many connections to the server may wait until it accepts them, as far
    /// as the system goes along (`net.core.somaxconn`). Those beyond are not
    /// refused; their clients' systems try again after a second. Default 1,024.
    pub listen_backlog: u32,
    /// The permissions of the files of Unix-domain sockets that the server listens at:
    /// whoever may write to one may connect. Default 0o600, the server's own user.
    pub unix_socket_mode: u32,
    /// How many connections the server accepts in a second; the others wait. Who
    /// connects in a loop costs no more than this. Default 1,500.
    pub max_accepts_per_second: u32,
    /// The most connections that the server keeps. Beyond it, the one that has been idle
    /// for longest is closed for a new one; when none is idle, the new one is closed at
    /// once. So it is when the process has no file descriptor left. Default 10,000, or
    /// fewer where the process may have too few open files (`ulimit -n`) when the settings
    /// are made: an eighth of these, and 16, are left to the program.
    pub max_server_connections: usize,
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
    /// what has arrived, and waits again. Default: as many as the process has
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
    /// The most requests that wait while a POA manager holds them; further ones are
    /// refused with TRANSIENT, OMG minor 1. Default 1,000 for each manager.
    pub max_held_requests: usize,
    /// What tells the persistent references of this server from those of others: a
    /// POA takes a reference for its own if it was made by a POA of the same name in
    /// a server of the same id. Default: empty.
    pub server_id: String,
    /// What references of persistent POAs carry instead of the addresses of this
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
    /// Whether calls between two ORBs of Taut that both say yes name object and operation
    /// by one handle instead of an object key and a name. A server then says in
    /// references to active objects of transient POAs how; clients whose stubs are of
    /// the object's very interface use it. Other ORBs see a component that they do not
    /// know. Default: no.
    pub operation_handles: bool,
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
    /// How long the header of a message may take to arrive at a server; then
    /// its connection is closed. Default 10 s.
    pub header_timeout: Duration,
    /// How long a message may take to arrive at a server, from its first octets
    /// to its last, and a reply to be taken by its client, all of it, from when the
    /// system first has no room for its octets; then its connection is closed. A client
    /// that takes a little now and then does not get more time. Messages in fragments may take twice as long. On a client, how
    /// long a part of a reply is kept for which nobody waits any more, where
    /// connections are shared; twice as long at the most. Default 30 s.
    pub message_timeout: Duration,
    /// How long a closing server connection waits for its peer to close too.
    /// Default 0.5 s.
    pub drain_timeout: Duration,
}

/// How a thread waits for a message (docs/waiting.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum WaitStrategy {
    /// In one system call, in which it sleeps. Waking it takes the system some 20 µs
    /// where CPUs are idle, more than all the rest of a small call.
    #[default]
    Block,
    /// It looks for the message again and again before it blocks, but only where that
    /// has lately made waits shorter, and for about as long as the wait would take.
    /// Whether it does is tried ever more seldom while it does not.
    Adaptive,
    /// It looks for the message again and again for the time of
    /// [`Settings::spin_time`], whatever comes of it, and then blocks. For threads
    /// that have a CPU of their own.
    Spin,
}

/// In which order the addresses of a reference are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TransportOrder {
    /// Unix-domain sockets of this machine first, if they are there, then the others
    /// as published.
    #[default]
    LocalFirst,
    /// As the reference has them.
    AsPublished,
}

/// How what a key names is found (M7 and M8 of the TAO papers).
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

/// How the object of a servant is found (M11 of the TAO papers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ReverseDemultiplexing {
    /// In a hash table.
    #[default]
    DynamicHash,
    /// By looking at one object after the other.
    Linear,
}

/// The treatment of new connections from an address whose clients have broken the rules
/// of GIOP too often ([`Settings::max_protocol_errors_per_second`]).
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

impl WaitStrategy {
    /// How what is missing of a message is waited for: how long that takes says nothing
    /// of how long replies do.
    pub(crate) fn for_the_rest(self) -> Self {
        match self {
            Self::Adaptive => Self::Block,
            other => other,
        }
    }
}

impl Settings {
    /// How the server waits for requests.
    pub(crate) fn server_waits(&self) -> WaitStrategy {
        self.server_wait_strategy.unwrap_or(self.wait_strategy)
    }

    /// Sets the properties of a new connection. One that its transport does not have is
    /// told of by an event.
    ///
    /// # Errors
    ///
    /// What keeps the transport from setting one that it has.
    pub(crate) fn set_options_of(&self, stream: &Stream) -> io::Result<()> {
        let options = [
            self.keep_alive.map(ChannelOption::KeepAlive),
            self.send_buffer.map(ChannelOption::SendBuffer),
            self.receive_buffer.map(ChannelOption::ReceiveBuffer),
        ];
        for option in options.into_iter().flatten() {
            match stream.set_option(option) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    tracing::debug!(
                        peer = stream.peer(),
                        ?option,
                        "the transport has no such option"
                    );
                }
                set => set?,
            }
        }
        Ok(())
    }

    /// The properties of an attempt to connect that must end by the deadline.
    pub(crate) fn connect_options(&self, deadline: Option<Instant>) -> ConnectOptions {
        let mut options = ConnectOptions::within(self.connect_timeout);
        options.deadline = deadline;
        options.resolver = self.resolver.clone();
        options.max_resolver_threads = self.max_resolver_threads;
        options
    }

    /// The properties of a place to listen at.
    pub(crate) fn listen_options(&self) -> ListenOptions {
        let mut options = ListenOptions::default();
        options.backlog = self.listen_backlog;
        options.file_mode = self.unix_socket_mode;
        options
    }

    /// Whether strings may be in this code set.
    pub(crate) fn has_char_code_set(&self, code_set: CharCodeSet) -> bool {
        matches!(code_set, CharCodeSet::Iso8859_1 | CharCodeSet::Utf8)
            || code_set == self.native_char_code_set
            || self.char_code_sets.contains(&code_set)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            framing: FramingLimits::default(),
            lists: Limits::DEFAULT,
            type_codes: GraphLimits::DEFAULT,
            giop_version: Version::HIGHEST,
            fragment_size: usize::MAX,
            native_char_code_set: CharCodeSet::Iso8859_1,
            char_code_sets: Vec::new(),
            assume_utf16: false,
            byte_order: ByteOrder::NATIVE,
            nesting_limit: taut_cdr::DEFAULT_NESTING_LIMIT,
            memory: MemoryLimit::DEFAULT,
            cyclic_values: false,
            connect_timeout: Duration::from_secs(10),
            resolver: Resolver::default(),
            max_resolver_threads: 16,
            keep_alive: Some(Duration::from_secs(60)),
            send_buffer: None,
            receive_buffer: None,
            call_timeout: None,
            wait_strategy: WaitStrategy::Block,
            server_wait_strategy: None,
            spin_time: Duration::from_millis(1),
            connection_sharing: ConnectionSharing::Exclusive,
            transport_order: TransportOrder::LocalFirst,
            sync_scope: SyncScope::WithTransport,
            oneway_batch_messages: 256,
            oneway_batch_octets: 64 << 10,
            oneway_batch_timeout: Duration::from_millis(1),
            max_queued_oneways: 1_024,
            max_queued_oneway_octets: 16 << 20,
            collocation: CollocationStrategy::default(),
            bidirectional: BidirectionalPolicy::Normal,
            max_listen_points: 16,
            max_connections_per_endpoint: 64,
            max_client_connections: within_descriptors(1_024),
            client_idle_timeout: Some(Duration::from_secs(120)),
            max_requests_in_flight: 1_024,
            connection_wait: Duration::from_secs(30),
            max_forwards: 8,
            max_stray_replies: 1_000,
            max_idle_endpoints: 64,
            max_reference_file: 1 << 20,
            listen_backlog: 1_024,
            unix_socket_mode: 0o600,
            max_accepts_per_second: 1_500,
            max_server_connections: within_descriptors(10_000),
            max_connections_per_peer: 256,
            exempt_peers: Vec::new(),
            max_pending_output: 256 << 20,
            connection_threads: 64,
            reactor_threads: choices::default_reactor_threads(),
            max_reactor_threads: 64,
            reactor_stall_timeout: Some(Duration::from_millis(500)),
            max_requests_per_connection: 1_024,
            max_held_requests: 1_000,
            server_id: String::new(),
            persistent_addresses: Vec::new(),
            object_demultiplexing: DemultiplexingStrategy::Active,
            poa_demultiplexing: DemultiplexingStrategy::Active,
            servant_demultiplexing: ReverseDemultiplexing::DynamicHash,
            operation_handles: false,
            max_cancels_per_second: 1_000,
            max_protocol_errors_per_second: 10,
            penalty: Duration::from_secs(10),
            penalty_policy: PenaltyPolicy::Restrict,
            idle_timeout: Some(Duration::from_secs(300)),
            header_timeout: Duration::from_secs(10),
            message_timeout: Duration::from_secs(30),
            drain_timeout: Duration::from_millis(500),
        }
    }
}

/// As many connections, or as many as the process may have open files for, some of which
/// are left to the program.
fn within_descriptors(most: usize) -> usize {
    let left = |limit: u64| {
        let left_to_program = (limit / 8 + 16).min(1_024);
        usize::try_from(limit.saturating_sub(left_to_program)).unwrap_or(usize::MAX)
    };
    descriptors::limit().map_or(most, |limit| most.min(left(limit)).max(1))
}
