//! The policies that stand for settings of the client side, of TAO's and of Taut's own.

use std::time::Duration;

use taut_cdr::{Decode, Decoder, Encoder, ErrorKind, Result as CdrResult};
use taut_types::{TypeCode, Typed};

use super::{PolicyLevels, PolicyType, PolicyValue, time};
use crate::settings::{CollocationStrategy, WaitStrategy};

/// How long a connection may take to be opened at each address, and the look-up of a host's
/// name; then the call goes on with the next address, or ends with TRANSIENT. TAO's
/// `ConnectionTimeoutPolicy`, and
/// [`ClientSettings::connect_timeout`](crate::ClientSettings::connect_timeout).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectTimeoutPolicy(pub Duration);

/// How long a call waits for a connection that others use, or for room among the calls in
/// flight; then it ends with TRANSIENT.
/// [`ClientSettings::connection_wait`](crate::ClientSettings::connection_wait).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionWaitPolicy(pub Duration);

/// How many forwards a call follows.
/// [`ClientSettings::max_forwards`](crate::ClientSettings::max_forwards).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MaxForwardsPolicy(pub u32);

/// How a call waits for its reply.
/// [`WireSettings::wait_strategy`](crate::WireSettings::wait_strategy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WaitStrategyPolicy(pub WaitStrategy);

/// How objects of this process are called. It belongs to references: at the ORB it is for
/// those that are made while it is set.
/// [`ClientSettings::collocation`](crate::ClientSettings::collocation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CollocationPolicy(pub CollocationStrategy);

/// How many oneways with `SyncScope::None` are sent together (TAO's
/// `BufferingConstraintPolicy`): what waits is sent as soon as one of the bounds is met that
/// there are, in front of the next call over the connection, or when the ORB is told to by
/// [`Orb::flush_oneways`](crate::Orb::flush_oneways). Without it the settings hold that begin
/// with `client.oneway_batch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BufferingConstraintPolicy {
    /// How long a oneway waits at most.
    pub timeout: Option<Duration>,
    /// How many wait at most.
    pub message_count: Option<u32>,
    /// How many octets of them wait at most.
    pub message_bytes: Option<u32>,
}

/// TAO's flags of a buffering constraint: which of its bounds there are.
mod mode {
    pub(super) const TIMEOUT: u16 = 1;
    pub(super) const MESSAGE_COUNT: u16 = 2;
    pub(super) const MESSAGE_BYTES: u16 = 4;
}

macro_rules! times {
    ($($policy:ident $constant:ident;)*) => {$(
        impl PolicyValue for $policy {
            const TYPE: PolicyType = PolicyType::$constant;
            const NAME: &'static str = stringify!($policy);
            const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

            fn type_code() -> TypeCode {
                u64::type_code()
            }

            fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
                out.write(time::to_time_t(Some(self.0)));
                Ok(())
            }

            fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
                let time = time::from_time_t(u64::decode(input)?);
                Ok(Self(time.unwrap_or(Duration::MAX)))
            }
        }
    )*};
}

times! {
    ConnectTimeoutPolicy CONNECT_TIMEOUT;
    ConnectionWaitPolicy CONNECTION_WAIT;
}

impl PolicyValue for MaxForwardsPolicy {
    const TYPE: PolicyType = PolicyType::MAX_FORWARDS;
    const NAME: &'static str = "MaxForwardsPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

    fn type_code() -> TypeCode {
        u32::type_code()
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        out.write(self.0);
        Ok(())
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        u32::decode(input).map(Self)
    }
}

/// Policies with a value of an enumeration, by numbers of Taut's own.
macro_rules! choices {
    ($(
        $policy:ident $constant:ident at $levels:expr, $rule:literal;
        $($number:literal $value:path;)*
    )*) => {$(
        impl PolicyValue for $policy {
            const TYPE: PolicyType = PolicyType::$constant;
            const NAME: &'static str = stringify!($policy);
            const LEVELS: PolicyLevels = $levels;

            fn type_code() -> TypeCode {
                u32::type_code()
            }

            fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
                let number: u32 = match self.0 {
                    $($value => $number,)*
                };
                out.write(number);
                Ok(())
            }

            fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
                match u32::decode(input)? {
                    $($number => Ok(Self($value)),)*
                    _ => Err(input.error(ErrorKind::Invalid($rule))),
                }
            }
        }
    )*};
}

pub(super) use choices;

choices! {
    WaitStrategyPolicy WAIT_STRATEGY at PolicyLevels::CLIENT, "a wait strategy is 0, 1 or 2";
    0 WaitStrategy::Block;
    1 WaitStrategy::Adaptive;
    2 WaitStrategy::Spin;

    CollocationPolicy COLLOCATION at PolicyLevels::ORB.and(PolicyLevels::REFERENCE),
        "a collocation strategy is 0, 1 or 2";
    0 CollocationStrategy::ThroughPoa;
    1 CollocationStrategy::Direct;
    2 CollocationStrategy::Off;
}

impl PolicyValue for BufferingConstraintPolicy {
    const TYPE: PolicyType = PolicyType::BUFFERING_CONSTRAINT;
    const NAME: &'static str = "BufferingConstraintPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

    fn type_code() -> TypeCode {
        let members = [
            ("mode", u16::type_code()),
            ("timeout", u64::type_code()),
            ("message_count", u32::type_code()),
            ("message_bytes", u32::type_code()),
        ];
        let id = "IDL:tao/TAO/BufferingConstraint:1.0";
        TypeCode::create_struct(id, "BufferingConstraint", &members)
            .unwrap_or_else(|_| TypeCode::null())
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        let flag = |is_there: bool, flag: u16| if is_there { flag } else { 0 };
        out.write(
            flag(self.timeout.is_some(), mode::TIMEOUT)
                | flag(self.message_count.is_some(), mode::MESSAGE_COUNT)
                | flag(self.message_bytes.is_some(), mode::MESSAGE_BYTES),
        );
        out.write(self.timeout.map_or(0, |time| time::to_time_t(Some(time))));
        out.write(self.message_count.unwrap_or(0));
        out.write(self.message_bytes.unwrap_or(0));
        Ok(())
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        let mode = u16::decode(input)?;
        let timeout = time::from_time_t(u64::decode(input)?);
        let (count, bytes) = (u32::decode(input)?, u32::decode(input)?);
        Ok(Self {
            timeout: timeout.filter(|_| mode & mode::TIMEOUT != 0),
            message_count: (mode & mode::MESSAGE_COUNT != 0).then_some(count),
            message_bytes: (mode & mode::MESSAGE_BYTES != 0).then_some(bytes),
        })
    }
}
