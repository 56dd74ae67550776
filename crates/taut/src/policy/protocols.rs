//! The policies that choose among the protocols and addresses of a reference.

use taut_cdr::{Decode, Decoder, Encode, Encoder, ErrorKind, Result as CdrResult};
use taut_types::{TypeCode, Typed};

use super::client::choices;
use super::{PolicyErrorReason, PolicyLevels, PolicyType, PolicyValue, ProtocolProperties};
use crate::settings::TransportOrder;
use crate::transport::ConnectionOptions;

/// A protocol, with the properties of its connections (Real-time CORBA 1.2, 4.15).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Protocol {
    /// The tag of its profiles: 0 for IIOP, 0x54414f00 for UIOP.
    pub protocol_type: u32,
    /// The properties of its connections; none: they are as elsewhere.
    pub transport_protocol_properties: Option<ProtocolProperties>,
}

/// The protocols by which calls go, the best first, and the properties of their connections
/// (Real-time CORBA 1.2, 4.15). Those by which the object cannot be reached are passed over.
/// If none is left, a [`ProtocolFallbackPolicy`] says what becomes of the call. A
/// [`ConnectionOptionsPolicy`](super::ConnectionOptionsPolicy) comes before the properties.
///
/// Where it is written as octets, or made of an `any`, it is the list of the tags alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClientProtocolPolicy(pub Vec<Protocol>);

/// The protocols that a server offers, the best first (Real-time CORBA 1.2, 4.14): references
/// have the addresses of these alone, in this order.
///
/// At the ORB its properties are those of all connections that come in while it is set. A POA
/// has the order and the choice alone, for connections come in at listeners, which POAs share:
/// one with properties is refused there. So is `enable_network_priority` at either level, for
/// a connection that comes in has no priority; an endpoint may have a mark of its own. References
/// tell the list of the tags.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerProtocolPolicy(pub Vec<Protocol>);

impl From<u32> for Protocol {
    /// The protocol whose profiles have this tag, with connections as elsewhere.
    fn from(protocol_type: u32) -> Self {
        Self {
            protocol_type,
            transport_protocol_properties: None,
        }
    }
}

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

/// The two policies that are lists of protocols.
macro_rules! protocol_lists {
    ($($policy:ident $constant:ident at $levels:expr, marks: $marks:literal;)*) => {$(
        impl $policy {
            /// The policy of the protocols whose profiles have these tags, the best first.
            pub fn of(protocol_types: impl IntoIterator<Item = u32>) -> Self {
                Self(protocol_types.into_iter().map(Protocol::from).collect())
            }

            /// Returns the tags, the best first.
            pub fn protocol_types(&self) -> Vec<u32> {
                self.0.iter().map(|protocol| protocol.protocol_type).collect()
            }
        }

        impl PolicyValue for $policy {
            const TYPE: PolicyType = PolicyType::$constant;
            const NAME: &'static str = stringify!($policy);
            const LEVELS: PolicyLevels = $levels;

            fn type_code() -> TypeCode {
                let list = TypeCode::create_sequence(&u32::type_code(), 0);
                list.unwrap_or_else(|_| TypeCode::null())
            }

            fn encode(&self, out: &mut Encoder) -> CdrResult<()> {
                self.protocol_types().encode(out)
            }

            fn decode(input: &mut Decoder<'_>) -> CdrResult<Self> {
                Vec::<u32>::decode(input).map(Self::of)
            }

            fn check(&self) -> Result<(), PolicyErrorReason> {
                let is_of_it = |protocol: &Protocol| {
                    let properties = protocol.transport_protocol_properties;
                    properties.is_none_or(|properties| properties.is_of(protocol.protocol_type))
                };
                let is_marked = |protocol: &Protocol| {
                    let properties = protocol.transport_protocol_properties;
                    properties.is_some_and(|properties| properties.enables_network_priority())
                };
                if self.0.is_empty() || !self.0.iter().all(is_of_it) {
                    return Err(PolicyErrorReason::BadPolicyValue);
                }
                match !$marks && self.0.iter().any(is_marked) {
                    true => Err(PolicyErrorReason::UnsupportedPolicyValue),
                    false => Ok(()),
                }
            }

            /// The list of a server says nothing against that of a client: a call takes what
            /// both have in common.
            fn reconcile(&self, _: &Self) -> Option<Self> {
                Some(self.clone())
            }
        }
    )*};
}

protocol_lists! {
    ClientProtocolPolicy CLIENT_PROTOCOL at PolicyLevels::CLIENT, marks: true;
    ServerProtocolPolicy SERVER_PROTOCOL at PolicyLevels::ORB.and(PolicyLevels::EXPOSED), marks: false;
}

impl ServerProtocolPolicy {
    /// Returns the options of the connections of a protocol.
    pub(crate) fn options_of(&self, protocol_type: u32) -> ConnectionOptions {
        let is_it = |one: &&Protocol| one.protocol_type == protocol_type;
        let protocol = self.0.iter().find(is_it);
        let properties = protocol.and_then(|one| one.transport_protocol_properties);
        properties
            .map(|properties| properties.options())
            .unwrap_or_default()
    }

    /// Whether a protocol has properties.
    pub(crate) fn has_properties(&self) -> bool {
        let mut all = self.0.iter();
        all.any(|protocol| protocol.transport_protocol_properties.is_some())
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
