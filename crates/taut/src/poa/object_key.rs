//! Object keys of this POA: where the servant lies, and proof that the key was
//! made by this very process.

use crate::slot_table::SlotId;

/// Tells our keys from the plain ones of object URLs.
const MAGIC: [u8; 4] = [0, b'T', b'a', 1];

/// The number of octets of a key.
const LENGTH: usize = 4 + 16 + 16;

/// The octets of a key that name the POA.
pub(super) const PREFIX_LENGTH: usize = LENGTH - 8;

/// Random octets of one ORB in one process. A key from a server's earlier life,
/// or a forged one, does not have them.
pub(super) type Incarnation = [u8; 16];

/// A transient object key: the incarnation, then the POA's place in the table
/// of POAs and the object's in the active object map, each with its generation.
/// Big-endian, so that a hex dump can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ObjectKey {
    pub(super) incarnation: Incarnation,
    pub(super) poa: SlotId,
    pub(super) object: SlotId,
}

impl ObjectKey {
    pub(super) fn to_octets(self) -> [u8; LENGTH] {
        let mut octets = [0; LENGTH];
        octets[..4].copy_from_slice(&MAGIC);
        octets[4..20].copy_from_slice(&self.incarnation);
        let words = [
            self.poa.index,
            self.poa.generation,
            self.object.index,
            self.object.generation,
        ];
        for (place, word) in octets[20..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        octets
    }

    /// What the keys of all objects of one POA begin with.
    pub(super) fn prefix(incarnation: Incarnation, poa: SlotId) -> [u8; PREFIX_LENGTH] {
        let object = SlotId {
            index: 0,
            generation: 0,
        };
        let octets = Self {
            incarnation,
            poa,
            object,
        }
        .to_octets();
        let mut prefix = [0; PREFIX_LENGTH];
        prefix.copy_from_slice(&octets[..PREFIX_LENGTH]);
        prefix
    }

    /// The object that a key names, if it is a key of the POA with this prefix.
    #[inline]
    pub(super) fn object_behind(prefix: &[u8; PREFIX_LENGTH], octets: &[u8]) -> Option<SlotId> {
        let octets: &[u8; LENGTH] = octets.try_into().ok()?;
        let (start, rest) = octets.split_first_chunk::<PREFIX_LENGTH>()?;
        let (index, rest) = rest.split_first_chunk::<4>()?;
        let (generation, _) = rest.split_first_chunk::<4>()?;
        (start == prefix).then(|| SlotId {
            index: u32::from_be_bytes(*index),
            generation: u32::from_be_bytes(*generation),
        })
    }

    /// Reads a key in place. None when it is not one of ours.
    #[inline]
    pub(super) fn parse(octets: &[u8]) -> Option<Self> {
        let octets: &[u8; LENGTH] = octets.try_into().ok()?;
        let (magic, rest) = octets.split_first_chunk::<4>()?;
        let (incarnation, places) = rest.split_first_chunk::<16>()?;
        if *magic != MAGIC {
            return None;
        }
        let word = |index: usize| -> Option<u32> {
            let (word, _) = places.get(4 * index..)?.split_first_chunk::<4>()?;
            Some(u32::from_be_bytes(*word))
        };
        Some(Self {
            incarnation: *incarnation,
            poa: SlotId {
                index: word(0)?,
                generation: word(1)?,
            },
            object: SlotId {
                index: word(2)?,
                generation: word(3)?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: ObjectKey = ObjectKey {
        incarnation: [7; 16],
        poa: SlotId {
            index: 1,
            generation: 2,
        },
        object: SlotId {
            index: 3,
            generation: u32::MAX,
        },
    };

    #[test]
    fn keys_survive() {
        assert_eq!(ObjectKey::parse(&KEY.to_octets()), Some(KEY));
    }

    #[test]
    fn a_key_begins_with_the_prefix_of_its_poa() {
        let prefix = ObjectKey::prefix(KEY.incarnation, KEY.poa);
        let octets = KEY.to_octets();
        assert_eq!(ObjectKey::object_behind(&prefix, &octets), Some(KEY.object));
        for octet in 0..PREFIX_LENGTH {
            let mut other = octets;
            other[octet] ^= 1;
            assert_eq!(ObjectKey::object_behind(&prefix, &other), None);
        }
        assert_eq!(ObjectKey::object_behind(&prefix, &octets[1..]), None);
    }

    #[test]
    fn what_is_not_a_key_is_not_read_as_one() {
        let octets = KEY.to_octets();
        for length in 0..octets.len() {
            assert_eq!(ObjectKey::parse(&octets[..length]), None);
        }
        let mut long = octets.to_vec();
        long.push(0);
        assert_eq!(ObjectKey::parse(&long), None);
        let mut foreign = octets;
        foreign[0] = 1;
        assert_eq!(ObjectKey::parse(&foreign), None);
    }
}
