//! Tagged components: what a profile says besides the address
//! (CORBA 3.3 part 2, 7.6.4 to 7.6.7).

use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Decoder, Encoder, Error, ErrorKind, Result};

use crate::Limits;
use crate::numbers::numbers;
use crate::tagged::{self, encapsulate, encode_list};

/// A component as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaggedComponent {
    /// The kind of component; see [`tag`].
    pub tag: u32,
    /// Its data; for every kind that the standard defines, an encapsulation.
    pub data: Vec<u8>,
}

impl TaggedComponent {
    /// A component with what `body` writes, as an encapsulation.
    ///
    /// # Errors
    ///
    /// Those of `body`.
    pub fn encapsulated(tag: u32, body: impl FnOnce(&mut Encoder) -> Result<()>) -> Result<Self> {
        let data = encapsulate(ByteOrder::NATIVE, body)?;
        Ok(Self { tag, data })
    }

    /// A component of the kind ORB_TYPE.
    pub fn from_orb_type(orb_type: u32) -> Self {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        out.write(ByteOrder::NATIVE.flag());
        out.write(orb_type);
        Self {
            tag: tag::ORB_TYPE,
            data: out.into_buffer(),
        }
    }

    /// The ORB type in a component of the kind ORB_TYPE; see [`orb_type`].
    ///
    /// # Errors
    ///
    /// When the component is malformed, or of another kind.
    pub fn orb_type(&self) -> Result<u32> {
        self.decoder(tag::ORB_TYPE)?.read()
    }

    /// A decoder for the data, if the component is of the kind `tag`.
    ///
    /// # Errors
    ///
    /// When it is of another kind, or no encapsulation.
    pub fn decoder(&self, tag: u32) -> Result<Decoder<'_>> {
        if self.tag != tag {
            return Err(Error::new(
                ErrorKind::Invalid("the component is of another kind"),
                0,
            ));
        }
        Decoder::encapsulated(&self.data)
    }
}

/// A further address of the same server: component ALTERNATE_IIOP_ADDRESS.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AlternateAddress {
    /// A DNS name or a numeric address; IPv6 without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

impl AlternateAddress {
    /// Reads the component.
    ///
    /// # Errors
    ///
    /// When it is malformed, or of another kind.
    pub fn from_component(component: &TaggedComponent) -> Result<Self> {
        let mut input = component.decoder(tag::ALTERNATE_IIOP_ADDRESS)?;
        Ok(Self {
            host: input.read_string()?.into_owned(),
            port: input.read()?,
        })
    }

    /// The component.
    ///
    /// # Errors
    ///
    /// When the host has a NUL or a character beyond U+00FF.
    pub fn to_component(&self) -> Result<TaggedComponent> {
        TaggedComponent::encapsulated(tag::ALTERNATE_IIOP_ADDRESS, |out| {
            out.write_string(&self.host)?;
            out.write(self.port);
            Ok(())
        })
    }
}

/// A Unix-domain socket of the same server, for clients on its machine: omniORB's
/// component, in an IIOP profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnixAddress {
    /// The name of the machine, as it calls itself.
    pub host: String,
    /// The path of the socket in that machine's file system.
    pub path: String,
}

impl UnixAddress {
    /// Reads the component.
    ///
    /// # Errors
    ///
    /// When it is malformed, or of another kind.
    pub fn from_component(component: &TaggedComponent) -> Result<Self> {
        let mut input = component.decoder(tag::OMNIORB_UNIX_TRANS)?;
        Ok(Self {
            host: input.read_string()?.into_owned(),
            path: input.read_string()?.into_owned(),
        })
    }

    /// The component.
    ///
    /// # Errors
    ///
    /// When host or path have a NUL or a character beyond U+00FF.
    pub fn to_component(&self) -> Result<TaggedComponent> {
        TaggedComponent::encapsulated(tag::OMNIORB_UNIX_TRANS, |out| {
            out.write_string(&self.host)?;
            out.write_string(&self.path)
        })
    }
}

