//! TAO's profile for Unix-domain sockets: as IIOP's, with a path in place of host and
//! port.

use alloc::string::String;
use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Decoder, Result};

use super::body;
use super::profile::{TaggedProfile, tag};
use crate::component::TaggedComponent;
use crate::tagged::encapsulate;
use crate::{Limits, Version};

/// The data of a UIOP profile: the path of a Unix-domain socket, an object key, and
/// components.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UiopProfile {
    /// The highest version of GIOP that the server speaks.
    pub version: Version,
    /// The path of the socket in the file system of the server's machine.
    pub path: String,
    /// The key that names the object within its server.
    pub object_key: Vec<u8>,
    /// Further facts about the object or its server. Version 1.0 cannot carry any.
    pub components: Vec<TaggedComponent>,
}

impl UiopProfile {
    /// Reads a profile's data with up to [`Limits::max_components`] components.
    /// Octets behind what the version defines are ignored, and so is a higher minor
    /// version.
    ///
    /// # Errors
    ///
    /// When the data is malformed, has too many components, or another major
    /// version than 1.
    pub fn parse_within(data: &[u8], limits: &Limits) -> Result<Self> {
        let mut input = Decoder::encapsulated(data)?;
        let version = body::read_version(&mut input)?;
        let path = input.read_plain_text()?;
        let (object_key, components) = body::read(version, &mut input, limits)?;
        Ok(Self {
            version,
            path,
            object_key,
            components,
        })
    }

    /// The profile as it travels.
    ///
    /// # Errors
    ///
    /// When the path has a NUL, a length does not fit in 32 bits, or a profile of
    /// version 1.0 has components.
    pub fn to_profile(&self) -> Result<TaggedProfile> {
        let data = encapsulate(ByteOrder::NATIVE, |out| {
            body::write_version(self.version, out);
            out.write_string_octets(self.path.as_bytes())?;
            body::write(self.version, &self.object_key, &self.components, out)
        })?;
        Ok(TaggedProfile {
            tag: tag::TAO_UIOP,
            data,
        })
    }
}

/// The object key in a UIOP profile's data, without allocation.
///
/// # Errors
///
/// When the data is malformed up to the key.
pub fn uiop_object_key(data: &[u8]) -> Result<&[u8]> {
    let mut input = Decoder::encapsulated(data)?;
    body::read_version(&mut input)?;
    input.read_string_octets()?;
    input.read_octets()
}
