//! The quality of service of a POA.

use taut_giop::{SystemExceptionKind, minor};

use super::current::{self, NoContext};
use super::error::own_refusal;
use super::{Current, Poa, PoaError, PoaManagerState, Shared};
use crate::quality::{ServiceQuality, is_over_budget};

impl Poa {
    /// Sets what the clients of this POA's objects are granted. Calls from this process are
    /// requests too; no reference calls a servant of this POA by itself, whatever its
    /// [collocation strategy](crate::CollocationStrategy), unless the quality looks at no request:
    /// it is a [`CollocationAccess`](crate::quality::CollocationAccess) for all callers.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with [`minor::QUALITY_TOO_LATE`] if an object is active, or a quality has
    /// been set.
    pub fn set_quality(&self, quality: ServiceQuality) -> Result<(), PoaError> {
        let too_late = || {
            let kind = SystemExceptionKind::BadInvOrder;
            PoaError::from(own_refusal(kind, minor::QUALITY_TOO_LATE))
        };
        let set = || self.shared.quality.set(quality).is_ok();
        match self.shared.map.if_empty(set) {
            Some(true) => {}
            _ => return Err(too_late()),
        }
        // Requests do not go the short way from here on.
        drop(self.shared.table.renew(self.shared.place));
        Ok(())
    }
}

impl Poa {
    /// Whether the calling thread may call objects of this POA in its own.
    pub(super) fn admits_caller(&self) -> bool {
        let quality = self.shared.quality.get();
        quality.is_none_or(|quality| quality.collocation.admits_caller())
    }

    /// Whether references may keep servants of this POA, whose manager is in this state.
    pub(super) fn lends_servants(&self, state: PoaManagerState) -> bool {
        if self.has_priorities() {
            // A reference asks nobody for the priority at which the servant is to run.
            return false;
        }
        self.shared.quality.get().is_none_or(|quality| {
            let is_heeded = quality.collocation.heeds_manager;
            !quality.is_apart() && (!is_heeded || state == PoaManagerState::Active)
        })
    }
}

impl Shared {
    /// Takes the servants from references that keep them, if they are to when the manager is in
    /// this state.
    pub(super) fn heed_manager(&self, state: PoaManagerState) {
        let quality = self.quality.get();
        if state != PoaManagerState::Active
            && quality.is_some_and(|quality| quality.collocation.heeds_manager)
        {
            self.map.release_all();
        }
    }
}

impl Current {
    /// Whether the request that the calling thread carries out has used up its
    /// [budget](crate::quality::UpcallBudget), so that the servant had better end. False if it
    /// has none.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn is_over_budget() -> Result<bool, NoContext> {
        current::with(|_| is_over_budget())
    }
}
