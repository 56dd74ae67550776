//! A bound for the replies that wait until clients take them, over all connections of
//! a server.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use taut_sync::lock::Mutex;
use taut_sys::memory;

use crate::counters;

/// So many octets of replies must have waited before memory is given back to the system.
const MUCH: usize = 16 << 20;

/// The octets that wait on all connections of a server, and the connections where they
/// wait.
///
/// A reply that the system takes at once is not counted: nothing here lies on the way of
/// a call whose client takes its replies.
#[derive(Debug)]
pub(super) struct PendingOutput {
    limit: usize,
    octets: AtomicUsize,
    /// The most octets since memory was last given back.
    peak: AtomicUsize,
    /// Held while connections are closed because of the limit, so that two threads do not
    /// close one each for the same octets.
    enforcing: Mutex<()>,
    /// The connections with octets that wait, in the order in which they began to.
    congested: Mutex<Vec<Congested>>,
}

/// A connection whose replies may wait.
pub(super) trait OutputOwner: Send + Sync {
    /// Its share of the octets that wait.
    fn account(&self) -> &Account;

    /// Its client, for messages to people.
    fn name(&self) -> &str;

    /// Closes the connection; what waits is lost.
    fn abort(&self);
}

#[derive(Debug)]
struct Congested {
    /// The address of its account.
    key: usize,
    owner: Weak<dyn OutputOwner>,
}

/// The share of one connection. It is given back when it is dropped.
#[derive(Debug)]
pub(super) struct Account {
    total: Arc<PendingOutput>,
    octets: AtomicUsize,
    /// Whether the connection has been closed because too much waits.
    is_cut: AtomicBool,
}

impl PendingOutput {
    /// A server on which nothing waits, and at most `limit` octets may.
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            octets: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            enforcing: Mutex::new(()),
            congested: Mutex::default(),
        })
    }

    /// An account for a new connection.
    pub(super) fn open(self: &Arc<Self>) -> Account {
        Account {
            total: Arc::clone(self),
            octets: AtomicUsize::new(0),
            is_cut: AtomicBool::new(false),
        }
    }

    /// Gives the memory of replies that have been taken back to the system, if it was
    /// much: allocators keep it, for what may never come again.
    pub(super) fn give_memory_back(&self) {
        let octets = self.octets.load(Ordering::Relaxed);
        let peak = self.peak.load(Ordering::Relaxed);
        if peak >= MUCH && octets <= peak / 2 {
            self.peak.store(octets, Ordering::Relaxed);
            memory::give_back();
        }
    }

    /// Closes connections while more waits than may, the one first that has kept the
    /// server waiting longest.
    fn enforce(&self) {
        let _enforcing = self.enforcing.lock();
        let mut waiting = self.waiting();
        // Connections that have been closed before still give back what they have.
        let leaving = waiting.iter().filter(|owner| owner.account().is_cut());
        let mut left = leaving.map(|owner| owner.account().octets()).sum::<usize>();
        waiting.retain(|owner| !owner.account().is_cut());
        for owner in waiting {
            let octets = self.octets.load(Ordering::Relaxed);
            if octets.saturating_sub(left) <= self.limit {
                return;
            }
            owner.account().is_cut.store(true, Ordering::Relaxed);
            left += owner.account().octets();
            owner.abort();
            counters::server::timed_out("output");
            tracing::warn!(
                peer = owner.name(),
                setting = "server.max_pending_output",
                limit = self.limit,
                octets,
                "too many octets wait to be sent, closing the slowest connection"
            );
        }
    }

    /// The connections with octets that wait, the one first that began first. They are
    /// collected before one is touched: the last owner of one gives its account back, for
    /// which the list is locked.
    fn waiting(&self) -> Vec<Arc<dyn OutputOwner>> {
        let congested = self.congested.lock();
        let owners = congested.iter().map(|congested| &congested.owner);
        owners.filter_map(Weak::upgrade).collect()
    }
}

impl Account {
    /// Notes that further octets of this connection wait.
    #[cold]
    #[inline(never)]
    pub(super) fn add<O: OutputOwner + 'static>(&self, owner: &Weak<O>, octets: usize) {
        let before = self.total.octets.fetch_add(octets, Ordering::Relaxed);
        self.total
            .peak
            .fetch_max(before + octets, Ordering::Relaxed);
        if self.octets.fetch_add(octets, Ordering::Relaxed) == 0 {
            let owner: Weak<dyn OutputOwner> = Weak::<O>::clone(owner);
            let congested = Congested {
                key: self.key(),
                owner,
            };
            self.total.congested.lock().push(congested);
        }
    }

    /// Notes that none of its octets waits any more.
    #[cold]
    #[inline(never)]
    pub(super) fn clear(&self) {
        let octets = self.octets.swap(0, Ordering::Relaxed);
        if octets > 0 {
            self.total.octets.fetch_sub(octets, Ordering::Relaxed);
            let key = self.key();
            let mut congested = self.total.congested.lock();
            congested.retain(|congested| congested.key != key);
        }
    }

    /// Closes connections if more octets wait than may, on all connections together. Not
    /// to be called while the caller holds a lock of a connection.
    #[cold]
    #[inline(never)]
    pub(super) fn enforce(&self) {
        if self.total.octets.load(Ordering::Relaxed) > self.total.limit {
            self.total.enforce();
        }
    }

    fn octets(&self) -> usize {
        self.octets.load(Ordering::Relaxed)
    }

    fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.clear();
    }
}
