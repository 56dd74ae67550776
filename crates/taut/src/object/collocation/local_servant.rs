//! The part of an active object that is kept for callers in its own process.

use std::any::TypeId;
use std::sync::{Arc, Weak};

use taut_sync::lock::Mutex;

use super::DirectTarget;
use super::views::Views;
use crate::core::OrbCore;
use crate::upcall::Role;

/// The part of an active object that is kept once it has been called from its own process.
#[derive(Default)]
pub(crate) struct LocalServant {
    pub(crate) views: Arc<Views>,
    /// Elsewhere, for it lies in the way of calls that have no need of it.
    kept: Box<Mutex<Kept>>,
}

/// The targets that references keep: one target for each ORB and view by which they call.
#[derive(Default)]
struct Kept {
    targets: Vec<Target>,
    is_released: bool,
}

struct Target {
    view: TypeId,
    caller: Weak<OrbCore>,
    target: Arc<DirectTarget>,
}

impl LocalServant {
    /// Returns the target that references of `caller` may keep to call the servant, which
    /// belongs to `server`, most often as this view. None unless there is such a view, and
    /// after [`release`](Self::release). `make_role` makes the role in which it is called.
    pub(crate) fn direct(
        &self,
        view: TypeId,
        caller: &Arc<OrbCore>,
        server: &Arc<OrbCore>,
        make_role: impl FnOnce() -> Role,
    ) -> Option<Arc<DirectTarget>> {
        let first = self.views.get(view)?;
        let mut kept = self.kept.lock();
        if kept.is_released {
            return None;
        }
        kept.targets
            .retain(|target| target.caller.strong_count() > 0);
        let is_theirs =
            |target: &&Target| target.view == view && target.caller.as_ptr() == Arc::as_ptr(caller);
        if let Some(known) = kept.targets.iter().find(is_theirs) {
            return Some(Arc::clone(&known.target));
        }
        let target = DirectTarget::new(first.clone(), Arc::clone(&self.views), make_role());
        kept.targets.push(Target {
            view,
            caller: Arc::downgrade(caller),
            target: Arc::clone(&target),
        });
        drop(kept);
        caller.lifecycle.on_stop(&target);
        if !Arc::ptr_eq(caller, server) {
            server.lifecycle.on_stop(&target);
        }
        Some(target)
    }

    /// Takes the servant from the references that keep it.
    pub(crate) fn release(&self) {
        let mut kept = self.kept.lock();
        kept.is_released = true;
        let targets = std::mem::take(&mut kept.targets);
        drop(kept);
        targets.iter().for_each(|known| known.target.release());
    }
}

impl Drop for LocalServant {
    fn drop(&mut self) {
        self.release();
    }
}
