//! The counts of one of a server's connections.

use std::sync::atomic::{AtomicU64, Ordering};

use super::facade::Requests;
use super::number::count;

/// The counts of one of a server's connections: plain numbers, each written by the thread
/// on duty alone.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    received: AtomicU64,
    requests: Requests,
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
        self.requests.note_request();
    }

    /// The thread on duty has sent a reply of so many octets.
    #[inline]
    pub(crate) fn note_reply(&self, octets: usize) {
        self.requests.note_reply(octets);
    }

    /// A thread that was relieved has.
    pub(crate) fn note_reply_apart(&self, octets: usize) {
        self.requests.note_reply_apart(octets);
    }

    /// Hands on what has been counted since this was last done.
    pub(crate) fn report(&self) {
        self.requests.report(self.received());
    }
}
