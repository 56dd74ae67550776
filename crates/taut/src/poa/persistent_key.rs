//! The content of persistent object keys, for servers that forward requests.

use super::names_in;
use super::object_key::{KeyName, ObjectKey};

/// The content of the object key of a persistent reference, whichever Taut server made it:
/// what a [forwarder](crate::Orb::set_object_key_locator) tells servers by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersistentKey<'k> {
    /// The server's id, its setting [`server.id`](crate::ServerSettings::id).
    pub server_id: &'k str,
    /// The names of the POAs from the root's child down to the object's own.
    pub poa_names: Vec<&'k str>,
    /// The octets of the object's id.
    pub object_id: &'k [u8],
}

impl<'k> PersistentKey<'k> {
    /// Reads an object key. None when it is no persistent one of Taut's.
    pub fn parse(object_key: &'k [u8]) -> Option<Self> {
        let KeyName::Persistent { path, id } = ObjectKey::parse(object_key)?.name else {
            return None;
        };
        let (server_id, poa_names) = names_in(path)?;
        Some(Self {
            server_id,
            poa_names,
            object_id: id,
        })
    }
}
