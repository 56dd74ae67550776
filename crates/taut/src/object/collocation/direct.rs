//! Servants that references call by themselves, and how they are let go.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use super::views::Views;
use crate::lifecycle::EndsWithOrb;
use crate::object::View;
use crate::sync::{Held, Revocable};

/// The servant of one active object, for references of one ORB that keep it: until the
/// object is deactivated, or its ORB or theirs begins to stop. Calls that are under way
/// then go on to their ends. So a call has nothing to look at but whether it is there.
pub(crate) struct DirectTarget(Revocable<DirectServant>);

/// All that a direct call needs, in one piece.
pub(crate) struct DirectServant {
    /// As the interface by which it was called first.
    first: View,
    all: Arc<Views>,
}

impl DirectTarget {
    pub(super) fn new(first: View, all: Arc<Views>) -> Arc<Self> {
        Arc::new(Self(Revocable::new(Arc::new(DirectServant { first, all }))))
    }

    /// Calls the servant, in as few steps as there are; `otherwise` where that takes more
    /// of them, which [`load`](Self::load) does. `state` goes to whichever is called.
    #[inline(always)]
    pub(crate) fn lend<V, S, R>(
        &self,
        state: S,
        call: impl FnOnce(S, &V) -> R,
        otherwise: impl FnOnce(S) -> R,
    ) -> R
    where
        V: ?Sized + 'static,
    {
        self.0
            .lend(state, |servant| servant.first.get(), call, otherwise)
    }

    /// The servant, as long as it may be called.
    pub(crate) fn load(&self) -> Option<Held<DirectServant>> {
        self.0.load()
    }

    /// Lets the servant go.
    pub(super) fn release(&self) {
        self.0.revoke();
    }
}

impl DirectServant {
    /// The view of this type if it has been made.
    pub(crate) fn get(&self, wanted: TypeId) -> Option<&View> {
        self.all.get(wanted)
    }
}

impl EndsWithOrb for DirectTarget {
    fn end(&self) {
        self.release();
    }
}

impl fmt::Debug for DirectTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectTarget")
            .field("is_released", &self.0.is_revoked())
            .finish()
    }
}
