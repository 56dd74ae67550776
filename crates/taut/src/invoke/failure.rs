//! The system exceptions that a call ends with when no servant answered it.

use std::time::Duration;

use taut_giop::{
    CompletionStatus, ConnectAttempt, ConnectFailure, LimitReached, RaisedBy, SystemException,
    SystemExceptionKind, minor,
};

use super::call_context::Terms;
use crate::connection::NotTaken;
use crate::connection::{ConnectionFault, Endpoint, LeaseError};
use crate::counters;
use crate::object::{Binding, ObjectRef, Route};
use crate::transport::Address;

/// The time of the call is over, and nothing of the request has left.
#[cold]
#[inline(never)]
pub(super) fn too_late() -> SystemException {
    let (kind, minor) = (SystemExceptionKind::Timeout, minor::NOT_SENT_IN_TIME);
    SystemException::new(kind, minor, CompletionStatus::No)
}

/// The time of the call was over before its request had left in full, on account of this.
#[cold]
#[inline(never)]
pub(super) fn not_sent_in_time(peer: &str, fault: &ConnectionFault) -> SystemException {
    counters::client::lost("timeout");
    too_late().because(format!("the connection to {peer}: {fault}"))
}

/// Whether the time of a call was over before its request had left in full.
pub(super) fn is_late(exception: &SystemException) -> bool {
    exception.kind == SystemExceptionKind::Timeout && exception.minor == minor::NOT_SENT_IN_TIME
}

/// No connection could be had, so nothing happened. It may be that the call has no time
/// for another attempt.
#[cold]
#[inline(never)]
pub(super) fn no_connection(
    error: LeaseError,
    endpoint: &Endpoint,
    is_late: bool,
) -> SystemException {
    let transient = SystemExceptionKind::Transient;
    let (kind, minor) = match &error {
        _ if is_late => (SystemExceptionKind::Timeout, minor::NOT_SENT_IN_TIME),
        LeaseError::Connect(error) if error.lacks_descriptors() => {
            (SystemExceptionKind::NoResources, minor::NO_DESCRIPTOR)
        }
        LeaseError::Connect(_) => (transient, minor::CONNECT_FAILED),
        LeaseError::AllInUse => (transient, minor::CONNECTIONS_IN_USE),
        LeaseError::TooMany => (transient, minor::TOO_MANY_CONNECTIONS),
        LeaseError::NoThread => (SystemExceptionKind::NoResources, minor::NO_THREAD),
        LeaseError::Forbidden => (SystemExceptionKind::Rebind, minor::RECONNECT_FORBIDDEN),
        LeaseError::Refused(exception) => (exception.kind, exception.minor),
        LeaseError::OptionsRefused(_) => (
            SystemExceptionKind::InvPolicy,
            minor::CONNECTION_OPTION_REFUSED,
        ),
    };
    let settings = endpoint.settings();
    let attempts = match error {
        LeaseError::Connect(error) => error.attempts,
        LeaseError::AllInUse => limited(endpoint, awaited(endpoint)),
        LeaseError::OptionsRefused(reason) => return refused(endpoint, (kind, minor), &reason),
        LeaseError::Refused(exception) => {
            let reason = format!("the server does not take the connection: {exception}");
            return refused(endpoint, (kind, minor), &reason);
        }
        LeaseError::TooMany => limited(
            endpoint,
            count("client.max_connections", settings.client.max_connections),
        ),
        LeaseError::NoThread | LeaseError::Forbidden => Vec::new(),
    };
    let mut exception = SystemException::new(kind, minor, CompletionStatus::No);
    exception.report_mut().attempts = attempts;
    exception
}

/// A connection to an endpoint was refused for this reason, by one of its sides.
fn refused(
    endpoint: &Endpoint,
    (kind, minor): (SystemExceptionKind, u32),
    reason: &str,
) -> SystemException {
    let peer = endpoint.address();
    SystemException::new(kind, minor, CompletionStatus::No).because(format!("{peer}: {reason}"))
}

/// An endpoint at which a limit on connections was met.
fn limited(endpoint: &Endpoint, limit: LimitReached) -> Vec<ConnectAttempt> {
    vec![ConnectAttempt {
        address: endpoint.address().to_string().into(),
        failure: ConnectFailure::Limit(limit),
    }]
}

