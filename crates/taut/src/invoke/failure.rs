//! The system exceptions that a call ends with when no servant answered it.

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

#[cfg(feature = "oneway-queue")]
use crate::connection::NotTaken;
use crate::connection::{ConnectionFault, Endpoint, LeaseError};
use crate::counters;

/// No connection could be had, so nothing happened.
#[cold]
#[inline(never)]
pub(super) fn no_connection(error: &LeaseError) -> SystemException {
    let minor = match error {
        LeaseError::Connect => minor::CONNECT_FAILED,
        LeaseError::AllInUse => minor::CONNECTIONS_IN_USE,
        LeaseError::TooMany => minor::TOO_MANY_CONNECTIONS,
    };
    SystemException::new(SystemExceptionKind::Transient, minor, CompletionStatus::No)
}

/// A oneway could not be left to be sent.
#[cfg(feature = "oneway-queue")]
#[cold]
#[inline(never)]
pub(super) fn not_queued(reason: &NotTaken) -> SystemException {
    let (kind, minor) = match reason {
        NotTaken::Full => (SystemExceptionKind::Transient, minor::ONEWAYS_WAITING),
        NotTaken::NoThread | NotTaken::Unintroduced => (SystemExceptionKind::NoResources, 0),
    };
    SystemException::new(kind, minor, CompletionStatus::No)
}

/// The connection failed under the call.
#[cold]
#[inline(never)]
pub(super) fn connection_lost(
    peer: &str,
    fault: &ConnectionFault,
    completed: CompletionStatus,
) -> SystemException {
    counters::client::lost(match fault {
        ConnectionFault::Io(_) => "system",
        ConnectionFault::Closed => "closed",
        ConnectionFault::TimedOut => "timeout",
        #[cfg(feature = "shared-connections")]
        ConnectionFault::Crowded => "crowded",
        ConnectionFault::Frame(_) | ConnectionFault::StrayReplies { .. } => "protocol",
    });
    match fault {
        // The peer's doing, and not the network's.
        ConnectionFault::Frame(_) | ConnectionFault::StrayReplies { .. } => {
            tracing::warn!(peer, %fault, "protocol error, closing the connection");
        }
        _ => tracing::debug!(peer, %fault, "connection lost"),
    }
    let (kind, minor) = match fault {
        ConnectionFault::Io(_) | ConnectionFault::Closed => {
            (SystemExceptionKind::CommFailure, minor::CONNECTION_LOST)
        }
        ConnectionFault::Frame(_) | ConnectionFault::StrayReplies { .. } => {
            (SystemExceptionKind::CommFailure, minor::PROTOCOL_ERROR)
        }
        #[cfg(feature = "shared-connections")]
        ConnectionFault::Crowded => (SystemExceptionKind::Transient, minor::CONNECTIONS_IN_USE),
        ConnectionFault::TimedOut => (SystemExceptionKind::Timeout, minor::CALL_TIMED_OUT),
    };
    SystemException::new(kind, minor, completed)
}

/// The peer broke the rules of GIOP.
#[cold]
#[inline(never)]
pub(super) fn protocol_error(completed: CompletionStatus) -> SystemException {
    SystemException::new(
        SystemExceptionKind::CommFailure,
        minor::PROTOCOL_ERROR,
        completed,
    )
}

/// The servers send us round and round.
#[cold]
#[inline(never)]
pub(super) fn too_many_forwards(last: &Endpoint, limit: usize) -> SystemException {
    tracing::warn!(
        peer = %last.address(),
        setting = "max_forwards",
        limit,
        "a call was forwarded too often"
    );
    SystemException::new(
        SystemExceptionKind::Transient,
        minor::TOO_MANY_FORWARDS,
        CompletionStatus::No,
    )
}

/// The ORB contradicts itself.
#[cold]
#[inline(never)]
pub(super) fn internal() -> SystemException {
    SystemException::new(SystemExceptionKind::Internal, 0, CompletionStatus::Maybe)
}
