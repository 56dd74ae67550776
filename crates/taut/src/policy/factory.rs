//! Policies made of a number and an `any` (the standard's `ORB::create_policy`, CORBA 3.3 part
//! 1, 8.10.2, and `PolicyFactory`, 16.8).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use taut_cdr::{Decoder, Result as CdrResult};
use taut_types::Any;

use super::{Policy, PolicyError, PolicyErrorReason, PolicyType, PolicyValue, known};

/// A maker of policies of one type, for
/// [`OrbBuilder::policy_factory`](crate::OrbBuilder::policy_factory). A function of both
/// parameters is one.
pub trait PolicyFactory: Send + Sync {
    /// Makes a policy of the value.
    ///
    /// # Errors
    ///
    /// The reason for which there is no such policy.
    fn create_policy(
        &self,
        policy_type: PolicyType,
        value: &Any,
    ) -> Result<Policy, PolicyErrorReason>;
}

impl<F> PolicyFactory for F
where
    F: Fn(PolicyType, &Any) -> Result<Policy, PolicyErrorReason> + Send + Sync,
{
    fn create_policy(
        &self,
        policy_type: PolicyType,
        value: &Any,
    ) -> Result<Policy, PolicyErrorReason> {
        self(policy_type, value)
    }
}

/// Makes a policy of the type `V`.
pub(super) fn create<V: PolicyValue>(value: &Any) -> Result<Policy, PolicyErrorReason> {
    if !value.type_code().equivalent(&V::type_code()) {
        return Err(PolicyErrorReason::BadPolicyType);
    }
    let value = V::decode(&mut value.decoder(None));
    let value = value.map_err(|_| PolicyErrorReason::BadPolicyValue)?;
    value.check()?;
    Ok(value.into())
}

/// Reads a policy of the type `V` out of a reference.
pub(super) fn read<V: PolicyValue>(encapsulation: &[u8]) -> CdrResult<Policy> {
    V::decode(&mut Decoder::encapsulated(encapsulation)?).map(Policy::from)
}

/// A function that reads a policy out of a reference.
type Read = fn(&[u8]) -> CdrResult<Policy>;

/// A type that the application has added.
#[derive(Clone)]
struct Added {
    factory: Arc<dyn PolicyFactory>,
    /// Where the type of the value is known.
    read: Option<Read>,
}

/// The types that the application has added.
#[derive(Clone, Default)]
pub(crate) struct Factories(BTreeMap<PolicyType, Added>);

impl Factories {
    /// Adds a factory. False if there is one for this type already.
    pub(crate) fn add(&mut self, policy_type: PolicyType, factory: Arc<dyn PolicyFactory>) -> bool {
        let read = None;
        self.add_type(policy_type, Added { factory, read })
    }

    /// Adds the type `V`. False if there is a factory for it already.
    pub(crate) fn add_value<V: PolicyValue>(&mut self) -> bool {
        let factory = |_: PolicyType, value: &Any| create::<V>(value);
        let added = Added {
            factory: Arc::new(factory),
            read: Some(read::<V>),
        };
        self.add_type(V::TYPE, added)
    }

    fn add_type(&mut self, policy_type: PolicyType, added: Added) -> bool {
        let is_new = !self.0.contains_key(&policy_type) && known::find(policy_type).is_none();
        if is_new {
            self.0.insert(policy_type, added);
        }
        is_new
    }

    /// Makes a policy.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] with the reason.
    pub(crate) fn create(
        &self,
        policy_type: PolicyType,
        value: &Any,
    ) -> Result<Policy, PolicyError> {
        let created = match (self.0.get(&policy_type), known::find(policy_type)) {
            (Some(added), _) => added.factory.create_policy(policy_type, value),
            (None, Some(known)) => (known.create)(value),
            (None, None) if policy_type.name().is_some() => {
                Err(PolicyErrorReason::UnsupportedPolicy)
            }
            (None, None) => Err(PolicyErrorReason::BadPolicy),
        };
        created.map_err(|reason| PolicyError {
            reason,
            policy_type,
        })
    }

    /// Reads a policy out of a reference. None: no type with this number is known.
    pub(crate) fn read(
        &self,
        policy_type: PolicyType,
        encapsulation: &[u8],
    ) -> Option<CdrResult<Policy>> {
        let read = match self.0.get(&policy_type) {
            Some(added) => added.read?,
            None => known::find(policy_type)?.read,
        };
        Some(read(encapsulation))
    }
}

impl fmt::Debug for Factories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