/// The limit on account of which a call waited for a connection in vain.
fn awaited(endpoint: &Endpoint) -> LimitReached {
    let settings = endpoint.settings();
    if endpoint.is_shared() {
        // There is one connection, which another call was still opening.
        return time("client.connection_wait", settings.client.connection_wait);
    }
    count(
        "client.max_connections_per_endpoint",
        settings.client.max_connections_per_endpoint,
    )
}

/// A setting that is a time.
fn time(setting: &'static str, value: Duration) -> LimitReached {
    LimitReached {
        setting,
        value: value.as_millis().try_into().unwrap_or(u64::MAX),
        unit: "ms",
    }
}

/// A setting that counts something.
fn count(setting: &'static str, value: usize) -> LimitReached {
    LimitReached {
        setting,
        value: value.try_into().unwrap_or(u64::MAX),
        unit: "",
    }
}

/// The exception of the last route that was tried, with the attempts at those before it.
#[cold]
#[inline(never)]
pub(super) fn after(earlier: &SystemException, mut last: SystemException) -> SystemException {
    if let Some(earlier) = earlier.report()
        && !earlier.attempts.is_empty()
    {
        let attempts = &mut last.report_mut().attempts;
        // A server may send a call to the same place again.
        let others = earlier
            .attempts
            .iter()
            .filter(|one| !attempts.contains(one));
        let mut all: Vec<_> = others.cloned().collect();
        all.append(attempts);
        *attempts = all;
    }
    last
}

/// The exception of a place that the call was forwarded to: its attempts say so.
#[cold]
#[inline(never)]
pub(super) fn at_forward(mut exception: SystemException) -> SystemException {
    for attempt in &mut exception.report_mut().attempts {
        attempt.address = format!("{} (forwarded to)", attempt.address).into();
    }
    exception
}

/// A peer raised the exception.
#[cold]
#[inline(never)]
pub(super) fn received(mut exception: SystemException, route: &Route) -> SystemException {
    let peer = route.endpoint.address().to_string();
    exception.report_mut().raised_by = Some(RaisedBy::Peer(peer.into()));
    exception
}

/// The exception as the caller gets it, with what was called.
#[cold]
#[inline(never)]
pub(super) fn concluded(
    mut exception: SystemException,
    object: &ObjectRef,
    operation: &str,
    terms: &Terms<'_>,
) -> SystemException {
    let is_late = exception.kind == SystemExceptionKind::Timeout
        && matches!(
            exception.minor,
            minor::CALL_TIMED_OUT | minor::NOT_SENT_IN_TIME
        );
    let exception_minor = exception.minor;
    let report = exception.report_mut();
    if report.operation.is_none() {
        report.operation = Some(operation.into());
    }
    if report.purpose.is_none() && !object.type_id().is_empty() {
        report.purpose = Some(object.type_id().into());
    }
    if report.raised_by.is_none() {
        report.raised_by = Some(RaisedBy::ThisOrb);
    }
    // A peer has settings of its own.
    let is_ours = report.raised_by == Some(RaisedBy::ThisOrb);
    if is_late && is_ours && report.limit.is_none() {
        let deadline = match exception_minor {
            minor::NOT_SENT_IN_TIME => terms.request_by,
            _ => terms.deadline,
        };
        report.limit = deadline.map(|deadline| deadline.limit);
    }
    exception
}

