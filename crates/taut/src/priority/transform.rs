//! The change of priorities between machines.

use std::fmt;

use super::Priority;

/// A transform of the priorities that travel with requests (the standard's
/// `RTCORBA::PriorityTransform`, Real-time CORBA 1.2, 4.6). It is asked in the threads of calls, so
/// that it should neither wait nor allocate.
///
/// Where it has no answer the call ends with DATA_CONVERSION, OMG minor 2.
pub trait PriorityTransform: Send + Sync + fmt::Debug {
    /// Returns the priority at which a request is carried out that has come with this one, for
    /// the object with this id (without the names of its POA).
    fn inbound(&self, priority: Priority, object_id: &[u8]) -> Option<Priority>;

    /// Returns the priority that a request has which a thread with this one sends. The id is that
    /// of the object whose servant makes the call; empty outside of servants.
    fn outbound(&self, priority: Priority, object_id: &[u8]) -> Option<Priority>;
}
