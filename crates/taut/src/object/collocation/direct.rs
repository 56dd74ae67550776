//! Servants that references call by themselves, and how they are let go.

use std::any::TypeId;
use std::fmt;
use std::mem;
use std::sync::{Arc, LazyLock};

use super::views::Views;
use crate::lifecycle::EndsWithOrb;
use crate::object::View;
use crate::upcall::{self, Role};
use taut_sync::primitives::{Held, Revocable};

/// The servant of one active object, for references of one ORB that keep it: until the
/// object is deactivated, or its ORB or theirs begins to stop. Calls that are under way
/// then go on to their ends. So a call has nothing to look at but whether it is there.
pub(crate) struct DirectTarget(Revocable<DirectServant>);

/// All that a direct call needs, in one piece.
pub(crate) struct DirectServant {
    /// As the interface by which it was called first.
    first: View,
    /// As whom the servant is called.
    role: Role,
    all: Arc<Views>,
}

impl DirectTarget {
    pub(super) fn new(first: View, all: Arc<Views>, role: Role) -> Arc<Self> {
        let servant = DirectServant { first, role, all };
        Arc::new(Self(Revocable::new(Arc::new(servant))))
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
        let call = |state, servant: &DirectServant, view: &V| servant.run(|| call(state, view));
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

    /// Runs a call of the servant.
    #[inline(always)]
    pub(crate) fn run<R>(&self, call: impl FnOnce() -> R) -> R {
        upcall::run_as(&self.role, call)
    }
}

impl Drop for DirectServant {
    /// This may be the last that has the servant.
    fn drop(&mut self) {
        let first = mem::replace(&mut self.first, no_view());
        let role = mem::replace(&mut self.role, Role::Outside);
        let all = mem::take(&mut self.all);
        upcall::let_go(
            "Drop of a servant",
            &"an object of this process",
            (first, role, all),
        );
    }
}

/// A view of nothing.
fn no_view() -> View {
    static NOTHING: LazyLock<View> = LazyLock::new(|| View::new(Arc::new(())));
    NOTHING.clone()
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
