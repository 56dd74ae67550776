//! What is counted, for those who look after an ORB: counters of the `metrics`
//! facade, which whoever installs a recorder there gets to see.
//!
//! Without the feature `metrics` nothing here does anything. With it, what
//! happens seldom is counted when it happens. What happens with every request is
//! counted by the connection, in plain numbers ([`Tally`]), and handed on once a
//! second and at the connection's end. All names: docs/observability.md.

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters' names.
mod name {
    pub(super) const SERVER_OPENED: &str = "taut_server_connections_opened_total";
    pub(super) const SERVER_CLOSED: &str = "taut_server_connections_closed_total";
    pub(super) const SERVER_REFUSED: &str = "taut_server_connections_refused_total";
    pub(super) const SERVER_REQUESTS: &str = "taut_server_requests_total";
    pub(super) const SERVER_RECEIVED: &str = "taut_server_received_octets_total";
    pub(super) const SERVER_REPLIED: &str = "taut_server_reply_octets_total";
    pub(super) const SERVER_EXCEPTIONS: &str = "taut_server_system_exceptions_total";
    pub(super) const SERVER_PROTOCOL_ERRORS: &str = "taut_server_protocol_errors_total";
    pub(super) const SERVER_TIMEOUTS: &str = "taut_server_timeouts_total";
    pub(super) const CLIENT_OPENED: &str = "taut_client_connections_opened_total";
    pub(super) const CLIENT_CLOSED: &str = "taut_client_connections_closed_total";
    pub(super) const CLIENT_FAILED: &str = "taut_client_connections_failed_total";
    pub(super) const CLIENT_LOST: &str = "taut_client_connections_lost_total";
    pub(super) const CLIENT_SENT_AGAIN: &str = "taut_client_requests_sent_again_total";
    pub(super) const CLIENT_ONEWAYS_LOST: &str = "taut_client_oneways_lost_total";
    pub(super) const CLIENT_FORWARDS: &str = "taut_client_forwards_total";
}

/// Adds to a counter.
#[inline(always)]
fn add(name: &'static str, count: u64) {
    #[cfg(feature = "metrics")]
    metrics::counter!(name).increment(count);
    let _ = (name, count);
}

/// Adds one to a counter of which there are several.
#[inline(always)]
fn add_one_of(name: &'static str, label: &'static str, value: &'static str) {
    add_of(name, label, value, 1);
}

/// Adds to a counter of which there are several.
#[inline(always)]
fn add_of(name: &'static str, label: &'static str, value: &'static str, count: u64) {
    #[cfg(feature = "metrics")]
    metrics::counter!(name, label => value).increment(count);
    let _ = (name, label, value, count);
}

/// What happens on a server.
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

    /// A client broke the rules, so that its connection is closed.
    pub(crate) fn protocol_error(kind: &'static str) {
        add_one_of(name::SERVER_PROTOCOL_ERRORS, "kind", kind);
    }

    /// A client took too long, so that its connection is closed.
    pub(crate) fn timed_out(kind: &'static str) {
        add_one_of(name::SERVER_TIMEOUTS, "kind", kind);
    }

    /// A request was answered with a system exception.
    #[cold]
    pub(crate) fn raised(exception: &'static str) {
        add_one_of(name::SERVER_EXCEPTIONS, "exception", exception);
    }
}

/// What happens on a client.
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

    /// A server has sent a call elsewhere.
    pub(crate) fn forwarded() {
        add(name::CLIENT_FORWARDS, 1);
    }
}

/// What one of a server's connections counts: plain numbers, each written by the
/// thread on duty alone.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    received: AtomicU64,
    #[cfg(feature = "metrics")]
    requests: AtomicU64,
    #[cfg(feature = "metrics")]
    replied: AtomicU64,
    /// By threads that have been relieved; any number of them.
    #[cfg(feature = "metrics")]
    replied_apart: AtomicU64,
    /// What has been handed on, so that only the rest is.
    #[cfg(feature = "metrics")]
    reported: parking_lot::Mutex<[u64; 3]>,
}

impl Tally {
    /// So many octets have arrived.
    #[inline]
    pub(crate) fn note_received(&self, octets: usize) {
        count(&self.received, octets as u64);
    }

    /// Octets that have arrived.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// A request is carried out.
    #[inline]
    pub(crate) fn note_request(&self) {
        #[cfg(feature = "metrics")]
        count(&self.requests, 1);
    }

    /// The thread on duty has sent a reply of so many octets.
    #[inline]
    pub(crate) fn note_reply(&self, octets: usize) {
        #[cfg(feature = "metrics")]
        count(&self.replied, octets as u64);
        let _ = octets;
    }

    /// A thread that was relieved has.
    pub(crate) fn note_reply_apart(&self, octets: usize) {
        #[cfg(feature = "metrics")]
        self.replied_apart
            .fetch_add(octets as u64, Ordering::Relaxed);
        let _ = octets;
    }

    /// Hands on what has been counted since this was last done.
    pub(crate) fn report(&self) {
        #[cfg(feature = "metrics")]
        {
            let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
            let now = [
                self.received(),
                read(&self.requests),
                read(&self.replied) + read(&self.replied_apart),
            ];
            let mut reported = self.reported.lock();
            let names = [
                name::SERVER_RECEIVED,
                name::SERVER_REQUESTS,
                name::SERVER_REPLIED,
            ];
            for ((name, now), reported) in names.into_iter().zip(now).zip(&mut *reported) {
                let more = now.wrapping_sub(*reported);
                if more > 0 {
                    add(name, more);
                }
                *reported = now;
            }
        }
        let _ = (
            name::SERVER_RECEIVED,
            name::SERVER_REQUESTS,
            name::SERVER_REPLIED,
        );
    }
}

/// Adds to a number that no other thread writes, so that reading and writing
/// need not be one.
#[inline]
fn count(number: &AtomicU64, more: u64) {
    let sum = number.load(Ordering::Relaxed).wrapping_add(more);
    number.store(sum, Ordering::Relaxed);
}
