//! Numbers that one thread at a time counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// Adds to a number that no other thread writes, so that reading and writing
/// need not be one.
#[inline]
pub(super) fn count(number: &AtomicU64, more: u64) {
    let sum = number.load(Ordering::Relaxed).wrapping_add(more);
    number.store(sum, Ordering::Relaxed);
}
