//! Servants that references call by themselves, and how they are let go.

use std::fmt;
use std::sync::Arc;

use super::views::Views;
use crate::sync::{AtomicArc, Held};

/// The servant of one active object, for references that keep it: until the object is
/// deactivated. Calls that are under way then go on to their ends.
pub(crate) struct DirectTarget {
    views: AtomicArc<Views>,
}

impl DirectTarget {
    pub(super) fn new(views: &Arc<Views>) -> Self {
        Self {
            views: AtomicArc::from(Some(Arc::clone(views))),
        }
    }

    /// The servant's views, as long as the object is active.
    #[inline]
    pub(crate) fn views(&self) -> Option<Held<Views>> {
        self.views.load()
    }

    /// Lets the servant go: the object is no longer active.
    pub(crate) fn release(&self) {
        self.views.store(None);
    }
}

impl fmt::Debug for DirectTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectTarget")
            .field("is_active", &!self.views.is_empty())
            .finish()
    }
}
