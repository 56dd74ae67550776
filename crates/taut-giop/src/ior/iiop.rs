//! The IIOP profile (CORBA 3.3 part 2, 9.7.2).

use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Decoder, Result};

use super::body;
use super::profile::{TaggedProfile, tag};
use crate::component::{self, AlternateAddress, TaggedComponent};
use crate::tagged::encapsulate;
use crate::{Limits, Version};

/// The data of an IIOP profile: an address, an object key, and components.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IiopProfile {
    /// The highest version of IIOP that the server speaks.
    pub version: Version,
    /// A DNS name or a numeric address; IPv6 without brackets.
    pub host: String,
    /// The TCP port. 0: only by way of a component, such as one for TLS.
    pub port: u16,
    /// The key that names the object within its server.
    pub object_key: Vec<u8>,
    /// Further facts about the object or its server. IIOP 1.0 cannot carry any.
    pub components: Vec<TaggedComponent>,
}

impl IiopProfile {
    /// Reads a profile's data. Octets behind what the version defines are
    /// ignored, and so is a higher minor version.
    ///
    /// # Errors
    ///
    /// When the data is malformed, or has another major version than 1.
    pub fn parse(data: &[u8]) -> Result<Self> {
        Self::parse_within(data, &Limits::DEFAULT)
    }

    /// Reads a profile's data with up to [`Limits::max_components`] components.
    ///
    /// # Errors
    ///
    /// When the data is malformed, has too many components, or another major
    /// version than 1.
    pub fn parse_within(data: &[u8], limits: &Limits) -> Result<Self> {
        let mut input = Decoder::encapsulated(data)?;
        let version = body::read_version(&mut input)?;
        let host = input.read_plain_text()?;
        let port = input.read()?;
        let (object_key, components) = body::read(version, &mut input, limits)?;
        Ok(Self {
            version,
            host,
            port,
            object_key,
            components,
        })
    }

    /// The profile as it travels.
    ///
    /// # Errors
    ///
    /// When the host has a NUL, a length does not fit in 32 bits, or a profile
    /// of IIOP 1.0 has components.
    pub fn to_profile(&self) -> Result<TaggedProfile> {
        let data = encapsulate(ByteOrder::NATIVE, |out| {
            body::write_version(self.version, out);
            out.write_string_octets(self.host.as_bytes())?;
            out.write(self.port);
            body::write(self.version, &self.object_key, &self.components, out)
        })?;
        Ok(TaggedProfile {
            tag: tag::INTERNET_IOP,
            data,
        })
    }

    /// The first component with this tag.
    pub fn component(&self, tag: u32) -> Option<&TaggedComponent> {
        self.components
            .iter()
            .find(|component| component.tag == tag)
    }

    /// The further addresses of the same server, in their order
    /// (CORBA 3.3 part 2, 9.7.3).
    pub fn alternate_addresses(&self) -> impl Iterator<Item = Result<AlternateAddress>> + '_ {
        self.components
            .iter()
            .filter(|component| component.tag == component::tag::ALTERNATE_IIOP_ADDRESS)
            .map(AlternateAddress::from_component)
    }
}

/// The object key in an IIOP profile's data, without allocation.
///
/// # Errors
///
/// When the data is malformed up to the key.
#[inline]
pub fn iiop_object_key(data: &[u8]) -> Result<&[u8]> {
    let mut input = Decoder::encapsulated(data)?;
    body::read_version(&mut input)?;
    input.read_string_octets()?;
    input.read::<u16>()?;
    input.read_octets()
}
