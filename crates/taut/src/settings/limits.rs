//! The limits of received messages.

use std::time::Duration;

use taut_cdr::{GraphLimits, MemoryLimit};
use taut_giop::Limits;
use taut_giop::framing::FramingLimits;

/// The limits of received messages, which hold for the client and the server side of an
/// ORB alike: how large they may be, how long they may take, how much memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MessageLimits {
    /// The messages and fragments that a peer may make the ORB keep. A peer that sends
    /// more loses its connection.
    pub framing: FramingLimits,
    /// How many service contexts a message, profiles a reference and components a
    /// profile may have: 64, 32 and 128 unless set. A request beyond is answered
    /// with MessageError, a reply or a reference with MARSHAL.
    pub lists: Limits,
    /// How large the TypeCodes in messages may be: 4,096 nodes and 1,024
    /// indirections each unless set. A message beyond is answered with MARSHAL.
    pub type_codes: GraphLimits,
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
    /// How long a message may take to arrive at a server, from its first octets
    /// to its last, and a reply to be taken by its client, all of it, from when the
    /// system first has no room for its octets; then its connection is closed. A client
    /// that takes a little now and then does not get more time. Messages in fragments may
    /// take twice as long. On a client, how long a part of a reply is kept for which no
    /// thread waits any more, where connections are shared; at most twice as long.
    /// Default 30 s.
    pub message_timeout: Duration,
}

impl Default for MessageLimits {
    fn default() -> Self {
        Self {
            framing: FramingLimits::default(),
            lists: Limits::DEFAULT,
            type_codes: GraphLimits::DEFAULT,
            nesting_limit: taut_cdr::DEFAULT_NESTING_LIMIT,
            memory: MemoryLimit::DEFAULT,
            cyclic_values: false,
            message_timeout: Duration::from_secs(30),
        }
    }
}
