//! The counters of an ORB, for those who look after it: counters of the `metrics` facade,
//! which a program that installs a recorder there gets to see.
//!
//! Without the feature `metrics` nothing here does anything. With it, what
//! happens seldom is counted when it happens. Events of every request are counted by the
//! connection, in plain numbers ([`Tally`]), and handed on once a second and at the
//! connection's end. All names: docs/observability.md.

#[cfg_attr(not(feature = "metrics"), path = "counters/facade_absent.rs")]
mod facade;
mod number;
mod tally;

use facade::{add, add_of};

pub(crate) use tally::Tally;

/// The counters' names.
mod name {
    pub(super) const SERVER_OPENED: &str = "taut_server_connections_opened_total";
    pub(super) const SERVER_CLOSED: &str = "taut_server_connections_closed_total";
    pub(super) const SERVER_REFUSED: &str = "taut_server_connections_refused_total";
    pub(super) const SERVER_EXCEPTIONS: &str = "taut_server_system_exceptions_total";
    pub(super) const SERVER_PROTOCOL_ERRORS: &str = "taut_server_protocol_errors_total";
    pub(super) const SERVER_TIMEOUTS: &str = "taut_server_timeouts_total";
    pub(super) const SERVER_EXPIRED: &str = "taut_server_requests_expired_total";
    pub(super) const SERVER_NOT_ADMITTED: &str = "taut_server_requests_not_admitted_total";
    pub(super) const SERVER_OVER_BUDGET: &str = "taut_server_upcalls_over_budget_total";
    pub(super) const SERVER_UNCLAIMED: &str = "taut_server_replies_unclaimed_total";
    pub(super) const LANE_THREADS_ADDED: &str = "taut_server_lane_threads_added_total";
    pub(super) const LANE_THREADS_BORROWED: &str = "taut_server_lane_threads_borrowed_total";
    pub(super) const LANE_BUFFERED: &str = "taut_server_lane_requests_buffered_total";
    pub(super) const LANE_REFUSED: &str = "taut_server_lane_requests_refused_total";
    pub(super) const CLIENT_OPENED: &str = "taut_client_connections_opened_total";
    pub(super) const CLIENT_CLOSED: &str = "taut_client_connections_closed_total";
    pub(super) const CLIENT_FAILED: &str = "taut_client_connections_failed_total";
    pub(super) const CLIENT_LOST: &str = "taut_client_connections_lost_total";
    pub(super) const CLIENT_SENT_AGAIN: &str = "taut_client_requests_sent_again_total";
    pub(super) const CLIENT_ONEWAYS_LOST: &str = "taut_client_oneways_lost_total";
    pub(super) const CLIENT_BLOCKED: &str = "taut_client_connections_blocked_total";
    pub(super) const CLIENT_FORWARDS: &str = "taut_client_forwards_total";
}

/// Adds one to a counter of which there are several.
#[inline(always)]
fn add_one_of(name: &'static str, label: &'static str, value: &'static str) {
    add_of(name, label, value, 1);
}

/// The events of a server that are counted.
pub(crate) mod server {
    use super::{add, add_one_of, name};

    /// A connection has come in and is served.
    pub(crate) fn opened() {
        add(name::SERVER_OPENED, 1);
    }

    /// A connection that was served has ended.
    pub(crate) fn closed() {
        add(name::SERVER_CLOSED, 1);
    }

    /// A connection was not served; `reason` is the setting that forbids it, or
    /// `resources`.
    pub(crate) fn refused(reason: &'static str) {
        add_one_of(name::SERVER_REFUSED, "reason", reason);
    }

    /// A lane has got a dynamic thread.
    pub(crate) fn lane_thread_added() {
        add(name::LANE_THREADS_ADDED, 1);
    }

    /// A thread of a lane has served an event of a lane with a higher priority.
    pub(crate) fn lane_thread_borrowed() {
        add(name::LANE_THREADS_BORROWED, 1);
    }

    /// A request waits in its lane for a thread.
    pub(crate) fn lane_buffered() {
        add(name::LANE_BUFFERED, 1);
    }

    /// A lane has refused a request: for want of `threads`, or of room in its `buffer`.
    pub(crate) fn lane_refused(reason: &'static str) {
        add_one_of(name::LANE_REFUSED, "reason", reason);
    }

    /// A client broke the rules, so that its connection is closed.
    pub(crate) fn protocol_error(kind: &'static str) {
        add_one_of(name::SERVER_PROTOCOL_ERRORS, "kind", kind);
    }

    /// A client took too long, so that its connection is closed.
    pub(crate) fn timed_out(kind: &'static str) {
        add_one_of(name::SERVER_TIMEOUTS, "kind", kind);
    }

    /// A request was not carried out, for its deadline had passed; `stage` says where it was
    /// then.
    #[cold]
    pub(crate) fn expired(stage: &'static str) {
        add_one_of(name::SERVER_EXPIRED, "stage", stage);
    }

    /// A request was refused by an admission policy; `reason` says whether its client was.
    #[cold]
    pub(crate) fn not_admitted(reason: &'static str) {
        add_one_of(name::SERVER_NOT_ADMITTED, "reason", reason);
    }

    /// A servant has taken longer than its budget; `kind` is the time that is measured.
    #[cold]
    pub(crate) fn over_budget(kind: &'static str) {
        add_one_of(name::SERVER_OVER_BUDGET, "kind", kind);
    }

    /// A request was answered later, when its connection had ended.
    pub(crate) fn unclaimed() {
        add(name::SERVER_UNCLAIMED, 1);
    }

    /// A request was answered with a system exception.
    #[cold]
    pub(crate) fn raised(exception: &'static str) {
        add_one_of(name::SERVER_EXCEPTIONS, "exception", exception);
    }
}

/// The events of a client that are counted.
pub(crate) mod client {
    use super::add_of;
    use super::{add, add_one_of, name};

    /// Belongs to an open connection.
    #[derive(Debug)]
    pub(crate) struct Open(());

    impl Open {
        /// A connection has been opened.
        pub(crate) fn new() -> Self {
            add(name::CLIENT_OPENED, 1);
            Self(())
        }
    }

    /// The connection is closed.
    impl Drop for Open {
        fn drop(&mut self) {
            add(name::CLIENT_CLOSED, 1);
        }
    }

    /// A connection could not be opened.
    pub(crate) fn failed() {
        add(name::CLIENT_FAILED, 1);
    }

    /// A call ended because its connection did: `kind` says how.
    pub(crate) fn lost(kind: &'static str) {
        add_one_of(name::CLIENT_LOST, "kind", kind);
    }

    /// A request that was not executed goes out once more, over a new connection.
    pub(crate) fn sent_again() {
        add(name::CLIENT_SENT_AGAIN, 1);
    }

    /// Oneways that were left to be sent were not; `reason` says why.
    pub(crate) fn oneways_lost(reason: &'static str, count: usize) {
        add_of(name::CLIENT_ONEWAYS_LOST, "reason", reason, count as u64);
    }

    /// The transport of a connection has no room for what is sent.
    #[cold]
    pub(crate) fn blocked() {
        add(name::CLIENT_BLOCKED, 1);
    }

    /// A server has sent a call elsewhere.
    pub(crate) fn forwarded() {
        add(name::CLIENT_FORWARDS, 1);
    }
}
