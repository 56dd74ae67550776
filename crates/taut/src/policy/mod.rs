//! Policies: the quality of service of calls, by the framework of the standard (CORBA 3.3
//! part 1, 8.10 and 17.3).
//!
//! A [`Policy`] is a value with the number of its type. Calls have policies at five levels, of
//! which the nearer replaces the farther, type by type:
//!
//! | level | set by |
//! |---|---|
//! | one call, or all of a closure | [`CallContext::with_policy`](crate::CallContext::with_policy) |
//! | a reference | [`ObjectRef::set_policy_overrides`](crate::ObjectRef::set_policy_overrides) |
//! | a thread | [`PolicyCurrent`] |
//! | an ORB | [`Orb::policy_manager`](crate::Orb::policy_manager) |
//! | the default | [`Settings`](crate::Settings) |
//!
//! A server tells clients policies in the references of a POA
//! ([`Poa::create_poa_telling`](crate::Poa::create_poa_telling)). Where a call has a policy of the same type
//! both are [reconciled](PolicyValue::reconcile); if they cannot be, the call ends with
//! INV_POLICY, and [`ObjectRef::validate_connection`](crate::ObjectRef::validate_connection)
//! tells which they are. `docs/policies.md` has a table of all types.
//!
//! ```
//! use std::time::Duration;
//!
//! use taut::policy::{ConnectTimeoutPolicy, RelativeRequestTimeoutPolicy, SetOverrideType};
//! use taut::{ObjectRef, Orb};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let orb = Orb::builder().build()?;
//! // For all calls of this ORB:
//! let patient = [ConnectTimeoutPolicy(Duration::from_secs(2)).into()];
//! orb.policy_manager().set_policy_overrides(&patient, SetOverrideType::Add)?;
//!
//! /// For those by one reference:
//! fn hasty(object: &ObjectRef) -> taut::Result<ObjectRef> {
//!     let in_time = RelativeRequestTimeoutPolicy::from(Duration::from_millis(50));
//!     Ok(object.set_policy_overrides(&[in_time.into()], SetOverrideType::Add)?)
//! }
//! # Ok(())
//! # }
//! ```

mod client;
mod connection_options;
mod error;
mod factory;
mod known;
mod levels;
mod messaging;
mod orb_level;
mod policy_set;
mod policy_type;
mod protocol_properties;
mod protocols;
mod quality;
mod real_time;
mod thread_level;
mod thread_pools;
mod time;

use std::any::Any as StdAny;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use taut_cdr::{ByteOrder, Decoder, Encoder, Result as CdrResult};
use taut_types::TypeCode;

pub use client::{
    BufferingConstraintPolicy, CollocationPolicy, ConnectTimeoutPolicy, ConnectionWaitPolicy,
    MaxForwardsPolicy, WaitStrategyPolicy,
};
pub use connection_options::ConnectionOptionsPolicy;
pub use error::{PolicyError, PolicyErrorReason, PolicyOverrideError};
pub use factory::PolicyFactory;
pub(crate) use known::default_of;
pub use known::{PolicyDescription, descriptions};
pub(crate) use levels::{Levels, inconsistent};
pub use messaging::{
    PriorityRange, RebindMode, RebindPolicy, RelativeRequestTimeoutPolicy,
    RelativeRoundtripTimeoutPolicy, ReplyEndTimePolicy, ReplyPriorityPolicy, ReplyStartTimePolicy,
    RequestEndTimePolicy, RequestPriorityPolicy, RequestStartTimePolicy, SyncScopePolicy,
};
pub(crate) use orb_level::OrbPolicies;
pub use orb_level::PolicyManager;
pub(crate) use policy_set::PolicySet;
pub use policy_set::SetOverrideType;
pub use policy_type::{PolicyLevels, PolicyType};
pub use protocol_properties::{
    ProtocolProperties, TcpProtocolProperties, UnixDomainProtocolProperties,
};
pub use protocols::{
    ClientProtocolPolicy, Protocol, ProtocolFallback, ProtocolFallbackPolicy, ServerProtocolPolicy,
    TransportOrderPolicy,
};
pub use quality::DeadlinePropagationPolicy;
pub(crate) use quality::asks_for_deadlines;
pub use real_time::{
    PriorityBand, PriorityBandedConnectionPolicy, PriorityModel, PriorityModelPolicy,
    PrivateConnectionPolicy,
};
pub(crate) use real_time::{ToldPriorities, told_priorities};
pub use taut_transport::{
    CongestionControl, ConnectionOptions, ConnectionOptionsError, ConnectionReport, Dscp,
    OptionFault, OptionOutcome,
};
pub(crate) use thread_level::of_thread;
pub use thread_level::{PolicyCurrent, PolicyGuard};
pub use thread_pools::{ThreadpoolId, ThreadpoolPolicy};
pub(crate) use time::{system_time, utc_time};

