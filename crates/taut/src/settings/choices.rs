//! The values of settings that choose between parts of the standard.

use std::num::NonZero;
use std::thread;

/// How calls in flight share connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ConnectionSharing {
    /// Each call in flight has a connection of its own: no call waits for
    /// another, and a reply costs least.
    #[default]
    Exclusive,
    /// All calls to an endpoint go over one connection: the fewest descriptors
    /// on both sides. Of the threads that wait for replies one reads for all.
    Shared,
}

/// The event that a oneway call waits for (the standard's `SyncScope`, CORBA 3.3 part 1,
/// 17.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SyncScope {
    /// `SYNC_NONE`: for nothing. The request waits beside the connection of this
    /// thread's calls, and is sent together with others: in front of the next call,
    /// when a bound is met
    /// ([`oneway_batch_messages`](crate::ClientSettings::oneway_batch_messages) and those
    /// that follow), or when the ORB is told to. The call never waits, not even for a
    /// connection. Requests that cannot be sent are lost.
    None,
    /// `SYNC_WITH_TRANSPORT`: until the operating system has taken the request.
    #[default]
    WithTransport,
    /// `SYNC_WITH_SERVER`: until the server has got the request, and before it
    /// calls the servant. Forwards are followed. GIOP 1.0 and 1.1 cannot say it:
    /// there it is `WithTarget`.
    WithServer,
    /// `SYNC_WITH_TARGET`: until the servant has carried the request out. A
    /// system exception that it raises is the caller's.
    WithTarget,
}

/// How calls reach objects that are in the caller's own process, of whichever of
/// its ORBs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CollocationStrategy {
    /// The caller's thread finds the servant through its POA, as a request would,
    /// and calls it: the manager's state, the object's life, forwards and panics
    /// matter as they do to others. No message is made.
    #[default]
    ThroughPoa,
    /// The reference keeps the servant, so that a call is little more than one of a
    /// method through a trait object. Once a call has come back the POA is not asked
    /// again: its manager may hold or discard requests, and the call is made; and a
    /// panic of the servant goes on in the caller, as that of any method does, instead
    /// of becoming UNKNOWN. A deactivated object is let go, and so is one whose ORB, or
    /// that of the reference, stops.
    Direct,
    /// By messages over a connection, as if the object were elsewhere.
    Off,
}

/// Whether a connection carries requests both ways (bidirectional GIOP, CORBA 3.3
/// part 2, 9.8; the standard's `BidirectionalPolicy`), as a client behind a
/// firewall needs for callbacks. Both ORBs must have it; GIOP 1.2 only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BidirectionalPolicy {
    /// `NORMAL`: requests go from the side that opened the connection.
    #[default]
    Normal,
    /// `BOTH`. As a client, an ORB that also listens tells servers its addresses,
    /// shares one connection for each endpoint, and takes requests on it. As a
    /// server, it serves all connections by the reactor, and calls the objects
    /// of a client over the client's own connection, if the address that the
    /// client gives for them is that of the machine from which it has connected.
    Both,
}

impl SyncScope {
    /// Whether oneways may wait beside connections.
    pub(crate) const MAY_BE_NONE: bool = true;
}

/// Whether there may be a reactor, and so threads that relieve others.
pub(crate) const HAS_REACTOR: bool = true;

/// How many threads a reactor has unless told otherwise: as many as can run at once.
pub(super) fn default_reactor_threads() -> usize {
    thread::available_parallelism()
        .map_or(2, NonZero::get)
        .max(2)
}
