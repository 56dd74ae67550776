//! From names to slots, for readers who never wait.

use std::sync::Arc;

use taut_giop::perfect_hash;

use taut_sync::primitives::{AtomicArc, AtomicU64, Mutex, Ordering};

/// A place where nothing is or was.
const EMPTY: u64 = 0;
/// A place where something was.
const REMOVED: u64 = 1;
/// In what is neither.
const OCCUPIED: u64 = 1 << 63;
/// The size of the first table.
const FIRST_SIZE: usize = 16;

/// An index of slots by name: a hash table with open addressing whose places are
/// atomic numbers, each with 31 bits of a hash and a slot's number. The names are
/// with the slots; who asks compares them.
///
/// A reader goes along the places from where the hash points to until the first
/// empty one, so it ends whatever others do meanwhile. It may miss a name only if
/// that was not in the index at some moment of the search. A thread that changes the index
/// holds a lock; where it gets too full a new table takes the old one's place, which
/// readers go on reading to their end.
pub(super) struct NameIndex {
    table: AtomicArc<Table>,
    change: Mutex<Fill>,
    /// The seed of the names' hashes.
    seed: u64,
}

struct Table {
    /// A power of two, more than half of them empty.
    places: Box<[AtomicU64]>,
}

/// How full the table is.
#[derive(Default)]
struct Fill {
    occupied: usize,
    removed: usize,
}

impl NameIndex {
    pub(super) fn new() -> Self {
        Self {
            table: AtomicArc::empty(),
            change: Mutex::default(),
            seed: random_seed(),
        }
    }

