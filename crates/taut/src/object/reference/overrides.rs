//! The policies of references (CORBA 3.3 part 1, 8.3.8).

use std::sync::Arc;

use taut_giop::{CompletionStatus, ExposedPolicy, SystemException, SystemExceptionKind};

use super::{ObjectRef, Origin, Own, Policies};
use crate::object::whereabouts;
use crate::policy::{
    self, CollocationPolicy, Levels, Policy, PolicyLevels, PolicyOverrideError, PolicySet,
    PolicyType, RelativeRoundtripTimeoutPolicy, SetOverrideType, SyncScopePolicy,
    WaitStrategyPolicy,
};

impl ObjectRef {
    /// A reference to the same object with these policies (the standard's
    /// `_set_policy_overrides`, CORBA 3.3 part 1, 8.3.8.3). This one stays as it is. Both share
    /// the knowledge of where the object was last found, and their connections, unless they
    /// differ in how objects of this process are called or replies are waited for, or the new one
    /// has private connections.
    ///
    /// [`with_sync_scope`](Self::with_sync_scope),
    /// [`with_call_timeout`](Self::with_call_timeout) and their like do the same for one
    /// policy.
    ///
    /// # Errors
    ///
    /// [`PolicyOverrideError`].
    pub fn set_policy_overrides(
        &self,
        policies: &[Policy],
        how: SetOverrideType,
    ) -> Result<Self, PolicyOverrideError> {
        let set = self.own_policies();
        let set = set.with(policies, how, PolicyLevels::REFERENCE)?;
        let quick = self.quick_policies(&set);
        // A reference with private connections shares them with no other.
        let is_private = set.get(PolicyType::PRIVATE_CONNECTION).is_some();
        let base = match quick == self.shared.policies && !is_private {
            true => self.base().clone(),
            false => Self::from_ior(Arc::clone(self.core()), self.ior().clone(), quick),
        };
        let call_timeout = set.find::<RelativeRoundtripTimeoutPolicy>();
        let call_timeout = call_timeout.map(|policy| policy.0);
        let is_further = |policy: &&Policy| {
            !matches!(
                policy.policy_type(),
                PolicyType::SYNC_SCOPE
                    | PolicyType::WAIT_STRATEGY
                    | PolicyType::COLLOCATION
                    | PolicyType::RELATIVE_ROUNDTRIP_TIMEOUT
            )
        };
        let further: Vec<_> = set.iter().filter(is_further).cloned().collect();
        Ok(match further.is_empty() && call_timeout.is_none() {
            true => base,
            false => base.apart(call_timeout, further.into()),
        })
    }

    /// The policies of a set at which no call has to look.
    fn quick_policies(&self, set: &PolicySet) -> Policies {
        let sync_scope = set.find::<SyncScopePolicy>().map(|policy| policy.0);
        let wait_strategy = set.find::<WaitStrategyPolicy>().map(|policy| policy.0);
        let collocation = set.find::<CollocationPolicy>().map(|policy| policy.0);
        let of_orb = Policies::of_orb(self.core());
        Policies {
            sync_scope: sync_scope.unwrap_or(of_orb.sync_scope),
            wait_strategy: wait_strategy.unwrap_or(of_orb.wait_strategy),
            collocation: collocation.unwrap_or(of_orb.collocation),
            own: Own {
                sync_scope: sync_scope.is_some(),
                wait_strategy: wait_strategy.is_some(),
                collocation: collocation.is_some(),
            },
        }
    }

    /// Returns the policies of these types that the reference has itself, all if no type is
    /// given (the standard's `_get_policy_overrides`).
    pub fn get_policy_overrides(&self, types: &[PolicyType]) -> Vec<Policy> {
        self.own_policies().of_types(types)
    }

