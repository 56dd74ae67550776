//! TypeCodes that a thread has met before.
//!
//! Peers send the same few types again and again, each time in full. To compare a
//! TypeCode's octets with those of one that was read is a hundredth of the work of
//! reading it. An encapsulation means the same wherever it stands, so its octets say
//! all, together with what the reader was told.

use std::cell::RefCell;

use taut_cdr::{Decoder, WideForm};

use super::TypeCode;
use crate::{TCKind, TypeCodeLimits};

/// How many TypeCodes a thread remembers, and how many it has written.
pub(super) const PLACES: usize = 16;

/// The most octets that one of them has: what peers make a thread keep is less than
/// `PLACES` times this, and what was made of it.
pub(super) const LONGEST: usize = 1024;

thread_local! {
    static MEMORY: RefCell<Memory> = const {
        RefCell::new(Memory {
            places: [const { None }; PLACES],
            last: 0,
        })
    };
}

/// The TypeCodes that a thread remembers.
struct Memory {
    places: [Option<Remembered>; PLACES],
    /// The place of what was recalled or remembered last. It is likely to come again, and
    /// to look there first costs less than to find out where to look.
    last: usize,
}

/// All that reading an encapsulated TypeCode depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wording<'m> {
    kind: TCKind,
    wide_form: WideForm,
    limits: TypeCodeLimits,
    octets: &'m [u8],
}

/// A TypeCode that was read.
struct Remembered {
    kind: TCKind,
    wide_form: WideForm,
    limits: TypeCodeLimits,
    octets: Box<[u8]>,
    type_code: TypeCode,
    /// The memory that its graph takes.
    memory: usize,
}

impl<'m> Wording<'m> {
    /// The octets behind a kind, as a decoder would read them. None when they are too many
    /// to be remembered.
    pub(super) fn new(
        kind: TCKind,
        octets: &'m [u8],
        input: &Decoder<'m>,
        limits: &TypeCodeLimits,
    ) -> Option<Self> {
        let wording = Self {
            kind,
            wide_form: input.wide_form(),
            limits: *limits,
            octets,
        };
        (octets.len() <= LONGEST).then_some(wording)
    }

    /// Returns the TypeCode that was made of the same octets before, and the memory that
    /// its graph takes.
    pub(super) fn recall(&self) -> Option<(TypeCode, usize)> {
        MEMORY.with_borrow_mut(|memory| {
            let at = |place: usize| {
                let there = memory.places[place].as_ref()?;
                (there.wording() == *self).then(|| (there.type_code.clone(), there.memory))
            };
            at(memory.last).or_else(|| {
                let place = self.place();
                let found = at(place)?;
                memory.last = place;
                Some(found)
            })
        })
    }

    /// Remembers what was made of the octets, instead of another.
    pub(super) fn remember(&self, type_code: &TypeCode, memory: usize) {
        let remembered = Remembered {
            kind: self.kind,
            wide_form: self.wide_form,
            limits: self.limits,
            octets: self.octets.into(),
            type_code: type_code.clone(),
            memory,
        };
        // The previous entry is dropped outside of the borrow of its place: it may be the
        // last of a graph.
        let before = MEMORY.with_borrow_mut(|memory| {
            memory.last = self.place();
            memory.places[memory.last].replace(remembered)
        });
        drop(before);
    }

    /// Where it is remembered, if it is.
    fn place(&self) -> usize {
        let (words, rest) = self.octets.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        let rest = rest.iter().map(|&octet| u64::from(octet));
        let mixed = words
            .chain(rest)
            .fold(self.octets.len() as u64, |sum, word| {
                (sum ^ word)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(29)
            });
        (mixed as usize) % PLACES
    }
}

impl Remembered {
    fn wording(&self) -> Wording<'_> {
        Wording {
            kind: self.kind,
            wide_form: self.wide_form,
            limits: self.limits,
            octets: &self.octets,
        }
    }
}
