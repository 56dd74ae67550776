//! The policies that choose among the protocols and addresses of a reference.

use taut_cdr::{Decode, Decoder, Encode, Encoder, ErrorKind, Result as CdrResult};
use taut_types::{TypeCode, Typed};

use super::client::choices;
use super::{PolicyErrorReason, PolicyLevels, PolicyType, PolicyValue};
use crate::settings::TransportOrder;

/// The protocols by which calls go, the best first: the tags of their profiles, such as 0 for
/// IIOP and 0x54414f00 for UIOP (Real-time CORBA 1.2, 4.15). Those by which the object cannot
/// be reached are passed over. If none is left, a [`ProtocolFallbackPolicy`] says what becomes
/// of the call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClientProtocolPolicy(pub Vec<u32>);

/// The end of a call whose [`ClientProtocolPolicy`] names no protocol by which the object
/// can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ProtocolFallbackPolicy(pub ProtocolFallback);

/// A way in which such a call goes on, or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ProtocolFallback {
    /// It ends with INV_POLICY.
    #[default]
    Exception,
    /// It goes by another protocol of the reference; so does a call whose preferred protocols
    /// have failed.
    Silent,
}

/// The order in which the addresses of a reference are tried, unless a
/// [`ClientProtocolPolicy`] says another.
/// [`ClientSettings::transport_order`](crate::ClientSettings::transport_order).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TransportOrderPolicy(pub TransportOrder);

impl PolicyValue for ClientProtocolPolicy {
    const TYPE: PolicyType = PolicyType::CLIENT_PROTOCOL;
    const NAME: &'static str = "ClientProtocolPolicy";
    const LEVELS: PolicyLevels = PolicyLevels::CLIENT;

    fn type_code() -> TypeCode {
        TypeCode::create_sequence(&u32::type_code(), 0).unwrap_or_else(|_| TypeCode::null())
    }

    fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
        self.0.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
        Vec::decode(input).map(Self)
    }

    fn check(&self) -> Result<(), PolicyErrorReason> {
        match self.0.is_empty() {
            true => Err(PolicyErrorReason::BadPolicyValue),
            false => Ok(()),
        }
    }
}

choices! {
    ProtocolFallbackPolicy PROTOCOL_FALLBACK at PolicyLevels::CLIENT,
        "a fallback of protocols is 0 or 1";
    0 ProtocolFallback::Exception;
    1 ProtocolFallback::Silent;

    TransportOrderPolicy TRANSPORT_ORDER at PolicyLevels::CLIENT, "a transport order is 0 or 1";
    0 TransportOrder::LocalFirst;
    1 TransportOrder::AsPublished;
}
