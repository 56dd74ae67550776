//! The settings of an ORB's client side.

use std::time::{Duration, Instant};

use super::{CollocationStrategy, ConnectionSharing, SyncScope, within_descriptors};
use crate::transport::{ConnectOptions, Resolver};

/// The settings of an ORB's client side: how it connects, calls and waits for replies.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientSettings {
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
    /// How long a call may take in all: looking up names, connecting, waiting for a
    /// connection, sending, waiting for the reply and receiving it, forwards and repeated
    /// attempts. Then it fails with TIMEOUT: COMPLETED_NO if the request has not left in
    /// full, COMPLETED_MAYBE otherwise. A reference may have a time of its own
    /// ([`ObjectRef::with_call_timeout`](crate::ObjectRef::with_call_timeout)), and so may
    /// a part of a program ([`deadline::within`](crate::deadline::within)); see there for
    /// what this is in the standard. None, the default: no limit.
    pub call_timeout: Option<Duration>,
    /// How calls to one endpoint share connections. Default: not at all.
    pub connection_sharing: ConnectionSharing,
    /// The order in which the addresses of a reference are tried. Default: those on this
    /// machine first.
    pub transport_order: TransportOrder,
    /// The event that a oneway call waits for. Default: that the transport has taken it.
    pub sync_scope: SyncScope,
    /// How many oneways with [`SyncScope::None`] are sent together at most: as soon as so
    /// many wait beside one connection, they are sent. 1: each by itself. Default 256.
    pub oneway_batch_messages: usize,
    /// How many octets these oneways may have together until they are sent. Default
    /// 64 KiB.
    pub oneway_batch_octets: usize,
    /// How long such a oneway waits for others at most, and at least 0.1 ms unless it is
    /// zero; zero: not at all. Default 1 ms.
    pub oneway_batch_timeout: Duration,
    /// The most oneways that wait to be sent over one connection, because it is not open
    /// yet or its peer does not take them, and their octets; beyond either, a call fails
    /// with TRANSIENT. Default 1,024, and 16 MiB.
    pub max_queued_oneways: usize,
    /// See [`max_queued_oneways`](Self::max_queued_oneways).
    pub max_queued_oneway_octets: usize,
    /// How objects of this process are called. Default: through their POA.
    pub collocation: CollocationStrategy,
    /// The most connections to one endpoint, and so the most calls in flight
    /// to it, where connections are exclusive. Default 64.
    pub max_connections_per_endpoint: usize,
    /// The most connections that this ORB opens, to all endpoints. Beyond it, one
    /// that carries no call is closed for a new one; when all do, a call fails
    /// with TRANSIENT. So it is when the process has no file descriptor left, and then a
    /// call fails with NO_RESOURCES. Default 1,024, or fewer where the process may have
    /// too few open files (`ulimit -n`) when the settings are made.
    pub max_connections: usize,
    /// How long, at the most, the client keeps a connection that carries no call;
    /// it is closed then, or after half the time. None: until the server closes
    /// it. Default 2 min.
    ///
    /// A thread sees to that, which is started with the second connection, or with the
    /// first where the process has several threads already. A process that has one thread
    /// and one connection keeps both as they are: beside a second thread each of its
    /// calls would cost more.
    pub idle_timeout: Option<Duration>,
    /// The most calls that wait for replies on one connection, where
    /// connections are shared, and on the connection of calls that are awaited: there a
    /// further one waits for its turn. Default 1,024.
    pub max_requests_in_flight: usize,
    /// How many octets of requests that are awaited may wait, beside one connection, until
    /// the transport takes them: beyond it, a further one waits for its turn. A larger one
    /// is sent by itself. Default 1 MiB.
    pub max_unsent_octets: usize,
    /// How many requests that were awaited and are given up the server is told of in a
    /// second, over one connection; the replies to further ones are passed over all the same.
    /// Servers end the connections of clients that cancel too often
    /// ([`ServerSettings::max_cancels_per_second`](crate::ServerSettings::max_cancels_per_second)).
    /// Default 400.
    pub max_cancels_per_second: u32,
    /// How many threads may look up names and connect at once for calls that are awaited;
    /// each ends when there is nothing more to do. Default 16.
    pub max_connecting_threads: usize,
    /// How many calls may be under way whose replies go to reply handlers, or are polled for:
    /// `sendc_…` and `sendp_…`. A further one fails with TRANSIENT. Default 65,536.
    pub max_ami_calls: usize,
    /// How many threads call reply handlers of this process, and look up where others are.
    /// They start when they are needed; further replies wait. Default 4.
    pub reply_threads: usize,
    /// How long a call waits for a connection when all to its endpoint are in
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
}

/// An order in which the addresses of a reference are tried.
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

impl ClientSettings {
    /// The properties of an attempt to connect that must end by the deadline.
    pub(crate) fn connect_options(&self, deadline: Option<Instant>) -> ConnectOptions {
        let mut options = ConnectOptions::within(self.connect_timeout);
        options.deadline = deadline;
        options.resolver = self.resolver.clone();
        options.max_resolver_threads = self.max_resolver_threads;
        options
    }
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            resolver: Resolver::default(),
            max_resolver_threads: 16,
            call_timeout: None,
            connection_sharing: ConnectionSharing::Exclusive,
            transport_order: TransportOrder::LocalFirst,
            sync_scope: SyncScope::WithTransport,
            oneway_batch_messages: 256,
            oneway_batch_octets: 64 << 10,
            oneway_batch_timeout: Duration::from_millis(1),
            max_queued_oneways: 1_024,
            max_queued_oneway_octets: 16 << 20,
            collocation: CollocationStrategy::default(),
            max_connections_per_endpoint: 64,
            max_connections: within_descriptors(1_024),
            idle_timeout: Some(Duration::from_secs(120)),
            max_requests_in_flight: 1_024,
            max_unsent_octets: 1 << 20,
            max_cancels_per_second: 400,
            max_connecting_threads: 16,
            max_ami_calls: 65_536,
            reply_threads: 4,
            connection_wait: Duration::from_secs(30),
            max_forwards: 8,
            max_stray_replies: 1_000,
            max_idle_endpoints: 64,
            max_reference_file: 1 << 20,
        }
    }
}
