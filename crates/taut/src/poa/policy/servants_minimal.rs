//! The policies that say where servants come from, in the shape `minimal`: servants are in
//! the active object map or nowhere.

use super::{Policies, Policy};

/// Whether a POA remembers which servant incarnates which object (15.3.8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ServantRetentionPolicy {
    /// RETAIN: in the active object map.
    #[default]
    Retain,
}

/// Where the servant of a request comes from (15.3.8.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RequestProcessingPolicy {
    /// USE_ACTIVE_OBJECT_MAP_ONLY: the active object map.
    #[default]
    UseActiveObjectMapOnly,
}

/// A proof that the policies of a POA provide servants on demand: there is none.
#[derive(Debug, Clone, Copy)]
pub(in crate::poa) enum OnDemand {}

impl Policies {
    pub(in crate::poa) const fn retains(&self) -> bool {
        true
    }

    pub(in crate::poa) const fn uses_default_servant(&self) -> bool {
        false
    }

    pub(in crate::poa) const fn uses_servant_manager(&self) -> bool {
        false
    }

    pub(in crate::poa) const fn on_demand(&self) -> Option<OnDemand> {
        None
    }

    pub(super) const fn conflict_of_servants(&self) -> Option<[Policy; 2]> {
        None
    }
}

impl From<ServantRetentionPolicy> for Policy {
    fn from(value: ServantRetentionPolicy) -> Self {
        Self::ServantRetention(value)
    }
}

impl From<RequestProcessingPolicy> for Policy {
    fn from(value: RequestProcessingPolicy) -> Self {
        Self::RequestProcessing(value)
    }
}
