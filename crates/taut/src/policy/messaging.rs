//! The policies of CORBA Messaging (CORBA 3.3 part 1, 17.3).

use std::time::{Duration, SystemTime};

use taut_cdr::{Decode, Decoder, Encoder, ErrorKind, Result as CdrResult};
use taut_types::{TypeCode, Typed};

use super::{PolicyErrorReason, PolicyLevels, PolicyType, PolicyValue, time};
use crate::settings::SyncScope;

/// Whether a call may bind its reference elsewhere, or connect again, once the reference is
/// bound (17.3.1). A reference is bound when a call by it has been answered, or
/// [`validate_connection`](crate::ObjectRef::validate_connection) has succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RebindPolicy(pub RebindMode);

/// The freedom of a call to reach its object by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RebindMode {
    /// TRANSPARENT: it follows forwards and connects again.
    #[default]
    Transparent,
    /// NO_REBIND: it connects again, but does not follow a forward to a reference that tells
    /// other policies than the one before; then it ends with REBIND.
    NoRebind,
    /// NO_RECONNECT: it follows no forward and opens no connection in the place of one that
    /// has ended; then it ends with REBIND.
    NoReconnect,
}

/// The event that a oneway waits for (17.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SyncScopePolicy(pub SyncScope);

/// A range of priorities, of which the lowest is 0 (17.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PriorityRange {
    /// The lowest.
    pub min: i16,
    /// The highest.
    pub max: i16,
}

/// The priorities that requests may have (17.3.3.1). A server tells its range in references; a
/// client that has one too calls it if both have priorities in common. No queue of Taut's is
/// ordered by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestPriorityPolicy(pub PriorityRange);

/// The priorities that replies may have (17.3.3.2), as [`RequestPriorityPolicy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplyPriorityPolicy(pub PriorityRange);

/// The time before which a request is not sent: the call waits for it (17.3.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestStartTimePolicy(pub SystemTime);

/// The time by which a request has left, or the call ends with TIMEOUT, COMPLETED_NO
/// (17.3.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestEndTimePolicy(pub SystemTime);

/// The time before which a reply is not given to the caller: the call waits for it (17.3.4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplyStartTimePolicy(pub SystemTime);

/// The time by which the reply has come, or the call ends with TIMEOUT (17.3.4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplyEndTimePolicy(pub SystemTime);

/// The time within which a request leaves, or the call ends with TIMEOUT, COMPLETED_NO
/// (17.3.4.5). The reply may take longer. None: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RelativeRequestTimeoutPolicy(pub Option<Duration>);

/// The time that a call may take in all, or it ends with TIMEOUT (17.3.4.6); see
/// [`deadline`](crate::deadline). None: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RelativeRoundtripTimeoutPolicy(pub Option<Duration>);

impl PolicyValue for RebindPolicy {
    const TYPE: PolicyType = PolicyType::REBIND;
    const NAME: &'static str = "RebindPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

    fn type_code() -> TypeCode {
        i16::type_code()
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        out.write(self.0 as i16);
        Ok(())
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        Ok(Self(match i16::decode(input)? {
            0 => RebindMode::Transparent,
            1 => RebindMode::NoRebind,
            2 => RebindMode::NoReconnect,
            _ => return Err(input.error(ErrorKind::Invalid("a rebind mode is 0, 1 or 2"))),
        }))
    }
}

impl PolicyValue for SyncScopePolicy {
    const TYPE: PolicyType = PolicyType::SYNC_SCOPE;
    const NAME: &'static str = "SyncScopePolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

    fn type_code() -> TypeCode {
        i16::type_code()
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        out.write(match self.0 {
            SyncScope::None => 0_i16,
            SyncScope::WithTransport => 1,
            SyncScope::WithServer => 2,
            SyncScope::WithTarget => 3,
        });
        Ok(())
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        Ok(Self(match i16::decode(input)? {
            0 => SyncScope::None,
            1 => SyncScope::WithTransport,
            2 => SyncScope::WithServer,
            3 => SyncScope::WithTarget,
            _ => return Err(input.error(ErrorKind::Invalid("a sync scope is 0 to 3"))),
        }))
    }
}

impl PriorityRange {
    fn type_code() -> TypeCode {
        let members = [("min", i16::type_code()), ("max", i16::type_code())];
        let id = "IDL:omg.org/Messaging/PriorityRange:1.0";
        TypeCode::create_struct(id, "PriorityRange", &members).unwrap_or_else(|_| TypeCode::null())
    }

    fn check(self) -> Result<(), PolicyErrorReason> {
        match 0 <= self.min && self.min <= self.max {
            true => Ok(()),
            false => Err(PolicyErrorReason::BadPolicyValue),
        }
    }

    /// Returns the priorities that both have; none if there are none.
    fn intersection(self, other: Self) -> Option<Self> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        (min <= max).then_some(Self { min, max })
    }
}

macro_rules! priorities {
    ($($policy:ident $constant:ident;)*) => {$(
        impl PolicyValue for $policy {
            const TYPE: PolicyType = PolicyType::$constant;
            const NAME: &'static str = stringify!($policy);
            const LEVELS: PolicyLevels = PolicyLevels::CLIENT.and(PolicyLevels::EXPOSED);

            fn type_code() -> TypeCode {
                PriorityRange::type_code()
            }

            fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
                out.write(self.0.min);
                out.write(self.0.max);
                Ok(())
            }

            fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
                let (min, max) = (i16::decode(input)?, i16::decode(input)?);
                Ok(Self(PriorityRange { min, max }))
            }

            fn check(&self) -> Result<(), PolicyErrorReason> {
                self.0.check()
            }

            fn reconcile(&self, exposed: &Self) -> Option<Self> {
                self.0.intersection(exposed.0).map(Self)
            }
        }
    )*};
}

priorities! {
    RequestPriorityPolicy REQUEST_PRIORITY;
    ReplyPriorityPolicy REPLY_PRIORITY;
}

macro_rules! points_in_time {
    ($($policy:ident $constant:ident;)*) => {$(
        impl PolicyValue for $policy {
            const TYPE: PolicyType = PolicyType::$constant;
            const NAME: &'static str = stringify!($policy);
            const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

            fn type_code() -> TypeCode {
                time::utc_type_code()
            }

            fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
                time::encode_utc(self.0, out)
            }

            fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
                time::decode_utc(input).map(Self)
            }
        }

        impl From<SystemTime> for $policy {
            fn from(time: SystemTime) -> Self {
                Self(time)
            }
        }
    )*};
}

points_in_time! {
    RequestStartTimePolicy REQUEST_START_TIME;
    RequestEndTimePolicy REQUEST_END_TIME;
    ReplyStartTimePolicy REPLY_START_TIME;
    ReplyEndTimePolicy REPLY_END_TIME;
}

macro_rules! time_outs {
    ($($policy:ident $constant:ident;)*) => {$(
        impl PolicyValue for $policy {
            const TYPE: PolicyType = PolicyType::$constant;
            const NAME: &'static str = stringify!($policy);
            const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

            fn type_code() -> TypeCode {
                u64::type_code()
            }

            fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
                out.write(time::to_time_t(self.0));
                Ok(())
            }

            fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
                Ok(Self(time::from_time_t(u64::decode(input)?)))
            }
        }

        impl From<Duration> for $policy {
            fn from(time: Duration) -> Self {
                Self(Some(time))
            }
        }
    )*};
}

time_outs! {
    RelativeRequestTimeoutPolicy RELATIVE_REQUEST_TIMEOUT;
    RelativeRoundtripTimeoutPolicy RELATIVE_ROUNDTRIP_TIMEOUT;
}
