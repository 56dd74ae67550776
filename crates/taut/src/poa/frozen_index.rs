//! From names to slots, once no name comes or goes any more.

use taut_giop::perfect_hash::{PerfectHash, generate, hash};

/// An index of slots by names that are all known: one hash and one look at a slot, whatever
/// the names are.
///
/// A perfect hash has at most 65,535 names, so that many of them lie in several parts.
pub(super) struct FrozenIndex {
    parts: Box<[Part]>,
}

/// Some of the names.
struct Part {
    hash: PerfectHash,
    /// The slot's number, at each place of the perfect hash.
    slots: Box<[u32]>,
}

/// How many names a part has, about: few enough that none has more than are possible.
const NAMES_PER_PART: usize = 16_384;

/// The seed of the hash by which names find their part.
const SEED: u64 = 0x5461_7574;

impl FrozenIndex {
    /// An index of these names, which are different, and their slots. None if there is no
    /// perfect hash of them.
    pub(super) fn new(names: &[(impl AsRef<[u8]>, u32)]) -> Option<Self> {
        let count = names.len().div_ceil(NAMES_PER_PART).max(1);
        let mut members: Vec<Vec<(&[u8], u32)>> = vec![Vec::new(); count];
        for (name, slot) in names {
            let name = name.as_ref();
            members[part(name, count)].push((name, *slot));
        }
        let parts = members.iter().map(|members| Part::new(members));
        Some(Self {
            parts: parts.collect::<Option<_>>()?,
        })
    }

    /// Returns the value that `look` finds in the slot with this name; it finds nothing in a
    /// slot with another name. It is called at most once.
    #[inline]
    pub(super) fn find<R>(&self, name: &[u8], look: impl FnOnce(u32) -> Option<R>) -> Option<R> {
        let Part { hash, slots } = &self.parts[part(name, self.parts.len())];
        look(*slots.get(hash.find(name)?)?)
    }
}

impl Part {
    fn new(members: &[(&[u8], u32)]) -> Option<Self> {
        let names: Vec<&[u8]> = members.iter().map(|(name, _)| *name).collect();
        let mut hash = generate(&names).ok()?;
        let slots = hash.order.iter().map(|&index| members[index].1).collect();
        hash.order = Vec::new();
        Some(Self { hash, slots })
    }
}

/// The part of a name, of so many.
#[inline]
fn part(name: &[u8], count: usize) -> usize {
    match count {
        1 => 0,
        _ => (hash(name, SEED) % count as u64) as usize,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::poa::name_index::NameIndex;

    /// The number of names that are compared in the worst case of the other index is not
    /// bounded; of this one it is 1, of whichever name.
    #[test]
    fn every_look_up_compares_one_name_at_most() {
        for count in [0, 1, 2, 100, 20_000, 100_000_u32] {
            let name = |number: u32| format!("object {number}");
            let names: Vec<_> = (0..count).map(|number| (name(number), number)).collect();
            let index = FrozenIndex::new(&names).unwrap();
            let compared = Cell::new(0);
            for number in 0..count + 1_000 {
                compared.set(0);
                let found = index.find(name(number).as_bytes(), |slot| {
                    compared.set(compared.get() + 1);
                    (name(slot) == name(number)).then_some(slot)
                });
                assert_eq!(found, (number < count).then_some(number));
                assert!(compared.get() <= 1);
            }
        }
    }

    #[test]
    fn it_finds_what_an_index_finds_whose_names_come_and_go() {
        let names: Vec<_> = (0..5_000_u32)
            .map(|number| (number.to_le_bytes(), number))
            .collect();
        let frozen = FrozenIndex::new(&names).unwrap();
        let index = NameIndex::new();
        for (name, slot) in &names {
            index.insert(name, *slot);
        }
        for number in 0..10_000_u32 {
            let look = |slot| (slot == number).then_some(slot);
            let name = number.to_le_bytes();
            assert_eq!(frozen.find(&name, look), index.find(&name, look));
        }
    }
}
