//! Word of flow control: when a transport takes no more, and when it does again.

use std::fmt;
use std::time::Instant;

/// The state of a connection that is sent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FlowState {
    /// It has no room: a thread that sends waits, or octets wait for a thread.
    Blocked,
    /// It has taken all that was waiting.
    Flowing,
    /// The connection has ended, with octets that had not been taken.
    Ended,
}

/// A change in the flow of one of the client's connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowEvent<'a> {
    /// The server, as other events give it.
    pub peer: &'a str,
    /// The state from here on.
    pub state: FlowState,
    /// The octets that wait, of the message or the messages that are being sent.
    pub octets_waiting: usize,
    /// When the transport had no room any more.
    pub since: Instant,
}

/// A receiver of notices of flow control; any function of an event is one.
///
/// It is called in the thread that sends, between two of its attempts: it must not block, and
/// must not make calls by the same ORB.
pub trait FlowObserver: Send + Sync + 'static {
    /// The flow of a connection has changed.
    fn changed(&self, event: &FlowEvent<'_>);
}

impl<F: Fn(&FlowEvent<'_>) + Send + Sync + 'static> FlowObserver for F {
    fn changed(&self, event: &FlowEvent<'_>) {
        self(event);
    }
}

/// The flow of the connections to the place where a reference leads, for callers that want to
/// know it before they call ([`ObjectRef::flow_control`](crate::ObjectRef::flow_control)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FlowControl {
    /// The number of connections whose transport has no room.
    pub blocked_connections: usize,
    /// The octets that wait on these.
    pub octets_waiting: usize,
    /// When the first of them had no room any more.
    pub since: Option<Instant>,
    /// The number of oneways with `SyncScope::None` that have not been sent.
    pub queued_oneways: usize,
    /// The octets of these.
    pub queued_octets: usize,
}

impl FlowControl {
    /// Whether a connection takes no more.
    pub fn is_blocked(&self) -> bool {
        self.blocked_connections > 0
    }
}

impl fmt::Debug for dyn FlowObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FlowObserver")
    }
}
