//! Object keys of this POA: where the servant lies, proof that the key was made by
//! this very process, and, where that may not be so, the full name.

use super::object_id::{slot_octets, slot_of};
use crate::object::OperationHandle;
use taut_sync::slot_table::SlotId;

/// Tells our keys from the plain ones of object URLs; the format follows.
const MAGIC: [u8; 3] = [0, b'T', b'a'];

/// Transient, and the id is the object's slot.
const SLOT: u8 = 1;
/// Transient, with an id behind the slots.
const NAMED: u8 = 2;
/// Persistent: the path of the POA and the id behind the slots.
const PERSISTENT: u8 = 3;

/// As `SLOT`, with an operation's handle: the interface's fingerprint behind the slots,
/// and the operation's place at the end.
const SLOT_HANDLE: u8 = 4;
/// As `NAMED`, with an operation's handle around the id.
const NAMED_HANDLE: u8 = 5;

/// The number of octets before the id or path.
const LENGTH: usize = 4 + 16 + 8 + 8;

/// Random octets of one ORB in one process. A transient key from a server's earlier
/// life, or a forged one, does not have them.
pub(super) type Incarnation = [u8; 16];

/// An object key, in place. All formats begin alike: the incarnation of the ORB
/// that made the key, the POA's place in its table of POAs, and the object's in the
/// active object map, each with its generation. In a persistent key these are hints,
/// and so is the object's place in any key that has an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ObjectKey<'k> {
    pub(super) incarnation: &'k Incarnation,
    pub(super) poa: SlotId,
    pub(super) object: SlotId,
    pub(super) name: KeyName<'k>,
}

/// The part of a key beside the slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyName<'k> {
    /// The object's slot is its id.
    Slot,
    /// The object's id.
    Id(&'k [u8]),
    /// The POA's path and the object's id.
    Persistent { path: &'k [u8], id: &'k [u8] },
}

impl<'k> ObjectKey<'k> {
    pub(super) fn to_octets(self) -> Vec<u8> {
        let (format, path, id): (_, _, &[u8]) = match self.name {
            KeyName::Slot => (SLOT, None, &[]),
            KeyName::Id(id) => (NAMED, None, id),
            KeyName::Persistent { path, id } => (PERSISTENT, Some(path), id),
        };
        let path_length = path.map_or(0, |path| 2 + path.len());
        let mut octets = Vec::with_capacity(LENGTH + path_length + id.len());
        octets.extend(MAGIC);
        octets.push(format);
        octets.extend(self.incarnation);
        octets.extend(slot_octets(self.poa));
        octets.extend(slot_octets(self.object));
        if let Some(path) = path {
            // A POA's path is never longer; see `Path`.
            octets.extend((path.len() as u16).to_be_bytes());
            octets.extend(path);
        }
        octets.extend(id);
        octets
    }

    /// Returns the octets with which keys begin by which operations of the object are
    /// called by handle; the operation's place follows. None if its reference is good for
    /// another life of the server: then nobody knows what the object will be.
    pub(super) fn to_handles(self, fingerprint: u64) -> Option<Vec<u8>> {
        let format = match self.name {
            KeyName::Slot => SLOT_HANDLE,
            KeyName::Id(_) => NAMED_HANDLE,
            KeyName::Persistent { .. } => return None,
        };
        let key = self.to_octets();
        let (before, behind) = key.split_at(LENGTH);
        let mut octets = [before, &fingerprint.to_be_bytes(), behind].concat();
        octets[MAGIC.len()] = format;
        Some(octets)
    }

    /// Reads a key with an operation's handle. None when it is not one of ours.
    pub(super) fn parse_handle(octets: &'k [u8]) -> Option<(Self, OperationHandle)> {
        let (format, slots, rest) = Self::begin(octets)?;
        let (fingerprint, rest) = rest.split_first_chunk::<8>()?;
        let (id, place) = rest.split_last_chunk::<4>()?;
        let name = match format {
            SLOT_HANDLE if id.is_empty() => KeyName::Slot,
            NAMED_HANDLE => KeyName::Id(id),
            _ => return None,
        };
        let handle = OperationHandle {
            fingerprint: u64::from_be_bytes(*fingerprint),
            place: u32::from_be_bytes(*place),
        };
        Some((Self { name, ..slots }, handle))
    }

    /// Reads a key, with an operation's handle or without. None when it is not one of ours.
    pub(super) fn parse_any(octets: &'k [u8]) -> Option<Self> {
        Self::parse(octets).or_else(|| Some(Self::parse_handle(octets)?.0))
    }

