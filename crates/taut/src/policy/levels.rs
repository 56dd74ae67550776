//! The levels of one call together.

use taut_cdr::Result as CdrResult;
use taut_giop::{CompletionStatus, ExposedPolicy, SystemException, SystemExceptionKind};

use super::{OrbPolicies, Policy, PolicyLevels, PolicySet, PolicyType, PolicyValue, of_thread};

/// The policies of a call at all levels but the default, the nearest first: the call's own,
/// the reference's, the thread's, the ORB's.
#[derive(Debug, Clone)]
pub(crate) struct Levels([PolicySet; 4]);

impl Levels {
    pub(crate) fn of(call: PolicySet, reference: PolicySet, orb: &OrbPolicies) -> Self {
        Self([call, reference, of_thread(), orb.overrides()])
    }

    /// Whether no level has any.
    pub(crate) fn are_empty(&self) -> bool {
        self.0.iter().all(PolicySet::is_empty)
    }

    /// The policy of this type in force.
    pub(crate) fn get(&self, policy_type: PolicyType) -> Option<&Policy> {
        self.0.iter().find_map(|level| level.get(policy_type))
    }

    /// The value of the policy of this type in force.
    pub(crate) fn find<V: PolicyValue>(&self) -> Option<&V> {
        self.get(V::TYPE)?.value()
    }

    /// The value that the call itself has.
    pub(crate) fn of_call<V: PolicyValue>(&self) -> Option<&V> {
        self.0[0].find()
    }

    /// The value that the thread or the ORB has, for what calls and references keep elsewhere.
    pub(crate) fn find_beyond_reference<V: PolicyValue>(&self) -> Option<&V> {
        let [_, _, thread, orb] = &self.0;
        thread.find().or_else(|| orb.find())
    }

    /// The policies in force that a reference may contradict.
    fn exposed(&self) -> impl Iterator<Item = &Policy> {
        let all = self.0.iter().enumerate();
        all.flat_map(|(place, level)| level.iter().map(move |policy| (place, policy)))
            .filter(|(_, policy)| policy.levels().contains(PolicyLevels::EXPOSED))
            .filter(|(place, policy)| {
                let nearer = &self.0[..*place];
                let policy_type = policy.policy_type();
                nearer.iter().all(|level| level.get(policy_type).is_none())
            })
            .map(|(_, policy)| policy)
    }

    /// Whether a reference may contradict any, beside those of which every call learns
    /// otherwise: it finds its way by bands where these `bands_are_checked`.
    pub(crate) fn may_be_contradicted(&self, bands_are_checked: bool) -> bool {
        let is_checked = |policy: &Policy| match policy.policy_type() {
            // A client has none that could be contradicted.
            PolicyType::PRIORITY_MODEL => true,
            PolicyType::PRIORITY_BANDED_CONNECTION => bands_are_checked,
            _ => false,
        };
        self.exposed().any(|policy| !is_checked(policy))
    }

    /// The policies in force that those of a reference contradict.
    ///
    /// # Errors
    ///
    /// When what the reference says is malformed.
    pub(crate) fn contradicted_by(&self, told: &[ExposedPolicy]) -> CdrResult<Vec<Policy>> {
        let mut contradicted = Vec::new();
        for policy in self.exposed() {
            let of_type = |one: &&ExposedPolicy| one.policy_type == policy.policy_type().0;
            if let Some(told) = told.iter().find(of_type)
                && policy.reconcile(&told.value)?.is_none()
            {
                contradicted.push(policy.clone());
            }
        }
        Ok(contradicted)
    }
}

/// Returns the exception of a call whose policies a reference contradicts.
#[cold]
pub(crate) fn inconsistent(policies: &[Policy]) -> SystemException {
    let names: Vec<_> = policies
        .iter()
        .map(|policy| format!("{policy} of the client, {policy:?}"))
        .collect();
    SystemException::omg(SystemExceptionKind::InvPolicy, 1, CompletionStatus::No).because(format!(
        "the reference has another value than {}",
        names.join(", ")
    ))
}
