//! Every limit and time-out of an ORB, with its default.

use std::time::Duration;

use taut_cdr::ByteOrder;
use taut_giop::Version;
use taut_giop::framing::FramingLimits;

/// The limits and time-outs of an ORB. Each has a default; the ORB's builder
/// changes them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// What a peer may make us keep of messages and fragments. A peer that
    /// wants more loses its connection.
    pub framing: FramingLimits,
    /// The highest GIOP version to speak: what references to our objects say,
    /// and the most that requests to others use. Default 1.2.
    pub giop_version: Version,
    /// The byte order of the messages that are sent; all are understood. The
    /// default, this machine's, is the fastest, and another is for tests of
    /// peers.
    pub byte_order: ByteOrder,
    /// How deeply sequences and values may nest in a message; beyond it a
    /// message is answered with MARSHAL. Default 64.
    pub nesting_limit: u16,
    /// How long to wait for a connection to be accepted; then the call fails
    /// with TRANSIENT. Default 10 s.
    pub connect_timeout: Duration,
    /// How long a call waits for its reply to begin, and again for it to end;
    /// then it fails with TIMEOUT, COMPLETED_MAYBE, and its connection is
    /// closed. None, the default: for ever, as the standard has it.
    pub call_timeout: Option<Duration>,
    /// The most connections to one endpoint, and so the most calls in flight
    /// to it. Default 64.
    pub max_connections_per_endpoint: usize,
    /// How long a call waits for one of these connections when all are in
    /// use; then it fails with TRANSIENT. Default 30 s.
    pub connection_wait: Duration,
    /// The most location forwards followed for one call; then it fails with
    /// TRANSIENT. Default 8.
    pub max_forwards: usize,
    /// The most connections that the server keeps; further ones are closed at
    /// once. Default 10,000.
    pub max_server_connections: usize,
    /// How long, at the most, a server keeps a connection on which nothing
    /// happens; then, or after half the time, it says goodbye, and clients
    /// connect anew when they call again. None: for ever. Default 5 min.
    pub idle_timeout: Option<Duration>,
    /// How long a message may take to arrive at a server, from its first octets
    /// to its last; then its connection is closed. Default 30 s.
    pub message_timeout: Duration,
    /// How long a closing server connection waits for its peer to close too.
    /// Default 0.5 s.
    pub drain_timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            framing: FramingLimits::default(),
            giop_version: Version::HIGHEST,
            byte_order: ByteOrder::NATIVE,
            nesting_limit: taut_cdr::DEFAULT_NESTING_LIMIT,
            connect_timeout: Duration::from_secs(10),
            call_timeout: None,
            max_connections_per_endpoint: 64,
            connection_wait: Duration::from_secs(30),
            max_forwards: 8,
            max_server_connections: 10_000,
            idle_timeout: Some(Duration::from_secs(300)),
            message_timeout: Duration::from_secs(30),
            drain_timeout: Duration::from_millis(500),
        }
    }
}
