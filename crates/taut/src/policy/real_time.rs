//! The policies of Real-time CORBA that concern clients (Real-time CORBA 1.2, 4.7, 4.12 and
//! 4.13).

use taut_cdr::{Decode, Decoder, Encode, Encoder, ErrorKind, Result as CdrResult};
use taut_giop::component::TaggedComponent;
use taut_giop::{ExposedPolicy, Limits};
use taut_types::{TypeCode, Typed};

use super::{PolicyErrorReason, PolicyLevels, PolicyType, PolicyValue};
use crate::priority::Priority;

/// The source of the priority at which requests are carried out (Real-time CORBA 1.2, 4.7). The
/// policy is that of a POA, or of an ORB for its POAs; references tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PriorityModelPolicy {
    /// The source.
    pub priority_model: PriorityModel,
    /// SERVER_DECLARED: the priority of all requests, unless an object has its own.
    /// CLIENT_PROPAGATED: that of requests which have come without one.
    pub server_priority: Priority,
}

/// A source of priorities (the standard's `RTCORBA::PriorityModel`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PriorityModel {
    /// CLIENT_PROPAGATED: a request has that of the thread which sends it.
    ClientPropagated,
    /// SERVER_DECLARED: the server says it, and what clients say does not matter.
    ServerDeclared,
}

/// The wish that a reference has connections for itself, which the calls of no other reference
/// use (Real-time CORBA 1.2, 4.13). They end with the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PrivateConnectionPolicy;

/// The bands of priorities, of which each has connections of its own (Real-time CORBA 1.2, 4.12). A
/// call whose priority is in none of them ends with INV_POLICY, Taut minor 101. No bands at all
/// are no policy.
///
/// Client and server may both have it; if both name bands, they have to be the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PriorityBandedConnectionPolicy(pub Vec<PriorityBand>);

/// A range of priorities, both ends included (the standard's `RTCORBA::PriorityBand`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PriorityBand {
    /// The least urgent priority.
    pub low: Priority,
    /// The most urgent priority.
    pub high: Priority,
}

impl PriorityBand {
    /// Returns the band between two priorities.
    pub const fn new(low: Priority, high: Priority) -> Self {
        Self { low, high }
    }

    /// Whether a priority is in the band.
    pub fn contains(self, priority: Priority) -> bool {
        (self.low..=self.high).contains(&priority)
    }
}

impl PriorityBandedConnectionPolicy {
    /// Whether no band ends before it begins, and none has a priority in common with another.
    pub(crate) fn is_in_order(&self) -> bool {
        let bands = &self.0;
        let overlaps = |index: usize, band: &PriorityBand| {
            let mut before = bands[..index].iter();
            before.any(|other| band.low <= other.high && other.low <= band.high)
        };
        let mut all = bands.iter().enumerate();
        all.all(|(index, band)| band.low <= band.high && !overlaps(index, band))
    }

    /// Returns the place of the band that a priority is in.
    pub fn band_of(&self, priority: Priority) -> Option<usize> {
        self.0.iter().position(|band| band.contains(priority))
    }
}

fn priority(input: &mut Decoder<'_>) -> CdrResult<Priority> {
    let number = i16::decode(input)?;
    let rule = "a priority is from 0 to 32767";
    Priority::new(number).map_err(|_| input.error(ErrorKind::Invalid(rule)))
}

impl Encode for PriorityBand {
    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        out.write(self.low.get());
        out.write(self.high.get());
        Ok(())
    }
}

impl Decode<'_> for PriorityBand {
    const MIN_SIZE: usize = 4;

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        let (low, high) = (priority(input)?, priority(input)?);
        Ok(Self { low, high })
    }
}

impl PolicyValue for PriorityModelPolicy {
    const TYPE: PolicyType = PolicyType::PRIORITY_MODEL;
    const NAME: &'static str = "PriorityModelPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::ORB.and(PolicyLevels::EXPOSED);

    /// A structure of the two attributes of the standard's interface.
    fn type_code() -> TypeCode {
        let members = [
            ("priority_model", u32::type_code()),
            ("server_priority", i16::type_code()),
        ];
        let id = "IDL:taut/PriorityModelPolicyValue:1.0";
        TypeCode::create_struct(id, "PriorityModelPolicyValue", &members)
            .unwrap_or_else(|_| TypeCode::null())
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        out.write(match self.priority_model {
            PriorityModel::ClientPropagated => 0_u32,
            PriorityModel::ServerDeclared => 1,
        });
        out.write(self.server_priority.get());
        Ok(())
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        let priority_model = match u32::decode(input)? {
            0 => PriorityModel::ClientPropagated,
            1 => PriorityModel::ServerDeclared,
            _ => return Err(input.error(ErrorKind::Invalid("a priority model is 0 or 1"))),
        };
        Ok(Self {
            priority_model,
            server_priority: priority(input)?,
        })
    }

