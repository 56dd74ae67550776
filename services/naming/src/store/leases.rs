//! Leases: the times for which bindings are to be there unless somebody renews them.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Answer, Change, Done};

/// The number of a lease in its store. It is random, so that only those can renew or end a lease
/// who have been told of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(pub u64);

impl fmt::Debug for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LeaseId(..)")
    }
}

/// A lease: bindings made upon it end when it has not been renewed for its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Its number.
    pub id: LeaseId,
    /// The seconds after which it ends unless it is renewed.
    pub seconds: u32,
}

/// The time after which the end of a lease that failed is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// The value of `next` when no lease is to end.
const NEVER: u64 = u64::MAX;

/// The times at which the leases of a store are over.
///
/// Every access to a store asks whether one is. While there are no leases that costs one look at a
/// number.
#[derive(Debug)]
pub(super) struct Deadlines {
    /// What `next` counts from.
    origin: Instant,
    /// The nanoseconds until the first lease may be over.
    next: AtomicU64,
    leases: Mutex<HashMap<LeaseId, Running>>,
}

#[derive(Debug)]
struct Running {
    seconds: u32,
    ends: Instant,
    is_over: bool,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            origin: Instant::now(),
            next: AtomicU64::new(NEVER),
            leases: Mutex::default(),
        }
    }
}

impl Deadlines {
    /// Begins the time of a lease.
    pub(super) fn begin(&self, lease: Lease) {
        let ends = Instant::now() + Duration::from_secs(lease.seconds.into());
        let running = Running {
            seconds: lease.seconds,
            ends,
            is_over: false,
        };
        let mut leases = self.leases.lock();
        leases.insert(lease.id, running);
        self.next
            .fetch_min(self.nanoseconds(ends), Ordering::AcqRel);
    }

    /// Begins the time of a lease anew, unless there is none or it is over.
    pub(super) fn renew(&self, id: LeaseId) -> Option<Lease> {
        let mut leases = self.leases.lock();
        let running = leases.get_mut(&id)?;
        let now = Instant::now();
        if running.is_over || running.ends <= now {
            return None;
        }
        let seconds = running.seconds;
        running.ends = now + Duration::from_secs(seconds.into());
        Some(Lease { id, seconds })
    }

    /// Leaves a lease that has been ended alone.
    pub(super) fn forget(&self, id: LeaseId) {
        self.leases.lock().remove(&id);
    }

    /// Notes what a change has done to leases.
    pub(super) fn follow(&self, change: &Change, answer: &Answer) {
        match (change, answer) {
            (_, Ok(Done::Granted(lease))) => self.begin(*lease),
            (Change::EndLease { lease }, _) => self.forget(*lease),
            _ => {}
        }
    }

    /// Returns the leases that are over and to be ended by the caller. Whichever is not forgotten
    /// within a second is returned again.
    pub(super) fn due(&self) -> Vec<LeaseId> {
        let next = self.next.load(Ordering::Acquire);
        if next == NEVER {
            return Vec::new();
        }
        let now = Instant::now();
        if self.nanoseconds(now) < next {
            return Vec::new();
        }
        let mut leases = self.leases.lock();
        let mut due = Vec::new();
        for (id, running) in leases.iter_mut() {
            if running.ends <= now {
                running.is_over = true;
                running.ends = now + AGAIN;
                due.push(*id);
            }
        }
        let next = leases.values().map(|running| running.ends).min();
        let next = next.map_or(NEVER, |ends| self.nanoseconds(ends));
        self.next.store(next, Ordering::Release);
        due
    }

    fn nanoseconds(&self, instant: Instant) -> u64 {
        let passed = instant.saturating_duration_since(self.origin).as_nanos();
        u64::try_from(passed).unwrap_or(NEVER - 1)
    }
}
