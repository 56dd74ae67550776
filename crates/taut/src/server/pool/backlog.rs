//! The requests that wait for a thread of a lane.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};

use taut_sync::lock::Mutex;

use crate::settings::FullBuffer;

/// The requests that wait for a thread, those of the highest priority first and those of one
/// priority in the order in which they have come.
#[derive(Debug)]
pub(in crate::server) struct Backlog<R> {
    max_requests: usize,
    max_octets: usize,
    when_full: FullBuffer,
    waiting: Mutex<Waiting<R>>,
    /// How many wait, for those who do not take the lock.
    count: AtomicUsize,
}

#[derive(Debug)]
struct Waiting<R> {
    requests: BinaryHeap<Entry<R>>,
    octets: usize,
    /// How many have come so far.
    arrived: u64,
}

/// A request that waits.
#[derive(Debug)]
struct Entry<R> {
    priority: i16,
    /// Its number among those that have come.
    number: u64,
    octets: usize,
    request: R,
}

impl<R> Entry<R> {
    /// Larger for those that are served earlier.
    fn rank(&self) -> (i16, u64) {
        (self.priority, u64::MAX - self.number)
    }
}

impl<R> PartialEq for Entry<R> {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl<R> Eq for Entry<R> {}

impl<R> PartialOrd for Entry<R> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<R> Ord for Entry<R> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl<R> Backlog<R> {
    /// Nothing waits. 0 requests or octets: any number.
    pub(super) fn new(max_requests: u32, max_octets: u32, when_full: FullBuffer) -> Self {
        let limit = |number: u32| match number {
            0 => usize::MAX,
            number => usize::try_from(number).unwrap_or(usize::MAX),
        };
        Self {
            max_requests: limit(max_requests),
            max_octets: limit(max_octets),
            when_full,
            waiting: Mutex::new(Waiting {
                requests: BinaryHeap::new(),
                octets: 0,
                arrived: 0,
            }),
            count: AtomicUsize::new(0),
        }
    }

    /// Lets a request wait that has so many octets. Returns those that may not wait any more,
    /// which may be this one.
    pub(in crate::server) fn push(&self, priority: i16, octets: usize, request: R) -> Vec<R> {
        let mut waiting = self.waiting.lock();
        let number = waiting.arrived;
        waiting.arrived += 1;
        let newest = Entry {
            priority,
            number,
            octets,
            request,
        };
        let mut refused = Vec::new();
        if !self.has_room(&waiting, octets) {
            if self.when_full == FullBuffer::RefuseNewest || !self.would_fit(&waiting, &newest) {
                return vec![newest.request];
            }
            while !self.has_room(&waiting, octets) {
                refused.extend(waiting.take_lowest());
            }
        }
        waiting.octets += octets;
        waiting.requests.push(newest);
        self.count.store(waiting.requests.len(), Ordering::Relaxed);
        refused
    }

    /// Takes the request that is to be served next.
    pub(in crate::server) fn pop(&self) -> Option<R> {
        let mut waiting = self.waiting.lock();
        let next = waiting.requests.pop()?;
        waiting.octets -= next.octets;
        self.count.store(waiting.requests.len(), Ordering::Relaxed);
        Some(next.request)
    }

    /// How many wait.
    pub(in crate::server) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    fn has_room(&self, waiting: &Waiting<R>, octets: usize) -> bool {
        waiting.requests.len() < self.max_requests
            && waiting.octets.saturating_add(octets) <= self.max_octets
    }

    /// Whether there is room for a request beside those whose priority is no lower.
    fn would_fit(&self, waiting: &Waiting<R>, request: &Entry<R>) -> bool {
        let staying = waiting.requests.iter();
        let staying = staying.filter(|entry| entry.priority >= request.priority);
        let (count, octets) = staying.fold((0, request.octets), |(count, octets), entry| {
            (count + 1, octets + entry.octets)
        });
        count < self.max_requests && octets <= self.max_octets
    }
}

impl<R> Waiting<R> {
    /// Takes the last in the order of service out. It looks at all, which happens only where
    /// there are as many as may be.
    fn take_lowest(&mut self) -> Option<R> {
        let mut entries = std::mem::take(&mut self.requests).into_vec();
        let ranks = entries.iter().map(Entry::rank).enumerate();
        let lowest = ranks.min_by_key(|(_, rank)| *rank);
        let taken = lowest.map(|(place, _)| entries.swap_remove(place));
        self.requests = entries.into();
        let taken = taken?;
        self.octets -= taken.octets;
        Some(taken.request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(backlog: &Backlog<&'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| backlog.pop()).collect()
    }

    #[test]
    fn the_highest_priority_is_first_and_one_priority_keeps_its_order() {
        let backlog = Backlog::new(0, 1_000, FullBuffer::RefuseNewest);
        for (priority, request) in [(5, "a"), (9, "b"), (5, "c"), (0, "d"), (9, "e"), (5, "f")] {
            assert!(backlog.push(priority, 1, request).is_empty());
        }
        assert_eq!(backlog.count(), 6);
        assert_eq!(all(&backlog), ["b", "e", "a", "c", "f", "d"]);
        assert_eq!(backlog.count(), 0);
    }

    #[test]
    fn the_newest_is_refused_whatever_its_priority() {
        let backlog = Backlog::new(2, 0, FullBuffer::RefuseNewest);
        assert!(backlog.push(1, 1, "a").is_empty());
        assert!(backlog.push(1, 1, "b").is_empty());
        assert_eq!(backlog.push(9, 1, "c"), ["c"]);
        assert_eq!(all(&backlog), ["a", "b"]);
        assert!(backlog.push(1, 1, "d").is_empty());
    }

    #[test]
    fn the_last_of_the_lowest_priority_is_refused_for_a_higher_one() {
        let backlog = Backlog::new(3, 0, FullBuffer::RefuseLowest);
        for (priority, request) in [(5, "a"), (1, "b"), (1, "c")] {
            assert!(backlog.push(priority, 1, request).is_empty());
        }
        assert_eq!(backlog.push(1, 1, "d"), ["d"]);
        assert_eq!(backlog.push(2, 1, "e"), ["c"]);
        assert_eq!(backlog.push(5, 1, "f"), ["b"]);
        assert_eq!(backlog.push(5, 1, "g"), ["e"]);
        assert_eq!(backlog.push(5, 1, "h"), ["h"]);
        assert_eq!(all(&backlog), ["a", "f", "g"]);
    }

    #[test]
    fn octets_are_bounded_as_requests_are() {
        let backlog = Backlog::new(0, 100, FullBuffer::RefuseLowest);
        assert!(backlog.push(1, 60, "a").is_empty());
        assert!(backlog.push(2, 40, "b").is_empty());
        assert_eq!(backlog.push(1, 1, "c"), ["c"]);
        // Nothing gives way to what does not fit all the same.
        assert_eq!(backlog.push(3, 101, "d"), ["d"]);
        assert_eq!(backlog.push(2, 61, "d"), ["d"]);
        assert_eq!(backlog.push(3, 100, "e"), ["a", "b"]);
        assert_eq!(all(&backlog), ["e"]);
        assert!(backlog.push(0, 100, "f").is_empty());
    }
}
