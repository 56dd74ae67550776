//! Where members are written to and read from.
//!
//! Offsets are counted up as members come; the compiler knows them all, and checks
//! and additions vanish.

use super::layout::padding;
use crate::Primitive;

/// Zeroes, into which the members of a value are written.
#[derive(Debug)]
pub struct Room<'a, const FOREIGN: bool> {
    octets: &'a mut [u8],
    /// The offset of the first octet from an aligned place.
    phase: usize,
    /// The offset of the next octet from the same place.
    position: usize,
}

impl<'a, const FOREIGN: bool> Room<'a, FOREIGN> {
    /// The room that these octets are; the first has this offset from an aligned one.
    #[inline(always)]
    pub(super) fn new(octets: &'a mut [u8], phase: usize) -> Self {
        Self {
            octets,
            phase,
            position: phase,
        }
    }

    /// Leaves padding out.
    #[inline(always)]
    pub(super) fn align(&mut self, alignment: usize) {
        self.position += padding(self.position, alignment);
    }

    /// The next octets.
    #[inline(always)]
    pub(super) fn take(&mut self, count: usize) -> &mut [u8] {
        let start = self.position - self.phase;
        self.position += count;
        &mut self.octets[start..start + count]
    }
}

/// The octets of a value, from which its members are read.
#[derive(Debug)]
pub struct Source<'a, const FOREIGN: bool> {
    octets: &'a [u8],
    /// The offset of the first octet from an aligned place.
    phase: usize,
    /// The offset of the next octet from the same place.
    position: usize,
    is_valid: bool,
}

impl<'a, const FOREIGN: bool> Source<'a, FOREIGN> {
    /// The source that these octets are; the first has this offset from an aligned one.
    #[inline(always)]
    pub(super) fn new(octets: &'a [u8], phase: usize) -> Self {
        Self {
            octets,
            phase,
            position: phase,
            is_valid: true,
        }
    }

    /// Whether all that was read were values.
    #[inline(always)]
    pub(super) fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Takes note of whether something that was read is a value.
    #[inline(always)]
    pub(crate) fn note(&mut self, is_valid: bool) {
        self.is_valid &= is_valid;
    }

    /// Leaves padding out.
    #[inline(always)]
    pub(super) fn align(&mut self, alignment: usize) {
        self.position += padding(self.position, alignment);
    }

    /// The next octets.
    #[inline(always)]
    pub(super) fn take(&mut self, count: usize) -> &'a [u8] {
        let start = self.position - self.phase;
        self.position += count;
        &self.octets[start..start + count]
    }

    /// Reads an enum's ordinal, which should be below `count`.
    #[inline(always)]
    pub fn ordinal(&mut self, count: u32) -> u32 {
        let ordinal: u32 = self.primitive();
        self.note(ordinal < count);
        ordinal
    }

    /// Reads a primitive.
    #[inline(always)]
    pub(super) fn primitive<T: Primitive>(&mut self) -> T {
        self.align(T::ALIGNMENT);
        value::<T, FOREIGN>(self.take(size_of::<T>()))
    }
}

/// The primitive that these octets are.
#[inline(always)]
pub(super) fn value<T: Primitive, const FOREIGN: bool>(octets: &[u8]) -> T {
    let value: T = bytemuck::pod_read_unaligned(octets);
    if FOREIGN { value.swapped() } else { value }
}