/// A value of a policy type.
///
/// Applications and protocols add types by implementing it; the number of such a type is one
/// that its vendor has from the OMG, or any that the parts of a system have agreed on. The
/// ORB carries them through all levels and into references, and gives them out by
/// [`ObjectRef::get_policy`](crate::ObjectRef::get_policy); code that knows the type acts on
/// it. All other code ignores them.
///
/// ```
/// use taut::codegen::{CdrResult, Decode, Decoder, Encode, Encoder, Typed};
/// use taut::policy::{PolicyLevels, PolicyType, PolicyValue};
/// use taut::TypeCode;
///
/// /// How much of a link a client may take.
/// #[derive(Debug, Clone, PartialEq)]
/// struct BandwidthPolicy {
///     kilobits_per_second: u32,
/// }
///
/// impl PolicyValue for BandwidthPolicy {
///     const TYPE: PolicyType = PolicyType(0x4d59_0001);
///     const NAME: &'static str = "BandwidthPolicy";
///     const LEVELS: PolicyLevels = PolicyLevels::CLIENT.and(PolicyLevels::EXPOSED);
///
///     fn type_code() -> TypeCode {
///         u32::type_code()
///     }
///
///     fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
///         self.kilobits_per_second.encode(out)
///     }
///
///     fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
///         let kilobits_per_second = u32::decode(input)?;
///         Ok(Self { kilobits_per_second })
///     }
///
///     /// A client takes no more than the server offers.
///     fn reconcile(&self, exposed: &Self) -> Option<Self> {
///         (self.kilobits_per_second <= exposed.kilobits_per_second).then(|| self.clone())
///     }
/// }
/// ```
pub trait PolicyValue: Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The number of the type.
    const TYPE: PolicyType;

    /// The name of the type, for texts of errors.
    const NAME: &'static str;

    /// The levels at which it may be.
    const LEVELS: PolicyLevels;

    /// The TypeCode of the value in an `any` for
    /// [`Orb::create_policy`](crate::Orb::create_policy).
    fn type_code() -> TypeCode;

    /// Writes the value as it is in an encapsulation of a reference.
    ///
    /// # Errors
    ///
    /// When it has no such form.
    fn encode(&self, out: &mut Encoder) -> CdrResult<()>;

    /// Reads what [`encode`](Self::encode) has written.
    ///
    /// # Errors
    ///
    /// When the octets are no such value.
    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self>;

    /// Checks that the value is one that the type may have.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorReason::BadPolicyValue`] or
    /// [`PolicyErrorReason::UnsupportedPolicyValue`].
    fn check(&self) -> Result<(), PolicyErrorReason> {
        Ok(())
    }

    /// Returns the value in force for a client with this value and a reference with that of
    /// `exposed`. None: they contradict each other, and a call ends with INV_POLICY. Unless a
    /// type says otherwise, both have to be equal.
    fn reconcile(&self, exposed: &Self) -> Option<Self> {
        (self == exposed).then(|| self.clone())
    }
}

/// A policy: a value, with the number of its type (the standard's `CORBA::Policy`). Each
/// [`PolicyValue`] converts into it. A clone is the same policy.
#[derive(Clone)]
pub struct Policy(Arc<dyn Erased>);