    /// Returns the value that `look` finds in the slot with this name; it finds nothing in
    /// a slot with another name.
    pub(super) fn find<R>(&self, name: &[u8], look: impl Fn(u32) -> Option<R>) -> Option<R> {
        let table = self.table.load()?;
        let hash = self.hash(name);
        for position in table.way(hash) {
            match table.places[position].load(Ordering::Acquire) {
                EMPTY => return None,
                place if is_of(place, hash) => {
                    let found = look(place as u32);
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Adds a slot under a name that is not in the index.
    pub(super) fn insert(&self, name: &[u8], slot: u32) {
        let hash = self.hash(name);
        let mut fill = self.change.lock();
        let table = self.roomy_table(&mut fill);
        for position in table.way(hash) {
            let place = &table.places[position];
            let before = place.load(Ordering::Relaxed);
            if before & OCCUPIED == 0 {
                fill.removed -= usize::from(before == REMOVED);
                fill.occupied += 1;
                place.store(place_of(hash, slot), Ordering::Release);
                return;
            }
        }
    }

    /// Removes a slot that was added under this name.
    pub(super) fn remove(&self, name: &[u8], slot: u32) {
        let hash = self.hash(name);
        let mut fill = self.change.lock();
        let Some(table) = self.table.load_full() else {
            return;
        };
        for position in table.way(hash) {
            let place = &table.places[position];
            match place.load(Ordering::Relaxed) {
                EMPTY => return,
                before if before == place_of(hash, slot) => {
                    place.store(REMOVED, Ordering::Release);
                    fill.occupied -= 1;
                    fill.removed += 1;
                    return;
                }
                _ => {}
            }
        }
    }

    /// The table, with room for one more.
    fn roomy_table(&self, fill: &mut Fill) -> Arc<Table> {
        let table = self.table.load_full();
        let size = table.as_ref().map_or(0, |table| table.places.len());
        if let Some(table) = &table
            && 2 * (fill.occupied + fill.removed + 1) <= size
        {
            return Arc::clone(table);
        }
        let new_size = (4 * (fill.occupied + 1))
            .next_power_of_two()
            .max(FIRST_SIZE);
        let new = Arc::new(Table::new(new_size));
        if let Some(table) = table {
            table.copy_to(&new);
        }
        fill.removed = 0;
        self.table.store(Some(Arc::clone(&new)));
        new
    }

    /// 31 bits of a name's hash. Keys whose hints are of no use have the path of their
    /// POA hashed for each request, so this is the hash that operations have as well,
    /// not the standard library's, which takes five times as long for a long path.
    fn hash(&self, name: &[u8]) -> u32 {
        (perfect_hash::hash(name, self.seed) as u32) >> 1
    }
}

impl Table {
    fn new(size: usize) -> Self {
        Self {
            places: (0..size).map(|_| AtomicU64::new(EMPTY)).collect(),
        }
    }

    /// All positions, in the order in which a hash is looked for.
    fn way(&self, hash: u32) -> impl Iterator<Item = usize> {
        let mask = self.places.len() - 1;
        (0..self.places.len()).map(move |step| (hash as usize + step) & mask)
    }

    /// Copies what is there into an empty table that nobody else sees yet.
    fn copy_to(&self, new: &Self) {
        for place in &self.places {
            let place = place.load(Ordering::Relaxed);
            if place & OCCUPIED == 0 {
                continue;
            }
            let mut way = new.way(hash_of(place));
            let free = way.find(|&position| new.places[position].load(Ordering::Relaxed) == EMPTY);
            if let Some(free) = free {
                new.places[free].store(place, Ordering::Relaxed);
            }
        }
    }
}

/// A number that nobody else knows, so that nobody can choose names that meet.
#[cfg(not(loom))]
fn random_seed() -> u64 {
    // An ORB whose system has no random octets is not made.
    taut_sys::entropy::random().map_or(0, u64::from_ne_bytes)
}

/// Under loom no run may differ from another.
#[cfg(loom)]
fn random_seed() -> u64 {
    0
}

fn place_of(hash: u32, slot: u32) -> u64 {
    OCCUPIED | (u64::from(hash) << 32) | u64::from(slot)
}

fn hash_of(place: u64) -> u32 {
    ((place & !OCCUPIED) >> 32) as u32
}

fn is_of(place: u64, hash: u32) -> bool {
    place & OCCUPIED != 0 && hash_of(place) == hash
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn name(number: u32) -> [u8; 4] {
        number.to_le_bytes()
    }

    #[test]
    fn names_are_found_until_they_are_removed() {
        let index = NameIndex::new();
        let mut expected = HashMap::new();
        // A generator of numbers, so that names come and go in no order.
        let mut state = 1_u32;
        for _ in 0..200_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = state >> 20;
            match expected.remove(&number) {
                Some(slot) => index.remove(&name(number), slot),
                None => {
                    index.insert(&name(number), !number);
                    expected.insert(number, !number);
                }
            }
        }
        for number in 0..4_096 {
            let found = index.find(&name(number), |slot| (slot == !number).then_some(slot));
            assert_eq!(found, expected.get(&number).copied(), "{number}");
        }
    }

    #[test]
    fn names_with_the_same_hash_are_told_apart() {
        let index = NameIndex::new();
        for slot in 0..100 {
            index.insert(b"same", slot);
        }
        for wanted in 0..100 {
            let found = index.find(b"same", |slot| (slot == wanted).then_some(slot));
            assert_eq!(found, Some(wanted));
        }
        index.remove(b"same", 50);
        assert_eq!(index.find(b"same", |slot| (slot == 50).then_some(())), None);
    }

    #[test]
    fn a_table_that_is_filled_and_emptied_does_not_grow() {
        let index = NameIndex::new();
        for number in 0..100_000 {
            index.insert(&name(number), number);
            index.remove(&name(number), number);
        }
        let guard = index.table.load();
        assert_eq!(guard.as_ref().unwrap().places.len(), FIRST_SIZE);
    }
}

/// Every order of events: `cargo xtask loom`.
#[cfg(all(test, loom))]
mod orders {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    fn has(index: &NameIndex, name: &[u8], slot: u32) -> bool {
        let found = index.find(name, |found| (found == slot).then_some(()));
        found.is_some()
    }

    /// A name that stays in the index is found whatever comes, goes and grows beside it.
    #[test]
    fn what_stays_is_found() {
        loom::model(|| {
            let index = Arc::new(NameIndex::new());
            index.insert(b"stays", 7);
            let writer = {
                let index = Arc::clone(&index);
                thread::spawn(move || {
                    index.insert(b"comes", 1);
                    index.remove(b"comes", 1);
                    let mut fill = index.change.lock();
                    fill.removed = FIRST_SIZE;
                    drop(index.roomy_table(&mut fill));
                })
            };
            assert!(has(&index, b"stays", 7));
            writer.join().unwrap();
            assert!(has(&index, b"stays", 7));
        });
    }

    /// A name that was added before a search began is found.
    #[test]
    fn what_has_come_is_found() {
        loom::model(|| {
            let index = Arc::new(NameIndex::new());
            let writer = {
                let index = Arc::clone(&index);
                thread::spawn(move || index.insert(b"comes", 1))
            };
            if has(&index, b"comes", 1) {
                assert!(has(&index, b"comes", 1));
            }
            writer.join().unwrap();
            assert!(has(&index, b"comes", 1));
        });
    }
}
