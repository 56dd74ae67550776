//! Circles of values, which would be compared or shown without end.

use std::cell::RefCell;
use std::collections::HashSet;

thread_local! {
    /// The values that this thread is comparing or showing: a circle of them
    /// would never end.
    static UNDER_COMPARISON: RefCell<HashSet<[usize; 2]>> = RefCell::default();
}

/// Two values are being compared, or one is being shown.
pub(super) struct UnderComparison([usize; 2]);

impl UnderComparison {
    /// None if they are already.
    pub(super) fn begin(addresses: [usize; 2]) -> Option<Self> {
        UNDER_COMPARISON
            .with_borrow_mut(|all| all.insert(addresses))
            .then_some(Self(addresses))
    }
}

impl Drop for UnderComparison {
    fn drop(&mut self) {
        UNDER_COMPARISON.with_borrow_mut(|all| all.remove(&self.0));
    }
}

/// Where a value's state lies, as a number.
pub(super) fn address<T>(state: &T) -> usize {
    std::ptr::from_ref(state).addr()
}
