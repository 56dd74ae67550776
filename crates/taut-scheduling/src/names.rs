//! A table in which names are found in constant time: perfect hashing with displacements.

use std::borrow::Cow;

/// The marker of a slot that has no name.
const EMPTY: u32 = u32::MAX;

/// The tables of a perfect hash of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameTable {
    /// The displacement of each bucket.
    pub(crate) displacements: Cow<'static, [u32]>,
    /// The number of the name in each slot, or `u32::MAX`.
    pub(crate) slots: Cow<'static, [u32]>,
}

/// The hash of a name (FNV-1a, with another start for each displacement, and stirred at the end).
fn hash(name: &str, start: u32) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ u64::from(start).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = name.bytes().fold(start, |hash, octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 16
}

/// The place of a hash in a table.
fn place(hash: u64, length: usize) -> usize {
    (hash % length as u64) as usize
}

impl NameTable {
    /// Makes the table of names that differ from each other. None if two are alike.
    pub(crate) fn new(names: &[&str]) -> Option<Self> {
        let size = (names.len() * 2).next_power_of_two();
        let mut buckets = vec![Vec::new(); names.len().div_ceil(2).max(1)];
        let count = buckets.len();
        for (number, name) in names.iter().enumerate() {
            buckets[place(hash(name, 0), count)].push(number);
        }
        let mut order: Vec<_> = (0..count).collect();
        order.sort_by_key(|bucket| std::cmp::Reverse(buckets[*bucket].len()));
        let mut displacements = vec![0; count];
        let mut slots = vec![EMPTY; size];
        for bucket in order {
            let members = &buckets[bucket];
            let mut distinct: Vec<_> = members.iter().map(|number| names[*number]).collect();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < members.len() {
                return None;
            }
            let places = |displacement: u32| {
                let mut places: Vec<usize> = Vec::with_capacity(members.len());
                for number in members {
                    let slot = place(hash(names[*number], displacement), size);
                    if slots[slot] != EMPTY || places.contains(&slot) {
                        return None;
                    }
                    places.push(slot);
                }
                Some((displacement, places))
            };
            let (displacement, places) = (1..u32::MAX).find_map(places)?;
            displacements[bucket] = displacement;
            for (number, slot) in members.iter().zip(places) {
                slots[slot] = u32::try_from(*number).ok()?;
            }
        }
        Some(Self {
            displacements: displacements.into(),
            slots: slots.into(),
        })
    }

    /// The number of the only name that this one may be.
    pub(crate) fn candidate(&self, name: &str) -> Option<u32> {
        if self.displacements.is_empty() || self.slots.is_empty() {
            return None;
        }
        let bucket = place(hash(name, 0), self.displacements.len());
        let slot = place(hash(name, self.displacements[bucket]), self.slots.len());
        Some(self.slots[slot]).filter(|number| *number != EMPTY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_found_and_no_other() {
        for count in [0, 1, 2, 7, 3_000] {
            let names: Vec<_> = (0..count)
                .map(|n| format!("M::I{}::op{n}", n % 7))
                .collect();
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let table = NameTable::new(&names).unwrap();
            for (number, name) in (0..).zip(&names) {
                assert_eq!(table.candidate(name), Some(number));
            }
        }
        assert_eq!(NameTable::new(&["a", "b", "a"]), None);
    }
}