    /// The server's holds: clients have none.
    fn reconcile(&self, exposed: &Self) -> Option<Self> {
        Some(*exposed)
    }
}

impl PolicyValue for PrivateConnectionPolicy {
    const TYPE: PolicyType = PolicyType::PRIVATE_CONNECTION;
    const NAME: &'static str = "PrivateConnectionPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::ORB
        .and(PolicyLevels::THREAD)
        .and(PolicyLevels::REFERENCE);

    /// It has no value.
    fn type_code() -> TypeCode {
        TypeCode::null()
    }

    fn encode(&self, _: &mut Encoder) -> CdrResult<()> {
        Ok(())
    }

    fn decode(_: &mut Decoder<'_>) -> CdrResult<Self> {
        Ok(Self)
    }
}

impl PolicyValue for PriorityBandedConnectionPolicy {
    const TYPE: PolicyType = PolicyType::PRIORITY_BANDED_CONNECTION;
    const NAME: &'static str = "PriorityBandedConnectionPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT.and(PolicyLevels::EXPOSED);

    fn type_code() -> TypeCode {
        let members = [("low", i16::type_code()), ("high", i16::type_code())];
        let id = "IDL:omg.org/RTCORBA/PriorityBand:1.0";
        TypeCode::create_struct(id, "PriorityBand", &members)
            .and_then(|band| TypeCode::create_sequence(&band, 0))
            .unwrap_or_else(|_| TypeCode::null())
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        self.0.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        Vec::decode(input).map(Self)
    }

    /// Bands have an order within and do not overlap.
    fn check(&self) -> Result<(), PolicyErrorReason> {
        match self.is_in_order() {
            true => Ok(()),
            false => Err(PolicyErrorReason::BadPolicyValue),
        }
    }

    fn reconcile(&self, exposed: &Self) -> Option<Self> {
        match (self.0.is_empty(), exposed.0.is_empty()) {
            (true, _) => Some(exposed.clone()),
            (_, true) => Some(self.clone()),
            (false, false) => (self == exposed).then(|| self.clone()),
        }
    }
}

/// The priorities that a reference tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToldPriorities {
    pub(crate) model: Option<PriorityModelPolicy>,
    /// Empty: it tells none.
    pub(crate) bands: PriorityBandedConnectionPolicy,
}

impl Default for ToldPriorities {
    fn default() -> Self {
        Self {
            model: None,
            bands: PriorityBandedConnectionPolicy(Vec::new()),
        }
    }
}

impl ToldPriorities {
    /// Whether anything is told.
    pub(crate) fn is_some(&self) -> bool {
        self.model.is_some() || !self.bands.0.is_empty()
    }

    /// Whether requests are to tell their priorities.
    pub(crate) fn are_propagated(&self) -> bool {
        let model = self.model.map(|model| model.priority_model);
        model == Some(PriorityModel::ClientPropagated)
    }
}

/// Reads the priorities in a reference's component of policies. A policy that cannot be read is not told.
#[cold]
pub(crate) fn told_priorities(component: &TaggedComponent, limits: &Limits) -> ToldPriorities {
    let told = ExposedPolicy::read_all(component, limits);
    let told = told.inspect_err(|error| malformed("policies", error));
    let told = told.unwrap_or_default();
    let bands = find::<PriorityBandedConnectionPolicy>(&told);
    let bands = bands.filter(PriorityBandedConnectionPolicy::is_in_order);
    ToldPriorities {
        model: find(&told),
        bands: bands.unwrap_or(PriorityBandedConnectionPolicy(Vec::new())),
    }
}

/// The first policy of this type that can be read.
fn find<V: PolicyValue>(told: &[ExposedPolicy]) -> Option<V> {
    let told = told.iter().find(|policy| policy.policy_type == V::TYPE.0)?;
    let value = Decoder::encapsulated(&told.value).and_then(|mut input| V::decode(&mut input));
    value.inspect_err(|error| malformed(V::NAME, error)).ok()
}

#[cold]
fn malformed(what: &str, error: &taut_cdr::Error) {
    tracing::warn!(what, %error, "malformed policies of priorities in a reference");
}
