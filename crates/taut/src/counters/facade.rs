//! Counters of the `metrics` facade.

use std::sync::atomic::{AtomicU64, Ordering};

use taut_sync::lock::Mutex;

use super::number::count;

/// Adds to a counter.
#[inline(always)]
pub(super) fn add(name: &'static str, count: u64) {
    metrics::counter!(name).increment(count);
}

/// Adds to a counter of which there are several.
#[inline(always)]
pub(super) fn add_of(name: &'static str, label: &'static str, value: &'static str, count: u64) {
    metrics::counter!(name, label => value).increment(count);
}

/// The counts of a connection's requests and replies.
#[derive(Debug, Default)]
pub(super) struct Requests {
    requests: AtomicU64,
    replied: AtomicU64,
    /// By threads that have been relieved; any number of them.
    replied_apart: AtomicU64,
    /// The counts that have been handed on, so that only the rest is.
    reported: Mutex<[u64; 3]>,
}

impl Requests {
    #[inline(always)]
    pub(super) fn note_request(&self) {
        count(&self.requests, 1);
    }

    #[inline(always)]
    pub(super) fn note_reply(&self, octets: usize) {
        count(&self.replied, octets as u64);
    }

    pub(super) fn note_reply_apart(&self, octets: usize) {
        self.replied_apart
            .fetch_add(octets as u64, Ordering::Relaxed);
    }

    /// Hands on what has been counted, and so many octets that have been `received`, since
    /// this was last done.
    pub(super) fn report(&self, received: u64) {
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let now = [
            received,
            read(&self.requests),
            read(&self.replied) + read(&self.replied_apart),
        ];
        let mut reported = self.reported.lock();
        let names = [
            "taut_server_received_octets_total",
            "taut_server_requests_total",
            "taut_server_reply_octets_total",
        ];
        for ((name, now), reported) in names.into_iter().zip(now).zip(&mut *reported) {
            let more = now.wrapping_sub(*reported);
            if more > 0 {
                add(name, more);
            }
            *reported = now;
        }
    }
}
