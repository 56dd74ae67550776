//! Profiles: one way each to reach an object (CORBA 3.3 part 2, 7.6.2).

use alloc::vec::Vec;

use taut_cdr::Result;

use super::{iiop_object_key, uiop_object_key};
use crate::numbers::numbers;

/// A profile as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaggedProfile {
    /// The kind of profile; see [`tag`].
    pub tag: u32,
    /// Its data; for every kind that the standard defines, an encapsulation.
    pub data: Vec<u8>,
}

/// The object key in the data of a profile with this tag, without allocation; none
/// of a kind that is not read here.
///
/// # Errors
///
/// When the data is malformed up to the key.
#[inline]
pub fn object_key(tag: u32, data: &[u8]) -> Result<Option<&[u8]>> {
    match tag {
        tag::INTERNET_IOP => iiop_object_key(data).map(Some),
        tag::TAO_UIOP => uiop_object_key(data).map(Some),
        _ => Ok(None),
    }
}

numbers! {
    /// The tags of profiles.
    tag,
    /// Returns the name that the standard, or the vendor, gives to profiles with this tag.
    tag_name;
    /// IIOP: GIOP over TCP/IP.
    INTERNET_IOP = 0, "TAG_INTERNET_IOP";
    /// Components that belong to all profiles.
    MULTIPLE_COMPONENTS = 1, "TAG_MULTIPLE_COMPONENTS";
    /// GIOP over SS7.
    SCCP_IOP = 2, "TAG_SCCP_IOP";
    /// MIOP: GIOP over UDP multicast.
    UIPMC = 3, "TAG_UIPMC";
    /// TAO: GIOP over Unix domain sockets.
    TAO_UIOP = 0x5441_4f00, "TAO UIOP";
    /// TAO: GIOP over shared memory.
    TAO_SHMIOP = 0x5441_4f02, "TAO SHMIOP";
    /// TAO: GIOP over UDP.
    TAO_DIOP = 0x5441_4f04, "TAO DIOP";
    /// TAO: collocated only.
    TAO_COIOP = 0x5441_4f05, "TAO COIOP";
    /// TAO: GIOP over SCTP.
    TAO_SCIOP = 0x5441_4f0e, "TAO SCIOP";
    /// JacORB: marks TLS.
    JACORB_SSL = 0x4a43_0000, "JacORB SSL";
    /// JacORB: marks the absence of TLS.
    JACORB_NO_SSL = 0x4a43_0001, "JacORB without SSL";
}
