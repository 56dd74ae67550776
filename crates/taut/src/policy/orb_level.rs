//! The policies of an ORB (the standard's `PolicyManager`, CORBA 3.3 part 1, 8.10.4).

use std::fmt;
use std::sync::Arc;

use taut_sync::lock::Mutex;
use taut_sync::primitives::AtomicArc;

use super::factory::Factories;
use super::{
    CollocationPolicy, Policy, PolicyLevels, PolicyOverrideError, PolicySet, PolicyType,
    SetOverrideType,
};
use crate::lifecycle::Lifecycle;
use crate::settings::CollocationStrategy;

/// The policies of an ORB, and the makers of policies that it knows.
#[derive(Default)]
pub(crate) struct OrbPolicies {
    overrides: AtomicArc<PolicySet>,
    /// Held while they change.
    change: Mutex<()>,
    pub(crate) factories: Factories,
}

impl OrbPolicies {
    /// The policies of all calls.
    pub(crate) fn overrides(&self) -> PolicySet {
        let set = self.overrides.load_full();
        set.map_or(PolicySet::EMPTY, |set| PolicySet::clone(&set))
    }

    /// How objects of this process are called, if the ORB has a policy for it.
    pub(crate) fn collocation(&self) -> Option<CollocationStrategy> {
        let policy = self.overrides().find::<CollocationPolicy>().copied()?;
        Some(policy.0)
    }
}

impl fmt::Debug for OrbPolicies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrbPolicies")
            .field("overrides", &self.overrides())
            .finish_non_exhaustive()
    }
}

/// The policies of all calls by references of an ORB, for which no nearer level has others;
/// [`Orb::policy_manager`](crate::Orb::policy_manager).
///
/// Those that a POA may have too are told by the references of POAs that are created while
/// they are set.
pub struct PolicyManager<'o> {
    policies: &'o OrbPolicies,
    lifecycle: &'o Lifecycle,
}

impl<'o> PolicyManager<'o> {
    pub(crate) fn new(policies: &'o OrbPolicies, lifecycle: &'o Lifecycle) -> Self {
        Self {
            policies,
            lifecycle,
        }
    }

    /// Gives the ORB policies. Calls that have begun keep theirs. While an ORB has any, its
    /// calls take a few hundred instructions more.
    ///
    /// # Errors
    ///
    /// [`PolicyOverrideError`]; then nothing has changed.
    pub fn set_policy_overrides(
        &self,
        policies: &[Policy],
        how: SetOverrideType,
    ) -> Result<(), PolicyOverrideError> {
        let _change = self.policies.change.lock();
        let set = self.policies.overrides();
        let set = set.with(policies, how, PolicyLevels::ORB)?;
        let is_empty = set.is_empty();
        let concern_calls = set.iter().any(concerns_calls);
        self.policies
            .overrides
            .store((!is_empty).then(|| Arc::new(set)));
        self.lifecycle.set_governed(concern_calls);
        Ok(())
    }

    /// Returns the ORB's policies of these types, all if no type is given.
    pub fn get_policy_overrides(&self, types: &[PolicyType]) -> Vec<Policy> {
        self.policies.overrides().of_types(types)
    }
}

/// Whether a policy of an ORB is for calls, and not for its POAs alone.
fn concerns_calls(policy: &Policy) -> bool {
    let of_poas = PolicyLevels::ORB.and(PolicyLevels::EXPOSED);
    !of_poas.contains(policy.levels())
}

impl fmt::Debug for PolicyManager<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyManager")
            .field("overrides", &self.policies.overrides())
            .finish_non_exhaustive()
    }
}
