//! The layout of small structs of numbers and characters, one behind the other.

use std::ops::Range;

use taut_cdr::{Decoder, Encoder, Result};

use crate::TCKind;

/// The octets of the largest struct that is kept in one piece with others.
pub(crate) const LARGEST: usize = 512;

/// The places of the members of structs that lie one behind the other. The first of them may lie
/// otherwise, for alignment counts from the start of the message (CORBA 3.3 part 2, 9.3.1).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StructLayout {
    pub(crate) members: Box<[Shape]>,
    /// Of all members and of their members, in order.
    pub(crate) leaves: Box<[Leaf]>,
    /// The octets from the end of one struct to the end of the next.
    pub(crate) stride: usize,
}

/// The shape of a member.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The next leaf.
    Leaf,
    /// A struct.
    Members(Box<[Shape]>),
}

/// A number or a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) kind: TCKind,
    pub(crate) width: u16,
    /// From the end of the struct before.
    pub(crate) offset: u16,
}

impl StructLayout {
    /// The memory that it takes, in octets.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.leaves.len() * (size_of::<Leaf>() + size_of::<Shape>())
    }
}

impl Leaf {
    /// Returns its place in a struct's octets.
    pub(crate) fn range(&self) -> Range<usize> {
        let start = usize::from(self.offset);
        start..start + usize::from(self.width)
    }

    /// Returns the octets of it in those of a struct.
    pub(crate) fn octets<const N: usize>(self, octets: &[u8]) -> [u8; N] {
        let start = usize::from(self.offset);
        octets[start..].first_chunk().copied().unwrap_or([0; N])
    }

    /// Writes it as it lies in a struct's octets.
    pub(crate) fn write(&self, octets: &[u8], out: &mut Encoder) {
        match self.width {
            1 => out.write(u8::from_ne_bytes(self.octets(octets))),
            2 => out.write(u16::from_ne_bytes(self.octets(octets))),
            4 => out.write(u32::from_ne_bytes(self.octets(octets))),
            _ => out.write(u64::from_ne_bytes(self.octets(octets))),
        }
    }

    /// Reads it into a struct's octets.
    pub(crate) fn read(&self, octets: &mut [u8], input: &mut Decoder<'_>) -> Result<()> {
        let place = &mut octets[self.range()];
        match self.width {
            1 => place.copy_from_slice(&input.read::<u8>()?.to_ne_bytes()),
            2 => place.copy_from_slice(&input.read::<u16>()?.to_ne_bytes()),
            4 => place.copy_from_slice(&input.read::<u32>()?.to_ne_bytes()),
            _ => place.copy_from_slice(&input.read::<u64>()?.to_ne_bytes()),
        }
        Ok(())
    }
}
