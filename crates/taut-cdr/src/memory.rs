//! How much memory values may take that are read.
//!
//! Memory for values is charged against a budget before it is allocated: the elements of
//! sequences, which may be far larger in memory than on the wire, texts, and what else is
//! kept for each of many values. Primitives, and data that are borrowed from the message,
//! need no memory of their own and cost nothing here.

use crate::{Decoder, ErrorKind, Result};

/// How much memory the values of one message or encapsulation may take, in
/// proportion to its octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Octets of memory for each octet of data.
    pub per_octet: usize,
    /// Octets of memory in any case.
    pub extra: usize,
}

impl MemoryLimit {
    /// The limit that holds unless another is set: 4 octets for each, and 64 KiB.
    pub const DEFAULT: Self = Self {
        per_octet: 4,
        extra: 64 * 1024,
    };

    /// Returns the octets of memory that may be charged while so many octets are read.
    #[inline]
    pub(crate) const fn budget(self, octets: usize) -> usize {
        octets
            .saturating_mul(self.per_octet)
            .saturating_add(self.extra)
    }
}

impl Default for MemoryLimit {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Decoder<'_> {
    /// Sets how much memory the values to come may take.
    #[inline]
    #[must_use]
    pub fn with_memory_limit(mut self, limit: MemoryLimit) -> Self {
        self.memory_left = limit.budget(self.bytes().len());
        self
    }

    /// Charges memory that a value is about to take, in octets.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooMuchMemory`].
    #[inline]
    pub fn charge(&mut self, octets: usize) -> Result<()> {
        match self.memory_left.checked_sub(octets) {
            Some(left) => {
                self.memory_left = left;
                Ok(())
            }
            None => Err(self.error(ErrorKind::TooMuchMemory { octets })),
        }
    }

    /// Gives back what was charged and not taken, in octets.
    #[inline]
    pub fn credit(&mut self, octets: usize) {
        self.memory_left = self.memory_left.saturating_add(octets);
    }

    /// For how many further elements of a sequence to make room at once, if `have`
    /// have been read and `left` are still to come, `size` octets of memory each.
    /// The memory is charged. It grows with what is read, and is in the end no more
    /// than all elements need.
    ///
    /// # Errors
    ///
    /// As [`charge`](Self::charge).
    pub fn afford(&mut self, have: usize, left: usize, size: usize) -> Result<usize> {
        // Reserving at most as much memory as there are octets left keeps a lying
        // count from costing more than the message itself did.
        let affordable = self.remaining() / size.max(1);
        let room = left.min(affordable.max(have).max(1));
        self.charge(room.saturating_mul(size))?;
        Ok(room)
    }
}
