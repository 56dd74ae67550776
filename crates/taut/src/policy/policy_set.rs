//! A set of policies: at most one of each type.

use std::fmt;
use std::sync::Arc;

use super::{
    Policy, PolicyLevels, PolicyOverrideError, PolicyType, PolicyValue, ReplyEndTimePolicy,
    ReplyStartTimePolicy, RequestEndTimePolicy, RequestStartTimePolicy,
};

/// The fate of the policies that were there before (the standard's `SetOverrideType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetOverrideType {
    /// SET_OVERRIDE: they are gone.
    Set,
    /// ADD_OVERRIDE: those of other types stay.
    Add,
}

/// The policies of one level.
#[derive(Clone, Default)]
pub(crate) struct PolicySet(Option<Arc<[Policy]>>);

impl PolicySet {
    /// Without any.
    pub(crate) const EMPTY: Self = Self(None);

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Policy> {
        self.0.iter().flat_map(|policies| policies.iter())
    }

    /// The policy of this type.
    pub(crate) fn get(&self, policy_type: PolicyType) -> Option<&Policy> {
        self.iter()
            .find(|policy| policy.policy_type() == policy_type)
    }

    /// The value of the policy of this type.
    pub(crate) fn find<V: PolicyValue>(&self) -> Option<&V> {
        self.get(V::TYPE)?.value()
    }

    /// Those of these types, or all if no type is given.
    pub(crate) fn of_types(&self, types: &[PolicyType]) -> Vec<Policy> {
        let is_asked = |policy: &&Policy| types.is_empty() || types.contains(&policy.policy_type());
        self.iter().filter(is_asked).cloned().collect()
    }

    /// The set after these policies have been set or added at a level.
    ///
    /// # Errors
    ///
    /// [`PolicyOverrideError`], when one of them may not be there.
    pub(crate) fn with(
        &self,
        policies: &[Policy],
        how: SetOverrideType,
        level: PolicyLevels,
    ) -> Result<Self, PolicyOverrideError> {
        for (index, policy) in policies.iter().enumerate() {
            let policy_type = policy.policy_type();
            let is_same = |other: &Policy| other.policy_type() == policy_type;
            if policies[..index].iter().any(is_same) {
                return Err(PolicyOverrideError::Duplicate(policy_type));
            }
            let levels = policy.levels();
            if !levels.contains(level) {
                return Err(PolicyOverrideError::NotAllowed {
                    policy_type,
                    levels,
                });
            }
            policy
                .check()
                .map_err(|reason| PolicyOverrideError::InvalidValue {
                    index,
                    policy_type,
                    reason,
                })?;
        }
        let is_replaced = |before: &Policy| {
            let of_type = |policy: &Policy| policy.policy_type() == before.policy_type();
            how == SetOverrideType::Set || policies.iter().any(of_type)
        };
        let kept = self.iter().filter(|before| !is_replaced(before));
        let all: Vec<_> = kept.chain(policies).cloned().collect();
        let set = Self::from(all);
        match set.contradiction() {
            None => Ok(set),
            Some(types) => {
                let places = policies.iter().enumerate();
                let indices = places
                    .filter(|(_, policy)| types.contains(&policy.policy_type()))
                    .map(|(index, _)| index)
                    .collect();
                Err(PolicyOverrideError::Contradiction { indices, types })
            }
        }
    }

    /// The types of two policies that contradict each other, if two do: a time that begins
    /// after it has ended.
    fn contradiction(&self) -> Option<[PolicyType; 2]> {
        let request = self
            .find::<RequestStartTimePolicy>()
            .zip(self.find::<RequestEndTimePolicy>())
            .is_some_and(|(start, end)| start.0 > end.0);
        let reply = self
            .find::<ReplyStartTimePolicy>()
            .zip(self.find::<ReplyEndTimePolicy>())
            .is_some_and(|(start, end)| start.0 > end.0);
        match (request, reply) {
            (true, _) => Some([PolicyType::REQUEST_START_TIME, PolicyType::REQUEST_END_TIME]),
            (false, true) => Some([PolicyType::REPLY_START_TIME, PolicyType::REPLY_END_TIME]),
            (false, false) => None,
        }
    }
}

impl From<Vec<Policy>> for PolicySet {
    fn from(policies: Vec<Policy>) -> Self {
        Self((!policies.is_empty()).then(|| policies.into()))
    }
}

impl fmt::Debug for PolicySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