/// Reads a list of components: the data of a profile of the kind
/// TAG_MULTIPLE_COMPONENTS, or the end of another.
///
/// # Errors
///
/// When the list is malformed, or has more than [`Limits::max_components`].
pub fn read_list(input: &mut Decoder<'_>, limits: &Limits) -> Result<Vec<TaggedComponent>> {
    tagged::read_list(input, limits.max_components, |tag, data| TaggedComponent {
        tag,
        data,
    })
}

/// Appends a list of components.
///
/// # Errors
///
/// When a length does not fit in 32 bits.
pub fn write_list(components: &[TaggedComponent], out: &mut Encoder) -> Result<()> {
    let components = components.iter();
    encode_list(
        components.map(|component| (component.tag, component.data.as_slice())),
        out,
    )
}

numbers! {
    /// The ORBs that name themselves in ORB_TYPE.
    orb_type,
    /// The name of the ORB with this type.
    orb_type_name;
    /// Taut ("TAUT").
    TAUT = 0x5441_5554, "Taut";
    /// TAO ("TAO", 0).
    TAO = 0x5441_4f00, "TAO";
    /// omniORB ("ATT", 0).
    OMNIORB = 0x4154_5400, "omniORB";
    /// JacORB ("JAC", 0).
    JACORB = 0x4a41_4300, "JacORB";
    /// Sun's ORB, later GlassFish ("SUN", 0).
    SUN = 0x5355_4e00, "Sun";
    /// Sun's ORB in its second form.
    SUN_2 = 0x5355_4e01, "Sun";
}

