//! Bit sets and bit masks, as IDL 4.2 has them (7.4.13). GIOP has no form for
//! either.

use arcstr::ArcStr;

use super::{Annotation, DefinitionId, List, Type};
use crate::source::Span;

/// A `bitset`: several small numbers in one, the first in the lowest bits.
#[derive(Debug, Clone, Default)]
pub struct Bitset {
    /// The bit set whose fields come first, if there is one.
    pub base: Option<DefinitionId>,
    /// The fields, in source order. Together with those of the base they have
    /// 64 bits at most.
    pub fields: Vec<Bitfield>,
}

/// A field of a [`Bitset`].
#[derive(Debug, Clone)]
pub struct Bitfield {
    /// The name as the IDL spells it; none if the bits only fill a gap.
    pub name: Option<ArcStr>,
    /// Where the field stands.
    pub span: Span,
    /// The preceding comment, see [`Definition::docs`](super::Definition::docs).
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// How many bits it has, 1 to 64.
    pub width: u8,
    /// The type of its value, if the source gives one: `boolean`, `octet` or
    /// an integer type.
    pub ty: Option<Type>,
}

/// A `bitmask`: flags in one number.
#[derive(Debug, Clone, Default)]
pub struct Bitmask {
    /// How many bits it has, 1 to 64: 32 unless `@bit_bound` says otherwise.
    pub bits: u8,
    /// The flags, in source order.
    pub flags: Vec<Flag>,
}

/// A flag of a [`Bitmask`].
#[derive(Debug, Clone)]
pub struct Flag {
    /// The name as the IDL spells it, without an escaping underscore.
    pub name: ArcStr,
    /// Where the name stands.
    pub span: Span,
    /// The preceding comment, see [`Definition::docs`](super::Definition::docs).
    pub docs: List<String>,
    /// The annotations, in order.
    pub annotations: List<Annotation>,
    /// Its bit, counted from the lowest, which is 0: what `@position` says, or
    /// the one after that of the flag before.
    pub position: u8,
}
