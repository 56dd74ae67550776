//! The policies that the references of a POA tell clients (CORBA 3.3 part 1, 17.6).

use taut_giop::component::TaggedComponent;
use taut_giop::{CompletionStatus, ExposedPolicy, SystemException};

use super::Policy;
use crate::core::OrbCore;
use crate::poa::PoaError;
use crate::policy::{Policy as AnyPolicy, PolicyLevels, SetOverrideType};

/// Makes the component of these policies, and of those that the ORB has now where there are
/// none of their types. None: there are none to tell.
///
/// # Errors
///
/// [`PoaError::InvalidPolicy`] for a policy that is not for clients, or cannot have its value;
/// MARSHAL for one that has no form on the wire.
pub(in crate::poa) fn told(
    asked: &[Policy],
    core: &OrbCore,
) -> Result<Option<TaggedComponent>, PoaError> {
    let is_told = |policy: &&AnyPolicy| policy.levels().contains(PolicyLevels::EXPOSED);
    let of_orb = core.policies.overrides();
    let of_orb: Vec<_> = of_orb.iter().filter(is_told).cloned().collect();
    let mut told = of_orb.into();
    let exposed = |policy: &Policy| match policy {
        Policy::ClientExposed(policy) => Some(policy.clone()),
        _ => None,
    };
    for (index, policy) in asked.iter().enumerate() {
        let Some(policy) = exposed(policy) else {
            continue;
        };
        let (how, level) = (SetOverrideType::Add, PolicyLevels::EXPOSED);
        let with = crate::policy::PolicySet::with(&told, &[policy], how, level);
        told = with.map_err(|_| PoaError::invalid_policy(index))?;
    }
    if told.is_empty() {
        return Ok(None);
    }
    let component = told
        .iter()
        .map(|policy| {
            let value = policy.to_encapsulation()?;
            let policy_type = policy.policy_type().0;
            Ok(ExposedPolicy { policy_type, value })
        })
        .collect::<Result<Vec<_>, _>>()
        .and_then(|policies| ExposedPolicy::to_component(&policies));
    match component {
        Ok(component) => Ok(Some(component)),
        Err(error) => Err(SystemException::from_cdr(&error, CompletionStatus::No).into()),
    }
}
