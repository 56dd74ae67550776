//! Bindings to objects of this process.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{APART, BOUND, BindingCell, FORWARDED, Kept, NEVER_LOCAL, REMOTE};
use crate::object::{Binding, DirectTarget, Local, Passes};

/// The state that a call looks at first: whether it stays in the process.
#[derive(Clone, Copy)]
pub(crate) struct Way(u8);

impl BindingCell {
    /// How calls go, as far as that is known.
    #[inline]
    pub(crate) fn way(&self) -> Way {
        Way(self.state.load(Ordering::Relaxed))
    }

    /// Notes that the binding of the reference itself leads to a servant, which the
    /// reference keeps from now on.
    pub(crate) fn keep(&self, local: &Local, target: &Arc<DirectTarget>) {
        // If it is bound otherwise meanwhile, the servant has been taken away.
        if self.state.load(Ordering::Acquire) & !(APART | BOUND) == 0 {
            let _ = self.kept.set(Kept {
                target: Arc::clone(target),
                is_same_orb: local.is_same_orb,
            });
        }
    }

    /// The servant that the reference keeps for such calls.
    #[inline(always)]
    pub(crate) fn kept(&self, passes: Passes) -> Option<&DirectTarget> {
        let kept = self.kept.get()?;
        match passes == Passes::Values || kept.is_same_orb {
            true => Some(&kept.target),
            false => None,
        }
    }

    /// From now on calls go by message: the object's server has stopped.
    pub(crate) fn leave_process(&self) {
        self.state.fetch_or(REMOTE, Ordering::Relaxed);
    }

    /// Returns the binding of the reference itself, if it is known and in force.
    #[inline]
    pub(crate) fn get_direct(&self) -> Option<&Binding> {
        let is_forwarded = self.state.load(Ordering::Relaxed) & FORWARDED != 0;
        let direct = self.direct.get().filter(|_| !is_forwarded)?;
        Some(direct)
    }
}

impl Way {
    /// Whether calls go by message. False when that is not known yet.
    #[inline]
    pub(crate) fn is_remote(self) -> bool {
        self.0 & (REMOTE | NEVER_LOCAL) != 0
    }
}
