//! Which operation a name means: the run-time half of perfect hashing. The IDL
//! compiler has [`crate::perfect_hash::generate`] make the table.

use crate::perfect_hash::{bucket, hash, is_same, slot};

/// The operations of an interface, found by name in constant time, without a
/// lock, without allocation.
#[derive(Debug, Clone, Copy)]
pub struct OperationTable {
    /// The names in the order of their slots.
    names: &'static [&'static str],
    seed: u64,
    displacements: &'static [u16],
}

impl OperationTable {
    /// A table from what [`crate::perfect_hash::generate`] found: the names in
    /// the order of their slots, the seed, the displacements. Names that do not
    /// stand in their slots are not found.
    pub const fn new(
        names: &'static [&'static str],
        seed: u64,
        displacements: &'static [u16],
    ) -> Self {
        Self {
            names,
            seed,
            displacements,
        }
    }

    /// The index of a name in [`names`](Self::names).
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let hash = hash(name, self.seed);
        let displacement = *self
            .displacements
            .get(bucket(hash, self.displacements.len()))?;
        let slot = slot(hash, displacement, self.names.len());
        is_same(self.names.get(slot)?.as_bytes(), name).then_some(slot)
    }

    /// The names in the order of their slots.
    #[inline]
    pub const fn names(&self) -> &'static [&'static str] {
        self.names
    }
}

/// The same by binary search: no seed to look for, log₂ n comparisons. There for
/// measurement (M9 of the TAO papers), as is [`LinearOperationTable`].
#[derive(Debug, Clone, Copy)]
pub struct SortedOperationTable {
    /// In ascending order, octet by octet.
    names: &'static [&'static str],
}

impl SortedOperationTable {
    /// A table of these names, which must be in ascending order.
    pub const fn new(names: &'static [&'static str]) -> Self {
        Self { names }
    }

    /// The index of the name.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        self.names
            .binary_search_by(|candidate| candidate.as_bytes().cmp(name))
            .ok()
    }
}

/// The same by comparing with one name after the other.
#[derive(Debug, Clone, Copy)]
pub struct LinearOperationTable {
    names: &'static [&'static str],
}

impl LinearOperationTable {
    /// A table of these names, in any order.
    pub const fn new(names: &'static [&'static str]) -> Self {
        Self { names }
    }

    /// The index of the name.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        self.names
            .iter()
            .position(|candidate| candidate.as_bytes() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perfect_hash::{MAX_NAMES, PerfectHashError, generate};
    use alloc::boxed::Box;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn table(names: &[&str]) -> (OperationTable, Vec<usize>) {
        let found = generate(names).unwrap();
        assert!(found.displacements.len() <= names.len().div_ceil(2));
        let slots: Vec<&'static str> = found
            .order
            .iter()
            .map(|&index| &*Box::leak(String::from(names[index]).into_boxed_str()))
            .collect();
        let table = OperationTable::new(slots.leak(), found.seed, found.displacements.leak());
        (table, found.order)
    }

    #[test]
    fn every_name_is_found_and_no_other() {
        for count in [0, 1, 2, 3, 7, 8, 9, 100, 1000, 10_000, 20_000] {
            let names: Vec<String> = (0..count).map(|number| format!("op_{number}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (table, order) = table(&names);
            for (index, name) in names.iter().enumerate() {
                let slot = table.find(name.as_bytes()).unwrap();
                assert_eq!((order[slot], table.names()[slot]), (index, *name));
            }
            for number in count..count + 1000 {
                assert_eq!(table.find(format!("op_{number}").as_bytes()), None);
            }
            for stranger in [&b""[..], b"o", b"op_", b"op_0\0", b"\xff\xff\xff\xff\xff"] {
                assert_eq!(table.find(stranger), None);
            }
        }
    }

    /// All names have the slot of the only one, so what is compared decides.
    #[test]
    fn a_name_that_differs_in_one_octet_is_not_found() {
        for length in 0..40 {
            let name = "a".repeat(length);
            let (table, _) = table(&[&name]);
            assert_eq!(table.find(name.as_bytes()), Some(0));
            for place in 0..length {
                let mut other = name.clone().into_bytes();
                other[place] ^= 1;
                assert_eq!(table.find(&other), None, "{place} of {length}");
            }
            for other in ["a".repeat(length + 1), "a".repeat(length.saturating_sub(1))] {
                assert!(other == name || table.find(other.as_bytes()).is_none());
            }
        }
    }

    #[test]
    fn names_of_every_length_are_kept_apart() {
        let names: Vec<String> = (1..200)
            .flat_map(|length| ["a", "b", "\u{1}"].map(|unit| unit.repeat(length)))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (table, _) = table(&names);
        assert!(
            names
                .iter()
                .all(|name| table.find(name.as_bytes()).is_some())
        );
        assert_eq!(table.find(b"aab"), None);
    }

    #[test]
    fn an_empty_name_can_be_in_the_table() {
        let (table, _) = table(&["", "a"]);
        assert!(table.find(b"").is_some());
    }

    #[test]
    fn tables_that_do_not_fit_together_find_nothing() {
        let table = OperationTable::new(&["a", "b"], 0, &[]);
        assert_eq!(table.find(b"a"), None);
        let table = OperationTable::new(&["a", "b"], 0, &[u16::MAX]);
        assert_eq!(table.find(b"a"), None);
    }

    #[test]
    fn equal_names_and_too_many_are_refused() {
        assert_eq!(
            generate(&["a", "b", "a"]),
            Err(PerfectHashError::Duplicate {
                first: 0,
                second: 2
            })
        );
        let names: Vec<&str> = core::iter::repeat_n("a", MAX_NAMES + 1).collect();
        let count = names.len();
        assert_eq!(
            generate(&names),
            Err(PerfectHashError::TooManyNames { count })
        );
    }

    #[test]
    fn the_largest_table_can_be_made() {
        let names: Vec<String> = (0..MAX_NAMES).map(|number| format!("{number:x}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (table, _) = table(&names);
        assert!(
            names
                .iter()
                .all(|name| table.find(name.as_bytes()).is_some())
        );
    }

    #[test]
    fn the_hash_is_the_same_everywhere() {
        // Tables are made on one machine and used on another.
        assert_eq!(hash(b"outline", 42), 13_766_794_003_356_596_724);
        assert_eq!(
            hash(b"outline_of_the_circle", 42),
            15_364_637_085_014_980_963
        );
    }

    #[test]
    fn the_other_tables_find_the_same() {
        static NAMES: [&str; 5] = ["_get_radius", "", "move_by", "outline", "z"];
        static SORTED: [&str; 5] = ["", "_get_radius", "move_by", "outline", "z"];
        let (linear, sorted) = (
            LinearOperationTable::new(&NAMES),
            SortedOperationTable::new(&SORTED),
        );
        for (index, name) in NAMES.iter().enumerate() {
            assert_eq!(linear.find(name.as_bytes()), Some(index));
        }
        for (index, name) in SORTED.iter().enumerate() {
            assert_eq!(sorted.find(name.as_bytes()), Some(index));
        }
        for name in ["move", "move_byz", "_", "zz", "Z", "\u{ff}"] {
            assert_eq!(linear.find(name.as_bytes()), None);
            assert_eq!(sorted.find(name.as_bytes()), None);
        }
    }
}
