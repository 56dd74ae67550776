//! Components of names as keys of a table.

use crate::NameComponent;

/// The octets that divide the id from the kind. No string of IDL has NUL in it.
const DIVIDER: u8 = 0;

/// A component of a name: its id, NUL and its kind. The order of keys is that of ids, then of
/// kinds, octet by octet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Vec<u8>);

impl Key {
    /// The key of a component.
    pub fn new(component: &NameComponent) -> Self {
        let mut octets = Vec::with_capacity(component.id.len() + component.kind.len() + 1);
        octets.extend_from_slice(component.id.as_bytes());
        octets.push(DIVIDER);
        octets.extend_from_slice(component.kind.as_bytes());
        Self(octets)
    }

    /// The keys of a name.
    pub fn path(name: &[NameComponent]) -> Vec<Self> {
        name.iter().map(Self::new).collect()
    }

    /// A key that has been stored.
    pub(super) fn from_octets(octets: &[u8]) -> Self {
        Self(octets.to_vec())
    }

    /// Returns the octets.
    pub fn as_octets(&self) -> &[u8] {
        &self.0
    }

    /// Returns the component.
    pub fn component(&self) -> NameComponent {
        let mut parts = self.0.splitn(2, |octet| *octet == DIVIDER);
        let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        NameComponent {
            id: text(),
            kind: text(),
        }
    }
}
