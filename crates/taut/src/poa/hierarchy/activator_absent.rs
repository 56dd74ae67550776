//! POAs on demand in the shape `minimal`: there are none.

use crate::poa::{Poa, PoaError};

/// Nobody creates children of a POA.
#[derive(Default)]
pub(super) struct Demand(());

impl Demand {
    pub(super) fn awaits(&self, _: &str) -> bool {
        false
    }

    pub(super) fn end(&mut self) -> Ended {
        Ended
    }
}

/// The rest of the demand for children at a POA's end: nothing.
pub(super) struct Ended;

impl Ended {
    pub(super) fn let_go(self, _: &str) {}
}

impl Poa {
    pub(in crate::poa) fn has_adapter_activator(&self) -> bool {
        false
    }

    pub(in crate::poa) fn find_for_request(&self, name: &str) -> Result<Self, PoaError> {
        self.find_poa(name, false)
    }

    pub(super) fn is_created_here(&self) -> bool {
        false
    }

    pub(super) fn find_or_activate(&self, name: &str, _: bool) -> Result<Self, PoaError> {
        let members = self.shared.family.members.lock();
        let child = members.children.get(name).cloned();
        child.ok_or(PoaError::AdapterNonExistent)
    }
}
