//! The load of the threads that serve connections.

/// The load of the threads that serve a connection, as the thread has it that reads a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// The thread serves requests.
    Ordinary,
    /// Every thread waits in a servant for what only a further request may bring, and there may
    /// be no more: requests are refused.
    Stalled,
    /// Every thread of a lane is at work, and there may be no more: requests wait in the lane, or
    /// are refused.
    Exhausted,
}
