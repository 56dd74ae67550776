//! The requests of a connection that are answered later.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use taut_sync::lock::Mutex;

/// The requests of a connection that are answered later.
#[derive(Debug, Default)]
pub(in crate::server) struct Deferrals {
    /// With those to which there is no reply.
    count: AtomicUsize,
    /// Where it is noted that those that want a reply have been cancelled, by their ids. Behind
    /// its reply a client may use an id again, though the up-call goes on.
    waiting: Mutex<HashMap<u32, Arc<AtomicBool>>>,
}

impl Deferrals {
    /// Adds a request, of which an id is given if it wants a reply. Returns where it is noted
    /// that it has been cancelled; none when there are as many as the `limit` says.
    pub(super) fn begin(&self, request_id: Option<u32>, limit: usize) -> Option<Arc<AtomicBool>> {
        let admitted = self
            .count
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
                (count < limit).then_some(count + 1)
            });
        admitted.ok()?;
        let is_cancelled = Arc::new(AtomicBool::new(false));
        if let Some(request_id) = request_id {
            let waiting = Arc::clone(&is_cancelled);
            self.waiting.lock().insert(request_id, waiting);
        }
        Some(is_cancelled)
    }

    /// Forgets the id of a request, which is about to be answered.
    pub(super) fn release(&self, request_id: Option<u32>) {
        let Some(request_id) = request_id else {
            return;
        };
        let mut waiting = self.waiting.lock();
        waiting.remove(&request_id);
        if waiting.is_empty() {
            waiting.shrink_to(MAX_KEPT);
        }
    }

    /// Removes a request, with its id unless that has been released.
    pub(super) fn end(&self, request_id: Option<u32>) {
        self.release(request_id);
        self.count.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether the request of this id is to be answered.
    pub(in crate::server) fn is_waiting(&self, request_id: u32) -> bool {
        self.waiting.lock().contains_key(&request_id)
    }

    /// Notes that the client does not want the reply any more.
    pub(super) fn cancel(&self, request_id: u32) {
        if let Some(is_cancelled) = self.waiting.lock().get(&request_id) {
            is_cancelled.store(true, Ordering::Release);
        }
    }

    /// How many there are.
    pub(in crate::server) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

/// For how many requests memory is kept while there are none.
const MAX_KEPT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_be_used_again_as_soon_as_its_request_is_answered() {
        let deferrals = Deferrals::default();
        deferrals.begin(Some(7), 2).unwrap();
        assert!(deferrals.is_waiting(7) && !deferrals.is_waiting(8));
        // The request itself ends behind its answer.
        deferrals.release(Some(7));
        assert!(!deferrals.is_waiting(7));
        let cancelled = deferrals.begin(Some(7), 2).unwrap();
        deferrals.end(None);
        assert!(deferrals.is_waiting(7) && deferrals.count() == 1);
        deferrals.cancel(7);
        assert!(cancelled.load(Ordering::Acquire));
        deferrals.end(Some(7));
        assert!(!deferrals.is_waiting(7) && deferrals.count() == 0);
    }

    #[test]
    fn there_are_no_more_than_the_limit_says_oneways_included() {
        let deferrals = Deferrals::default();
        deferrals.begin(None, 2).unwrap();
        let cancelled = deferrals.begin(Some(1), 2).unwrap();
        assert!(deferrals.begin(Some(2), 2).is_none());
        deferrals.cancel(2);
        assert!(!cancelled.load(Ordering::Acquire));
        deferrals.cancel(1);
        assert!(cancelled.load(Ordering::Acquire));
        deferrals.end(None);
        assert!(deferrals.begin(Some(2), 2).is_some());
    }
}
