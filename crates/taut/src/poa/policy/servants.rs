//! The policies that say where servants come from.

use super::{IdAssignmentPolicy, IdUniquenessPolicy, ImplicitActivationPolicy, Policies, Policy};

/// Whether a POA remembers which servant incarnates which object (15.3.8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ServantRetentionPolicy {
    /// RETAIN: in the active object map.
    #[default]
    Retain,
    /// NON_RETAIN: a servant is found anew for each request.
    NonRetain,
}

/// Where the servant of a request comes from (15.3.8.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RequestProcessingPolicy {
    /// USE_ACTIVE_OBJECT_MAP_ONLY: the active object map.
    #[default]
    UseActiveObjectMapOnly,
    /// USE_DEFAULT_SERVANT: where the map has none, the default servant.
    UseDefaultServant,
    /// USE_SERVANT_MANAGER: where the map has none, the servant manager.
    UseServantManager,
}

/// A proof that the policies of a POA provide servants on demand.
#[derive(Debug, Clone, Copy)]
pub(in crate::poa) struct OnDemand(());

impl Policies {
    pub(in crate::poa) fn retains(&self) -> bool {
        self.servant_retention == ServantRetentionPolicy::Retain
    }

    pub(in crate::poa) fn uses_default_servant(&self) -> bool {
        self.request_processing == RequestProcessingPolicy::UseDefaultServant
    }

    pub(in crate::poa) fn uses_servant_manager(&self) -> bool {
        self.request_processing == RequestProcessingPolicy::UseServantManager
    }

    /// Servants that are not in the active object map, if there may be any.
    pub(in crate::poa) fn on_demand(&self) -> Option<OnDemand> {
        let is_map_only =
            self.request_processing == RequestProcessingPolicy::UseActiveObjectMapOnly;
        (!is_map_only).then_some(OnDemand(()))
    }

    /// Policies that cannot be together, if these are (15.3.8).
    pub(super) fn conflict_of_servants(&self) -> Option<[Policy; 2]> {
        use IdUniquenessPolicy::UniqueId;
        use ImplicitActivationPolicy::ImplicitActivation;
        use RequestProcessingPolicy::{UseActiveObjectMapOnly, UseDefaultServant};

        let retains = self.retains();
        if !retains && self.request_processing == UseActiveObjectMapOnly {
            return Some([
                ServantRetentionPolicy::NonRetain.into(),
                UseActiveObjectMapOnly.into(),
            ]);
        }
        if self.request_processing == UseDefaultServant && self.id_uniqueness == UniqueId {
            return Some([UseDefaultServant.into(), UniqueId.into()]);
        }
        let assigns_ids = self.id_assignment == IdAssignmentPolicy::SystemId;
        if self.implicit_activation == ImplicitActivation && assigns_ids && !retains {
            return Some([
                ImplicitActivation.into(),
                ServantRetentionPolicy::NonRetain.into(),
            ]);
        }
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
