//! How many connections an ORB may open.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Counts the connections that are open.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    open: AtomicUsize,
    /// The owner of connections that carry no call.
    holder: OnceLock<Weak<dyn Holder>>,
}

/// An owner of connections that can do with one less.
pub(super) trait Holder: Send + Sync {
    /// Closes a connection that carries no call. False when there is none.
    fn give_way(&self) -> bool;

    /// Notes that a connection has been opened; so many are open now.
    fn note_opened(&self, open: usize);
}

/// The right to one connection; it ends with this value.
#[derive(Debug)]
pub(super) struct Permit {
    budget: Arc<Budget>,
}

impl Budget {
    /// At most `limit` connections at once.
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            open: AtomicUsize::new(0),
            holder: OnceLock::new(),
        })
    }

    /// Says who is to close a connection when there are too many.
    pub(super) fn set_holder(&self, holder: Weak<dyn Holder>) {
        // The cache that has made it is the only one.
        let _ = self.holder.set(holder);
    }

    /// The right to one connection more. None when there are as many as may be
    /// and all carry calls.
    pub(super) fn permit(self: &Arc<Self>) -> Option<Permit> {
        loop {
            if let Some(permit) = self.free_permit() {
                return Some(permit);
            }
            if !self.make_room() {
                return None;
            }
        }
    }

    /// Closes a connection that carries no call. False when there is none.
    #[cold]
    pub(super) fn make_room(&self) -> bool {
        let holder = self.holder.get().and_then(Weak::upgrade);
        holder.is_some_and(|holder| holder.give_way())
    }

    /// Notes that a connection has been opened.
    pub(super) fn note_opened(&self) {
        if let Some(holder) = self.holder.get().and_then(Weak::upgrade) {
            holder.note_opened(self.open.load(Ordering::Relaxed));
        }
    }

    fn free_permit(self: &Arc<Self>) -> Option<Permit> {
        let count = |open: usize| (open < self.limit).then_some(open + 1);
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        self.open.fetch_update(success, failure, count).ok()?;
        Some(Permit {
            budget: Arc::clone(self),
        })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.budget.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_that_ends_makes_room() {
        let budget = Budget::new(2);
        let (one, _other) = (budget.permit().unwrap(), budget.permit().unwrap());
        assert!(budget.permit().is_none());
        drop(one);
        assert!(budget.permit().is_some());
        assert!(Budget::new(0).permit().is_none());
    }
}