/// Policies do not change, so that a panic leaves none half changed.
impl UnwindSafe for Policy {}
impl RefUnwindSafe for Policy {}

/// A policy whose type is known to those alone who look for it.
trait Erased: Send + Sync {
    fn policy_type(&self) -> PolicyType;
    fn name(&self) -> &'static str;
    fn levels(&self) -> PolicyLevels;
    fn encode(&self, out: &mut Encoder) -> CdrResult<()>;
    fn reconcile(&self, exposed: &[u8]) -> CdrResult<Option<Policy>>;
    fn check(&self) -> Result<(), PolicyErrorReason>;
    fn as_any(&self) -> &dyn StdAny;
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<V: PolicyValue> Erased for V {
    fn policy_type(&self) -> PolicyType {
        V::TYPE
    }

    fn name(&self) -> &'static str {
        V::NAME
    }

    fn levels(&self) -> PolicyLevels {
        V::LEVELS
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        PolicyValue::encode(self, out)
    }

    fn reconcile(&self, exposed: &[u8]) -> CdrResult<Option<Policy>> {
        let exposed = V::decode(&mut Decoder::encapsulated(exposed)?)?;
        Ok(PolicyValue::reconcile(self, &exposed).map(Policy::from))
    }

    fn check(&self) -> Result<(), PolicyErrorReason> {
        PolicyValue::check(self)
    }

    fn as_any(&self) -> &dyn StdAny {
        self
    }

    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl<V: PolicyValue> From<V> for Policy {
    fn from(value: V) -> Self {
        Self(Arc::new(value))
    }
}

impl Policy {
    /// Returns the number of the type (the standard's `policy_type`).
    pub fn policy_type(&self) -> PolicyType {
        self.0.policy_type()
    }

    /// Returns the name of the type.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Returns the levels at which the policy may be.
    pub fn levels(&self) -> PolicyLevels {
        self.0.levels()
    }

    /// Returns the value, if it is of the type `V`.
    pub fn value<V: PolicyValue>(&self) -> Option<&V> {
        self.0.as_any().downcast_ref()
    }

    /// Returns the encapsulation in which a reference tells the value.
    ///
    /// # Errors
    ///
    /// When it has no such form.
    pub fn to_encapsulation(&self) -> CdrResult<Vec<u8>> {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.write(ByteOrder::NATIVE.flag());
        self.0.encode(&mut out)?;
        Ok(out.into_buffer())
    }

    /// Returns the policy in force where a reference tells `exposed`, of the same type; none
    /// if both contradict each other.
    ///
    /// # Errors
    ///
    /// When `exposed` is no such encapsulation.
    pub(crate) fn reconcile(&self, exposed: &[u8]) -> CdrResult<Option<Self>> {
        self.0.reconcile(exposed)
    }

    /// Checks that the value is one that its type may have.
    fn check(&self) -> Result<(), PolicyErrorReason> {
        self.0.check()
    }
}

/// The answer of [`ObjectRef::validate_connection`](crate::ObjectRef::validate_connection).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectionValidity {
    /// Whether calls can be made with the policies that they have.
    pub is_valid: bool,
    /// The policies that the reference contradicts, for which calls end with INV_POLICY.
    pub inconsistent_policies: Vec<Policy>,
}

impl ConnectionValidity {
    pub(crate) fn of(inconsistent_policies: Vec<Policy>) -> Self {
        Self {
            is_valid: inconsistent_policies.is_empty(),
            inconsistent_policies,
        }
    }
}

/// Whether both are of one type and have one value.
impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.policy_type() == other.policy_type()
                && match (self.to_encapsulation(), other.to_encapsulation()) {
                    (Ok(one), Ok(other)) => one == other,
                    _ => false,
                }
    }
}

impl Eq for Policy {}

impl Hash for Policy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.policy_type().hash(state);
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Writes name and number: `RebindPolicy (23)`.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.policy_type().0)
    }
}
