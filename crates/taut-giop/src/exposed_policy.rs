//! The policies that a reference tells clients: component TAG_POLICIES (CORBA 3.3 part 1,
//! 17.6).

use alloc::vec::Vec;

use taut_cdr::Result;

use crate::Limits;
use crate::component::{TaggedComponent, tag};
use crate::tagged::{self, encode_list};

/// A policy as a reference tells it (the standard's `Messaging::PolicyValue`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExposedPolicy {
    /// The number of its type.
    pub policy_type: u32,
    /// Its value: an encapsulation.
    pub value: Vec<u8>,
}

impl ExposedPolicy {
    /// Reads the policies of a component.
    ///
    /// # Errors
    ///
    /// When it is malformed or of another kind, or has more than [`Limits::max_components`].
    pub fn read_all(component: &TaggedComponent, limits: &Limits) -> Result<Vec<Self>> {
        let mut input = component.decoder(tag::POLICIES)?;
        let own = |policy_type, value| Self { policy_type, value };
        tagged::read_list(&mut input, limits.max_components, own)
    }

    /// Makes the component of these policies.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits.
    pub fn to_component(policies: &[Self]) -> Result<TaggedComponent> {
        let entries = policies.iter();
        let entries = entries.map(|policy| (policy.policy_type, policy.value.as_slice()));
        TaggedComponent::encapsulated(tag::POLICIES, |out| encode_list(entries, out))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn policies_survive_and_the_list_has_a_limit() {
        let policy = |policy_type| ExposedPolicy {
            policy_type,
            value: vec![0, 0, 0, 0, 1, 2],
        };
        let policies = [policy(25), policy(40)];
        let component = ExposedPolicy::to_component(&policies).unwrap();
        let read = |max_components| {
            let limits = Limits {
                max_components,
                ..Limits::DEFAULT
            };
            ExposedPolicy::read_all(&component, &limits)
        };
        assert_eq!(read(2).unwrap(), policies);
        assert!(read(1).is_err());
        let other = TaggedComponent::from_orb_type(1);
        assert!(ExposedPolicy::read_all(&other, &Limits::DEFAULT).is_err());
    }
}
