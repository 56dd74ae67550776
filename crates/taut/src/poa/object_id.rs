//! Object ids.

use std::fmt;

use smallvec::SmallVec;

use taut_sync::slot_table::SlotId;

/// The octets of an id that the POA assigns and that is only good for its life.
pub(super) const SLOT_LENGTH: usize = 8;

/// Names an object within its POA (CORBA 3.3 part 1, 15.2.2). Where the POA assigns
/// ids (SYSTEM_ID), they are 8 octets, or 16 if references outlive the POA
/// (PERSISTENT); they mean nothing to anyone else. Ids of up to 24 octets are kept
/// without an allocation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(SmallVec<[u8; 24]>);

impl ObjectId {
    /// An id of these octets: `ObjectId::new("account-17")`.
    pub fn new(octets: impl AsRef<[u8]>) -> Self {
        Self(SmallVec::from_slice(octets.as_ref()))
    }

    /// The id that a POA assigns to the object in this slot.
    pub(super) fn of_slot(prefix: &[u8], slot: SlotId) -> Self {
        let mut octets = SmallVec::from_slice(prefix);
        octets.extend_from_slice(&slot_octets(slot));
        Self(octets)
    }

    /// The octets.
    pub fn as_octets(&self) -> &[u8] {
        &self.0
    }
}

/// The octets by which a slot's id is written. Big-endian, so that a hex dump can be
/// read.
#[inline]
pub(super) fn slot_octets(slot: SlotId) -> [u8; SLOT_LENGTH] {
    let octets = (u64::from(slot.index) << 32) | u64::from(slot.generation);
    octets.to_be_bytes()
}

/// The slot that these octets name.
#[inline]
pub(super) fn slot_of(octets: [u8; SLOT_LENGTH]) -> SlotId {
    let octets = u64::from_be_bytes(octets);
    SlotId {
        index: (octets >> 32) as u32,
        generation: octets as u32,
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({})", self.0.escape_ascii())
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.escape_ascii().fmt(f)
    }
}

impl From<&str> for ObjectId {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
