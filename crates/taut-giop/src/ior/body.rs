//! The common parts of the profiles of GIOP over streams: a version at the beginning, an
//! object key and components at the end.

use alloc::vec::Vec;

use taut_cdr::{Decoder, Encoder, Error, ErrorKind, Result};

use crate::component::{self, TaggedComponent};
use crate::{Limits, Version};

/// Reads a version that is understood: a higher minor one is.
pub(super) fn read_version(input: &mut Decoder<'_>) -> Result<Version> {
    let version = Version::new(input.read()?, input.read()?);
    if version.major == 1 {
        return Ok(version);
    }
    let kind = ErrorKind::Invalid("the major version of a profile is not 1");
    Err(Error::new(kind, input.position() - 2))
}

/// Appends a version.
pub(super) fn write_version(version: Version, out: &mut Encoder) {
    out.write_bytes(&[version.major, version.minor]);
}

/// Reads what follows the address: the object key, and components from 1.1 on.
pub(super) fn read(
    version: Version,
    input: &mut Decoder<'_>,
    limits: &Limits,
) -> Result<(Vec<u8>, Vec<TaggedComponent>)> {
    let object_key = input.read_octets()?.to_vec();
    let components = match version.minor {
        0 => Vec::new(),
        _ => component::read_list(input, limits)?,
    };
    Ok((object_key, components))
}

/// Appends what follows the address.
pub(super) fn write(
    version: Version,
    object_key: &[u8],
    components: &[TaggedComponent],
    out: &mut Encoder,
) -> Result<()> {
    out.write_length(object_key.len())?;
    out.write_bytes(object_key);
    if version.minor >= 1 {
        component::write_list(components, out)
    } else if components.is_empty() {
        Ok(())
    } else {
        let kind = ErrorKind::Invalid("a profile of version 1.0 cannot carry components");
        Err(Error::new(kind, out.position()))
    }
}