/// A oneway could not be left to be sent.
#[cold]
#[inline(never)]
pub(super) fn not_queued(reason: &NotTaken) -> SystemException {
    let (kind, minor) = match reason {
        NotTaken::Full => (SystemExceptionKind::Transient, minor::ONEWAYS_WAITING),
        NotTaken::NoThread => (SystemExceptionKind::NoResources, minor::NO_THREAD),
        NotTaken::Unintroduced => (SystemExceptionKind::NoResources, 0),
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
        ConnectionFault::Closed | ConnectionFault::ClosedAtFirst { .. } => "closed",
        ConnectionFault::TimedOut | ConnectionFault::HalfAnswered | ConnectionFault::NotTaken => {
            "timeout"
        }
        ConnectionFault::Crowded => "crowded",
        ConnectionFault::Unexpected(_) => "protocol",
        ConnectionFault::Frame(_)
        | ConnectionFault::OtherProtocol(_)
        | ConnectionFault::StrayReplies { .. } => "protocol",
    });
    let (kind, minor) = match fault {
        ConnectionFault::Io(_)
        | ConnectionFault::Closed
        | ConnectionFault::ClosedAtFirst { .. } => {
            (SystemExceptionKind::CommFailure, minor::CONNECTION_LOST)
        }
        ConnectionFault::OtherProtocol(_) => (
            SystemExceptionKind::InvPolicy,
            minor::OTHER_MESSAGING_PROTOCOL,
        ),
        ConnectionFault::Unexpected(_) => (SystemExceptionKind::CommFailure, minor::PROTOCOL_ERROR),
        ConnectionFault::Frame(_) | ConnectionFault::StrayReplies { .. } => {
            (SystemExceptionKind::CommFailure, minor::PROTOCOL_ERROR)
        }
        ConnectionFault::Crowded => (SystemExceptionKind::Transient, minor::REQUESTS_IN_FLIGHT),
        ConnectionFault::NotTaken => (SystemExceptionKind::Timeout, minor::NOT_SENT_IN_TIME),
        ConnectionFault::TimedOut | ConnectionFault::HalfAnswered => {
            (SystemExceptionKind::Timeout, minor::CALL_TIMED_OUT)
        }
    };
    match minor {
        // The peer's doing, and not the network's.
        minor::PROTOCOL_ERROR | minor::OTHER_MESSAGING_PROTOCOL => {
            tracing::warn!(peer, %fault, "protocol error, closing the connection");
        }
        _ if matches!(fault, ConnectionFault::ClosedAtFirst { .. }) => {
            tracing::warn!(peer, %fault, "connection lost");
        }
        _ => tracing::debug!(peer, %fault, "connection lost"),
    }
    let mut exception = SystemException::new(kind, minor, completed);
    let report = exception.report_mut();
    match completed {
        // Another address may still do.
        CompletionStatus::No if !fault.is_late() => report.attempts.push(ConnectAttempt {
            address: peer.into(),
            failure: ConnectFailure::Lost(fault.to_string().into()),
        }),
        _ => report.cause = Some(format!("the connection to {peer}: {fault}").into()),
    }
    exception
}

/// The peer broke the rules of GIOP.
#[cold]
#[inline(never)]
pub(super) fn protocol_error(
    peer: &Address,
    fault: &str,
    completed: CompletionStatus,
) -> SystemException {
    counters::client::lost("protocol");
    tracing::warn!(%peer, fault, "protocol error, closing the connection");
    let (kind, minor) = (SystemExceptionKind::CommFailure, minor::PROTOCOL_ERROR);
    SystemException::new(kind, minor, completed).because(format!("{peer}: {fault}"))
}

/// The servers send us round and round.
#[cold]
#[inline(never)]
pub(super) fn too_many_forwards(
    last: &Endpoint,
    (limit, setting): (usize, &'static str),
) -> SystemException {
    tracing::warn!(
        peer = %last.address(),
        setting,
        limit,
        "a call was forwarded too often"
    );
    let mut exception = SystemException::new(
        SystemExceptionKind::Transient,
        minor::TOO_MANY_FORWARDS,
        CompletionStatus::No,
    );
    let report = exception.report_mut();
    report.limit = Some(count(setting, limit));
    report.cause = Some(format!("the last forward came from {}", last.address()).into());
    exception
}

/// A server sends a call elsewhere, and its policies forbid to go there.
#[cold]
#[inline(never)]
pub(super) fn rebinding(to: &Binding) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::Rebind, minor::REBIND_FORBIDDEN);
    let (_, route) = to.preferred();
    let place = route.endpoint.address();
    SystemException::new(kind, minor, CompletionStatus::No)
        .because(format!("the object is at {place}"))
}

/// The reference has no address of a protocol that the policies of the call name.
#[cold]
#[inline(never)]
pub(super) fn no_preferred_protocol(protocols: &[u32], binding: &Binding) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::InvPolicy, minor::NO_PREFERRED_PROTOCOL);
    let routes = binding.routes();
    let there: Vec<_> = routes
        .map(|route| route.endpoint.address().to_string())
        .collect();
    SystemException::new(kind, minor, CompletionStatus::No).because(format!(
        "ClientProtocolPolicy names the profile tags {protocols:?}; the object is at {}",
        there.join(", ")
    ))
}

/// The server knows of no such object.
#[cold]
#[inline(never)]
pub(super) fn unknown_object() -> SystemException {
    let (kind, minor) = (SystemExceptionKind::ObjectNotExist, 0);
    SystemException::new(kind, minor, CompletionStatus::No)
}

/// The ORB contradicts itself.
#[cold]
#[inline(never)]
pub(super) fn internal() -> SystemException {
    SystemException::new(SystemExceptionKind::Internal, 0, CompletionStatus::Maybe)
}