    /// Reads a key in place. None when it is not one of ours.
    #[inline]
    pub(super) fn parse(octets: &'k [u8]) -> Option<Self> {
        let (format, slots, rest) = Self::begin(octets)?;
        let name = match format {
            SLOT if rest.is_empty() => KeyName::Slot,
            NAMED => KeyName::Id(rest),
            PERSISTENT => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                let (path, id) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
                KeyName::Persistent { path, id }
            }
            _ => return None,
        };
        Some(Self { name, ..slots })
    }

    /// Splits off the octets with which all keys begin: the format, and the slots as if
    /// they were all there is. The octets that follow are returned last. The length is
    /// looked at once: all of it is there or none.
    #[inline(always)]
    fn begin(octets: &'k [u8]) -> Option<(u8, Self, &'k [u8])> {
        let (begin, rest) = octets.split_first_chunk::<LENGTH>()?;
        let (magic, begin) = begin.split_first_chunk::<3>()?;
        let (&format, begin) = begin.split_first()?;
        let (incarnation, begin) = begin.split_first_chunk::<16>()?;
        let (poa, begin) = begin.split_first_chunk::<8>()?;
        let object = begin.first_chunk::<8>()?;
        let slots = Self {
            incarnation,
            poa: slot_of(*poa),
            object: slot_of(*object),
            name: KeyName::Slot,
        };
        (*magic == MAGIC).then_some((format, slots, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [ObjectKey<'_>; 3] = [
        key(KeyName::Slot),
        key(KeyName::Id(b"account-17")),
        key(KeyName::Persistent {
            path: b"\x00\x05banks",
            id: b"account-17",
        }),
    ];

    const fn key(name: KeyName<'_>) -> ObjectKey<'_> {
        ObjectKey {
            incarnation: &[7; 16],
            poa: SlotId {
                index: 1,
                generation: 2,
            },
            object: SlotId {
                index: 3,
                generation: u32::MAX,
            },
            name,
        }
    }

    #[test]
    fn keys_survive() {
        for key in KEYS {
            assert_eq!(ObjectKey::parse(&key.to_octets()), Some(key));
        }
    }

    #[test]
    fn what_is_not_a_key_is_not_read_as_one() {
        for key in KEYS {
            let octets = key.to_octets();
            for length in 0..octets.len() {
                let cut = ObjectKey::parse(&octets[..length]);
                assert_ne!(cut, Some(key));
                assert!(length >= LENGTH || cut.is_none());
            }
            for (position, other) in [(0, 1), (1, b't'), (3, 0), (3, 4), (3, 5), (3, 6)] {
                let mut foreign = octets.clone();
                foreign[position] = other;
                assert_eq!(ObjectKey::parse(&foreign), None);
            }
        }
        let mut long = KEYS[0].to_octets();
        long.push(0);
        assert_eq!(ObjectKey::parse(&long), None);
    }

    #[test]
    fn keys_with_handles_survive_and_are_no_others() {
        let handle = OperationHandle {
            fingerprint: 0x0102_0304_0506_0708,
            place: u32::MAX,
        };
        for key in &KEYS[..2] {
            let mut octets = key.to_handles(handle.fingerprint).unwrap();
            octets.extend(handle.place.to_be_bytes());
            assert_eq!(ObjectKey::parse_handle(&octets), Some((*key, handle)));
            assert_eq!(ObjectKey::parse(&octets), None);
            assert_eq!(ObjectKey::parse_handle(&key.to_octets()), None);
            for length in 0..octets.len() {
                let cut = ObjectKey::parse_handle(&octets[..length]);
                assert_ne!(cut, Some((*key, handle)));
                assert!(length >= LENGTH + 12 || cut.is_none());
            }
            for (position, other) in [(0, 1), (1, b't'), (3, 1), (3, 2), (3, 3), (3, 6)] {
                let mut foreign = octets.clone();
                foreign[position] = other;
                assert_eq!(ObjectKey::parse_handle(&foreign), None);
            }
        }
        assert_eq!(KEYS[2].to_handles(handle.fingerprint), None);
    }

    #[test]
    fn a_path_longer_than_its_key_is_not_read() {
        let mut octets = KEYS[2].to_octets();
        octets[LENGTH] = 0xff;
        assert_eq!(ObjectKey::parse(&octets), None);
    }
}
