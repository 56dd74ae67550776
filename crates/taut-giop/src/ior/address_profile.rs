//! Profiles whose address is in the form of a transport.

use alloc::vec::Vec;

use taut_cdr::{ByteOrder, Decoder, Encoder, Result};

use super::body;
use super::profile::TaggedProfile;
use crate::component::TaggedComponent;
use crate::tagged::encapsulate;
use crate::{Limits, Version};

/// The data of a profile of GIOP over a transport: a version, the transport's own form
/// of an address, an object key, and components. So are those of IIOP (CORBA 3.3 part 2,
/// 9.7.2) and of TAO's transports.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AddressProfile<A> {
    /// The highest version of GIOP that the server speaks.
    pub version: Version,
    /// The address, as the transport reads and writes it.
    pub address: A,
    /// The name of the object within its server.
    pub object_key: Vec<u8>,
    /// Further facts about object and server. Version 1.0 cannot carry any.
    pub components: Vec<TaggedComponent>,
}

impl<A> AddressProfile<A> {
    /// Reads a profile's data with up to [`Limits::max_components`] components, and its
    /// address by `read_address`. Octets behind what the version defines are ignored, and
    /// so is a higher minor version.
    ///
    /// # Errors
    ///
    /// When the data is malformed, has too many components, or another major version
    /// than 1; those of `read_address`.
    pub fn parse_within(
        data: &[u8],
        limits: &Limits,
        read_address: impl FnOnce(&mut Decoder<'_>) -> Result<A>,
    ) -> Result<Self> {
        let mut input = Decoder::encapsulated(data)?;
        let version = body::read_version(&mut input)?;
        let address = read_address(&mut input)?;
        let (object_key, components) = body::read(version, &mut input, limits)?;
        Ok(Self {
            version,
            address,
            object_key,
            components,
        })
    }

    /// The profile as it travels, with its address written by `write_address`.
    ///
    /// # Errors
    ///
    /// When a length does not fit in 32 bits, or a profile of version 1.0 has components;
    /// those of `write_address`.
    pub fn to_profile(
        &self,
        tag: u32,
        write_address: impl FnOnce(&A, &mut Encoder) -> Result<()>,
    ) -> Result<TaggedProfile> {
        let data = encapsulate(ByteOrder::NATIVE, |out| {
            body::write_version(self.version, out);
            write_address(&self.address, out)?;
            body::write(self.version, &self.object_key, &self.components, out)
        })?;
        Ok(TaggedProfile { tag, data })
    }

    /// The first component with this tag.
    pub fn component(&self, tag: u32) -> Option<&TaggedComponent> {
        let mut components = self.components.iter();
        components.find(|component| component.tag == tag)
    }
}
