//! The policy that gives calls connections with options of their own.

use taut_cdr::{Decode, Decoder, Encode, Encoder, ErrorKind, Result as CdrResult};
use taut_types::{TypeCode, Typed};

use super::{PolicyLevels, PolicyType, PolicyValue};
use crate::transport::ConnectionOptions;

/// The options of the connections that calls go over: how the system queues, marks and paces
/// what it sends, and how it waits for what arrives (docs/real-time.md). Calls share
/// connections with those alone that have the same options. Options that are none here are
/// those of [`ClientProtocolPolicy`](super::ClientProtocolPolicy), and then those of
/// [`WireSettings::connection_options`](crate::WireSettings::connection_options).
///
/// In an `any`, and as octets, it is the text of the options: `dscp=46&queue-priority=6`.
///
/// ```
/// use taut::policy::{ConnectionOptions, ConnectionOptionsPolicy, PolicyCurrent};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let urgent: ConnectionOptions = "dscp=46&queue-priority=6".parse()?;
/// let here = PolicyCurrent::override_with(&[ConnectionOptionsPolicy(urgent).into()])?;
/// // Calls of this thread go over connections that are marked as urgent.
/// drop(here);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ConnectionOptionsPolicy(pub ConnectionOptions);

impl PolicyValue for ConnectionOptionsPolicy {
    const TYPE: PolicyType = PolicyType::CONNECTION_OPTIONS;
    const NAME: &'static str = "ConnectionOptionsPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

    fn type_code() -> TypeCode {
        String::type_code()
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        self.0.to_string().encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        let text = String::decode(input)?;
        let malformed = ErrorKind::Invalid("the text is no options of a connection");
        text.parse().map(Self).map_err(|_| input.error(malformed))
    }
}