numbers! {
    /// The tags of components.
    tag,
    /// Returns the name that the standard, or the vendor, gives to components with this
    /// tag.
    tag_name;
    /// Which ORB made the reference.
    ORB_TYPE = 0, "TAG_ORB_TYPE";
    /// The server's code sets; see [`crate::code_set`].
    CODE_SETS = 1, "TAG_CODE_SETS";
    /// Policies that clients must know.
    POLICIES = 2, "TAG_POLICIES";
    /// A further address.
    ALTERNATE_IIOP_ADDRESS = 3, "TAG_ALTERNATE_IIOP_ADDRESS";
    /// DCE: the object key.
    COMPLETE_OBJECT_KEY = 5, "TAG_COMPLETE_OBJECT_KEY";
    /// DCE: the end point's position.
    ENDPOINT_ID_POSITION = 6, "TAG_ENDPOINT_ID_POSITION";
    /// DCE: the location policy.
    LOCATION_POLICY = 12, "TAG_LOCATION_POLICY";
    /// SECIOP: association options.
    ASSOCIATION_OPTIONS = 13, "TAG_ASSOCIATION_OPTIONS";
    /// SECIOP: the principal's name.
    SEC_NAME = 14, "TAG_SEC_NAME";
    /// SECIOP: SPKM-1.
    SPKM_1_SEC_MECH = 15, "TAG_SPKM_1_SEC_MECH";
    /// SECIOP: SPKM-2.
    SPKM_2_SEC_MECH = 16, "TAG_SPKM_2_SEC_MECH";
    /// SECIOP: Kerberos 5.
    KERBEROS_V5_SEC_MECH = 17, "TAG_KerberosV5_SEC_MECH";
    /// SECIOP: SESAME with secret keys.
    CSI_ECMA_SECRET_SEC_MECH = 18, "TAG_CSI_ECMA_Secret_SEC_MECH";
    /// SECIOP: SESAME with both kinds of keys.
    CSI_ECMA_HYBRID_SEC_MECH = 19, "TAG_CSI_ECMA_Hybrid_SEC_MECH";
    /// TLS as SSLIOP has it.
    SSL_SEC_TRANS = 20, "TAG_SSL_SEC_TRANS";
    /// SECIOP: SESAME with public keys.
    CSI_ECMA_PUBLIC_SEC_MECH = 21, "TAG_CSI_ECMA_Public_SEC_MECH";
    /// SECIOP: any mechanism.
    GENERIC_SEC_MECH = 22, "TAG_GENERIC_SEC_MECH";
    /// Firewalls on the way.
    FIREWALL_TRANS = 23, "TAG_FIREWALL_TRANS";
    /// SS7 addresses.
    SCCP_CONTACT_INFO = 24, "TAG_SCCP_CONTACT_INFO";
    /// Java: where classes come from.
    JAVA_CODEBASE = 25, "TAG_JAVA_CODEBASE";
    /// The old transaction policy.
    TRANSACTION_POLICY = 26, "TAG_TRANSACTION_POLICY";
    /// Fault tolerance: the object group.
    FT_GROUP = 27, "TAG_FT_GROUP";
    /// Fault tolerance: the primary member.
    FT_PRIMARY = 28, "TAG_FT_PRIMARY";
    /// Fault tolerance: heartbeats.
    FT_HEARTBEAT_ENABLED = 29, "TAG_FT_HEARTBEAT_ENABLED";
    /// Messaging: routers.
    MESSAGE_ROUTERS = 30, "TAG_MESSAGE_ROUTERS";
    /// The transaction policy.
    OTS_POLICY = 31, "TAG_OTS_POLICY";
    /// The invocation policy of transactions.
    INV_POLICY = 32, "TAG_INV_POLICY";
    /// CSIv2's mechanisms.
    CSI_SEC_MECH_LIST = 33, "TAG_CSI_SEC_MECH_LIST";
    /// Nothing.
    NULL_TAG = 34, "TAG_NULL_TAG";
    /// SECIOP as a transport of CSIv2.
    SECIOP_SEC_TRANS = 35, "TAG_SECIOP_SEC_TRANS";
    /// TLS as a transport of CSIv2.
    TLS_SEC_TRANS = 36, "TAG_TLS_SEC_TRANS";
    /// The activity policy.
    ACTIVITY_POLICY = 37, "TAG_ACTIVITY_POLICY";
    /// RMI: the format of custom streams.
    RMI_CUSTOM_MAX_STREAM_FORMAT = 38, "TAG_RMI_CUSTOM_MAX_STREAM_FORMAT";
    /// MIOP: the group.
    GROUP = 39, "TAG_GROUP";
    /// MIOP: an IIOP profile for the group.
    GROUP_IIOP = 40, "TAG_GROUP_IIOP";
    /// DCE: string binding.
    DCE_STRING_BINDING = 100, "TAG_DCE_STRING_BINDING";
    /// DCE: binding name.
    DCE_BINDING_NAME = 101, "TAG_DCE_BINDING_NAME";
    /// DCE: no pipes.
    DCE_NO_PIPES = 102, "TAG_DCE_NO_PIPES";
    /// DCE: the security mechanism.
    DCE_SEC_MECH = 103, "TAG_DCE_SEC_MECH";
    /// Plain TCP with security attributes.
    INET_SEC_TRANS = 123, "TAG_INET_SEC_TRANS";
    /// Taut: handles of operations; see [`crate::operation_handle`].
    OPERATION_HANDLES = 0x5441_5501, "Taut operation handles";
    /// TAO: further TLS end points.
    TAO_SSL_ENDPOINTS = 0x5441_4f01, "TAO SSL endpoints";
    /// TAO: all end points, with their priorities.
    TAO_ENDPOINTS = 0x5441_4f02, "TAO endpoints";
    /// omniORB: bidirectional connections.
    OMNIORB_BIDIR = 0x4154_5401, "omniORB BIDIR";
    /// omniORB: a Unix domain socket.
    OMNIORB_UNIX_TRANS = 0x4154_5402, "omniORB UNIX_TRANS";
    /// omniORB: the identity of a persistent server.
    OMNIORB_PERSISTENT_ID = 0x4154_5403, "omniORB PERSISTENT_ID";
    /// omniORB: restricted connections.
    OMNIORB_RESTRICTED_CONNECTION = 0x4154_5404, "omniORB RESTRICTED_CONNECTION";
    /// omniORB: HTTP.
    OMNIORB_HTTP_TRANS = 0x4154_5405, "omniORB HTTP_TRANS";
}
