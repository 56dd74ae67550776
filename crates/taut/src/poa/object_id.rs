//! Object ids.

use std::fmt;

use crate::slot_table::SlotId;

/// Names an object within its POA. Ids that the POA assigns (SYSTEM_ID) are
/// eight octets; they mean nothing to anyone else.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(Box<[u8]>);

impl ObjectId {
    /// An id of these octets.
    pub fn new(octets: impl Into<Box<[u8]>>) -> Self {
        Self(octets.into())
    }

    /// The octets.
    pub fn as_octets(&self) -> &[u8] {
        &self.0
    }

    /// The id that the POA assigns to the object in this slot.
    pub(super) fn of_slot(slot: SlotId) -> Self {
        let octets = (u64::from(slot.index) << 32) | u64::from(slot.generation);
        Self::new(octets.to_be_bytes())
    }

    /// The slot, if the POA can have assigned this id.
    pub(super) fn slot(&self) -> Option<SlotId> {
        let octets: [u8; 8] = self.0[..].try_into().ok()?;
        let octets = u64::from_be_bytes(octets);
        Some(SlotId {
            index: (octets >> 32) as u32,
            generation: octets as u32,
        })
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({})", self.0.escape_ascii())
    }
}