    /// Returns the policy of a type that calls by this reference have in this thread, without
    /// what the reference tells of its server (the standard's `_get_client_policy`). None: there
    /// is none, nor a default.
    pub fn get_client_policy(&self, policy_type: PolicyType) -> Option<Policy> {
        let policy = self.levels().get(policy_type).cloned();
        policy.or_else(|| policy::default_of(policy_type, &self.core().settings))
    }

    /// Returns the policy of a type that calls by this reference have in this thread: that of
    /// [`get_client_policy`](Self::get_client_policy), reconciled with that of the server if the
    /// reference tells one (the standard's `_get_policy`). The object is not asked; a reference
    /// that has been forwarded tells that of the place where it is bound.
    ///
    /// # Errors
    ///
    /// INV_POLICY with OMG minor 1 if both contradict each other, and with 3 if the reference
    /// has a policy of this type and nobody has said what such policies are
    /// ([`OrbBuilder::policy_type`](crate::OrbBuilder::policy_type)); MARSHAL if what the
    /// reference says is malformed.
    pub fn get_policy(&self, policy_type: PolicyType) -> Result<Option<Policy>, SystemException> {
        let told = self.told_policies()?;
        let mut told = told.into_iter();
        let Some(told) = told.find(|one| one.policy_type == policy_type.0) else {
            return Ok(self.get_client_policy(policy_type));
        };
        let malformed = |error| SystemException::from_cdr(&error, CompletionStatus::No);
        if let Some(client) = self.levels().get(policy_type) {
            let reconciled = client.reconcile(&told.value).map_err(malformed)?;
            return match reconciled {
                Some(policy) => Ok(Some(policy)),
                None => Err(policy::inconsistent(std::slice::from_ref(client))),
            };
        }
        let factories = &self.core().policies.factories;
        match factories.read(policy_type, &told.value) {
            Some(policy) => policy.map(Some).map_err(malformed),
            None => {
                Err(
                    SystemException::omg(SystemExceptionKind::InvPolicy, 3, CompletionStatus::No)
                        .because(format!("the reference has a value of {policy_type}")),
                )
            }
        }
    }

    /// The policies that the reference tells of its server, at the place where it is bound.
    fn told_policies(&self) -> Result<Vec<ExposedPolicy>, SystemException> {
        match self.binding().get() {
            Some(binding) => binding.exposed_policies(self.core(), self.ior()),
            None => whereabouts::exposed_policies(self.ior(), self.core(), None),
        }
    }

    /// The levels of a call that has no policies of its own.
    fn levels(&self) -> Levels {
        Levels::of(PolicySet::EMPTY, self.own_policies(), &self.core().policies)
    }

    /// All policies that the reference has itself.
    fn own_policies(&self) -> PolicySet {
        let mut all: Vec<Policy> = self.overrides().iter().cloned().collect();
        let Policies {
            sync_scope,
            wait_strategy,
            collocation,
            own,
        } = self.shared.policies;
        if own.sync_scope {
            all.push(SyncScopePolicy(sync_scope).into());
        }
        if own.wait_strategy {
            all.push(WaitStrategyPolicy(wait_strategy).into());
        }
        if own.collocation {
            all.push(CollocationPolicy(collocation).into());
        }
        if let Some(timeout) = self.own_call_timeout() {
            all.push(RelativeRoundtripTimeoutPolicy(timeout).into());
        }
        all.into()
    }

    /// The policies of the reference at which each call has to look, beside the time that it
    /// may take.
    pub(crate) fn overrides(&self) -> PolicySet {
        match &self.shared.origin {
            Origin::Ior(_) => PolicySet::EMPTY,
            Origin::Reference { overrides, .. } => overrides.clone(),
        }
    }

    /// Whether the reference itself says what oneways wait for.
    pub(crate) fn has_own_sync_scope(&self) -> bool {
        self.shared.policies.own.sync_scope
    }

    /// Whether the reference itself says how replies are waited for.
    pub(crate) fn has_own_wait_strategy(&self) -> bool {
        self.shared.policies.own.wait_strategy
    }
}
