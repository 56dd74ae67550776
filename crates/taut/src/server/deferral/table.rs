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
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// The requests that want a reply, by their ids.
    waiting: HashMap<u32, Waiting>,
    /// The ids of those that have been answered while their up-calls went on. A client may use
    /// them again, though threads of these are not done.
    answered_early: Vec<u32>,
}

#[derive(Debug)]
struct Waiting {
    is_cancelled: Arc<AtomicBool>,
    /// Whether its up-call has ended.
    is_upcall_over: bool,
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
            let waiting = Waiting {
                is_cancelled: Arc::clone(&is_cancelled),
                is_upcall_over: false,
            };
            self.table.lock().waiting.insert(request_id, waiting);
        }
        Some(is_cancelled)
    }

    /// Forgets the id of a request, which is about to be answered.
    pub(super) fn forget(&self, request_id: Option<u32>) {
        let Some(request_id) = request_id else {
            return;
        };
        let mut table = self.table.lock();
        if let Some(waiting) = table.waiting.remove(&request_id)
            && !waiting.is_upcall_over
        {
            table.answered_early.push(request_id);
        }
        if table.waiting.is_empty() {
            table.waiting.shrink_to(MAX_KEPT);
        }
    }

    /// Forgets the id of a request that is answered at once after all.
    pub(super) fn withdraw(&self, request_id: Option<u32>) {
        if let Some(request_id) = request_id {
            self.table.lock().waiting.remove(&request_id);
        }
    }

    /// Removes a request, with its id unless that has been forgotten.
    pub(super) fn end(&self, request_id: Option<u32>) {
        self.forget(request_id);
        self.count.fetch_sub(1, Ordering::Relaxed);
    }

    /// Notes that the id of a request is free, though its up-call goes on.
    pub(super) fn note_answered_early(&self, request_id: u32) {
        self.table.lock().answered_early.push(request_id);
    }

    /// Notes that a thread has done with the request of this id, if it is deferred.
    pub(in crate::server) fn note_end_of_upcall(&self, request_id: u32) {
        let mut table = self.table.lock();
        let early = &mut table.answered_early;
        if let Some(place) = early.iter().position(|early| *early == request_id) {
            early.swap_remove(place);
        } else if let Some(waiting) = table.waiting.get_mut(&request_id) {
            waiting.is_upcall_over = true;
        }
    }

    /// Whether the request of this id is to be answered.
    pub(in crate::server) fn is_waiting(&self, request_id: u32) -> bool {
        self.table.lock().waiting.contains_key(&request_id)
    }

    /// Whether the request of this id has been answered before its up-call has ended.
    pub(in crate::server) fn is_answered_early(&self, request_id: u32) -> bool {
        self.table.lock().answered_early.contains(&request_id)
    }

    /// Notes that the client does not want the reply any more.
    pub(super) fn cancel(&self, request_id: u32) {
        if let Some(waiting) = self.table.lock().waiting.get(&request_id) {
            waiting.is_cancelled.store(true, Ordering::Release);
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
        // Its up-call still goes on.
        deferrals.end(Some(7));
        assert!(!deferrals.is_waiting(7) && deferrals.is_answered_early(7));
        deferrals.note_end_of_upcall(7);
        assert!(!deferrals.is_answered_early(7));

        deferrals.begin(Some(7), 2).unwrap();
        deferrals.note_end_of_upcall(7);
        deferrals.end(Some(7));
        assert!(!deferrals.is_answered_early(7) && deferrals.count() == 0);
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

    #[test]
    fn a_request_that_is_refused_leaves_nothing() {
        let deferrals = Deferrals::default();
        deferrals.begin(Some(7), 1).unwrap();
        deferrals.withdraw(Some(7));
        deferrals.end(None);
        assert!(!deferrals.is_waiting(7) && !deferrals.is_answered_early(7));
        assert!(deferrals.begin(Some(7), 1).is_some());
    }
}
