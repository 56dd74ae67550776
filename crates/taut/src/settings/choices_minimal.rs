//! The values of settings that choose between parts of the standard, of those parts that
//! the shape `minimal` has. The answer to a question about a type with one value is known
//! when the ORB is compiled, so that nothing of the other parts stays in a program.

/// How calls in flight share connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ConnectionSharing {
    /// Each call in flight has a connection of its own.
    #[default]
    Exclusive,
}

/// The event that a oneway call waits for (the standard's `SyncScope`, CORBA 3.3 part 1,
/// 17.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SyncScope {
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

/// How calls reach objects that are in the caller's own process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CollocationStrategy {
    /// By messages over a connection, as if the object were elsewhere.
    #[default]
    Off,
}

/// Whether a connection carries requests both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BidirectionalPolicy {
    /// `NORMAL`: requests go from the side that opened the connection.
    #[default]
    Normal,
}

impl SyncScope {
    /// Whether oneways may wait beside connections.
    pub(crate) const MAY_BE_NONE: bool = false;
}

/// Whether there may be a reactor, and so threads that relieve others.
pub(crate) const HAS_REACTOR: bool = false;

/// How many threads a reactor would have: there is none.
pub(super) fn default_reactor_threads() -> usize {
    2
}
