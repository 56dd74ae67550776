//! The policies that the references of a POA tell clients (CORBA 3.3 part 1, 17.6).

use taut_giop::component::TaggedComponent;
use taut_giop::{CompletionStatus, ExposedPolicy, SystemException, SystemExceptionKind};

use super::ToldPolicies;
use crate::core::OrbCore;
use crate::poa::{Poa, PoaError, PoaManager, Policy};
use crate::policy::{
    Policy as ClientPolicy, PolicyLevels, PolicySet, ServerProtocolPolicy, SetOverrideType,
};

impl Poa {
    /// [`create_poa`](Self::create_poa) of a POA whose references tell policies to clients, such
    /// as a [`RequestPriorityPolicy`](crate::policy::RequestPriorityPolicy): component
    /// TAG_POLICIES (CORBA 3.3 part 1, 17.6). A client whose policies they contradict gets
    /// INV_POLICY. Those that the [ORB](crate::Orb::policy_manager) has now are told too, unless
    /// one of their type is here.
    ///
    /// A [`PriorityModelPolicy`](crate::policy::PriorityModelPolicy) is also what this POA itself
    /// goes by: it says at which priority requests are carried out (Real-time CORBA 1.2, 4.7).
    ///
    /// # Errors
    ///
    /// Those of [`create_poa`](Self::create_poa); [`PoaError::InvalidPolicy`] also for one of
    /// `told` that is not for clients, cannot have its value or is there twice, with an index
    /// that goes on behind those of `policies`. With a
    /// [`PriorityModelPolicy`](crate::policy::PriorityModelPolicy): BAD_INV_ORDER with
    /// [`minor::NOT_REAL_TIME`](crate::minor::NOT_REAL_TIME) in an ORB without priorities,
    /// DATA_CONVERSION with OMG minor 2 for a priority that has no native one, BAD_PARAM with
    /// [`minor::OBJECT_PRIORITY_IN_NO_BAND`](crate::minor::OBJECT_PRIORITY_IN_NO_BAND) for one
    /// that is in no band of a
    /// [`PriorityBandedConnectionPolicy`](crate::policy::PriorityBandedConnectionPolicy) beside
    /// it.
    pub fn create_poa_telling(
        &self,
        name: &str,
        manager: Option<&PoaManager>,
        policies: &[Policy],
        told: &[ClientPolicy],
    ) -> Result<Self, PoaError> {
        let mut all = of_orb(&self.shared.table.core);
        for (index, policy) in told.iter().enumerate() {
            let invalid = || PoaError::invalid_policy(policies.len() + index);
            let is_same = |other: &ClientPolicy| other.policy_type() == policy.policy_type();
            if told[..index].iter().any(is_same) {
                return Err(invalid());
            }
            let (policy, how) = (std::slice::from_ref(policy), SetOverrideType::Add);
            let with = all.with(policy, how, PolicyLevels::EXPOSED);
            all = with.map_err(|_| invalid())?;
            if let Some(protocols) = policy[0].value::<ServerProtocolPolicy>()
                && (protocols.has_properties() || !self.offers_one_of(protocols))
            {
                return Err(invalid());
            }
        }
        let told = ToldPolicies::new(&all, &self.shared.table.core)?;
        self.create_child(name, manager, policies, told)
    }

    /// Whether the server listens by one of these protocols.
    fn offers_one_of(&self, protocols: &ServerProtocolPolicy) -> bool {
        let offered = self.shared.table.profile_tags();
        let wanted = protocols.protocol_types();
        wanted.iter().any(|tag| offered.contains(tag))
    }

    /// The policies that references of a new POA tell without any of its own.
    ///
    /// # Errors
    ///
    /// MARSHAL for one that has no form on the wire; INV_POLICY with OMG minor 2 if the ORB's
    /// `ServerProtocolPolicy` names no protocol by which the server listens.
    pub(in crate::poa) fn told_by_orb(&self) -> Result<ToldPolicies, PoaError> {
        let of_orb = of_orb(&self.shared.table.core);
        if let Some(protocols) = of_orb.find::<ServerProtocolPolicy>()
            && !self.offers_one_of(protocols)
        {
            let kind = SystemExceptionKind::InvPolicy;
            return Err(SystemException::omg(kind, 2, CompletionStatus::No)
                .because(format!(
                    "the ORB's ServerProtocolPolicy names the profile tags {:?}; the server \
                     listens by {:?}",
                    protocols.protocol_types(),
                    self.shared.table.profile_tags()
                ))
                .into());
        }
        ToldPolicies::new(&of_orb, &self.shared.table.core)
    }
}

impl ToldPolicies {
    /// Those of the root POA.
    pub(in crate::poa) fn of_root(core: &OrbCore) -> Self {
        // A policy of the ORB that has no form on the wire is refused there.
        Self::new(&of_orb(core), core).unwrap_or_default()
    }
}

fn of_orb(core: &OrbCore) -> PolicySet {
    let all = core.policies.overrides();
    let is_told = |policy: &&ClientPolicy| policy.levels().contains(PolicyLevels::EXPOSED);
    let told: Vec<_> = all.iter().filter(is_told).cloned().collect();
    told.into()
}

/// Makes the component of policies; none if there are none to tell.
///
/// # Errors
///
/// MARSHAL for one that has no form on the wire.
pub(in crate::poa) fn component(told: &PolicySet) -> Result<Option<TaggedComponent>, PoaError> {
    if told.is_empty() {
        return Ok(None);
    }
    let policies = told.iter().map(|policy| {
        let value = policy.to_encapsulation()?;
        let policy_type = policy.policy_type().0;
        Ok(ExposedPolicy { policy_type, value })
    });
    let policies: Result<Vec<_>, _> = policies.collect();
    let component = policies.and_then(|policies| ExposedPolicy::to_component(&policies));
    let component =
        component.map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
    Ok(Some(component))
}
