//! The policies by which requests tell servers their quality, of Taut's own.

use taut_cdr::{Decode, Decoder, Encode, Encoder, Result as CdrResult};
use taut_giop::component::TaggedComponent;
use taut_giop::{ExposedPolicy, Limits};
use taut_types::{TypeCode, Typed};

use super::{PolicyLevels, PolicyType, PolicyValue};

/// Whether requests tell the server the deadlines of their calls.
///
/// A server asks for it by telling `true` in the references of a POA
/// ([`Poa::create_poa_telling`](crate::Poa::create_poa_telling)): then each request by such a
/// reference whose call has a deadline ([`deadline`](crate::deadline)) tells how much time is
/// left, the servant's own calls end with it, and a request that comes too late is not carried
/// out. A client that does not want it has `false`. All other ORBs pass the policy and the
/// service context over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeadlinePropagationPolicy(pub bool);

impl PolicyValue for DeadlinePropagationPolicy {
    const TYPE: PolicyType = PolicyType::DEADLINE_PROPAGATION;
    const NAME: &'static str = "DeadlinePropagationPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT.and(PolicyLevels::EXPOSED);

    fn type_code() -> TypeCode {
        bool::type_code()
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        self.0.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        bool::decode(input).map(Self)
    }

    /// Requests tell their deadlines if both sides agree to it; neither contradicts the other.
    fn reconcile(&self, exposed: &Self) -> Option<Self> {
        Some(Self(self.0 && exposed.0))
    }
}

/// Whether a reference with this component of policies asks that requests tell their deadlines.
/// One that cannot be read asks for nothing.
#[cold]
pub(crate) fn asks_for_deadlines(component: &TaggedComponent, limits: &Limits) -> bool {
    let told = ExposedPolicy::read_all(component, limits).unwrap_or_default();
    let number = PolicyType::DEADLINE_PROPAGATION.0;
    let told = told.iter().find(|policy| policy.policy_type == number);
    told.is_some_and(|policy| {
        let value = Decoder::encapsulated(&policy.value);
        let value = value.and_then(|mut input| bool::decode(&mut input));
        value == Ok(true)
    })
}
