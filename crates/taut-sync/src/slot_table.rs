//! A table whose entries are found by index and told apart by generation.

use std::hint::cold_path;
use std::sync::{Arc, OnceLock};

use crate::primitives::{AtomicArc, Held, Mutex};

/// The size of the first chunk; each further one is twice as large.
const FIRST_CHUNK: u32 = 32;
/// As many chunks as 32-bit indices can fill.
const CHUNKS: usize = 27;

/// Where an entry lies, and which of the entries that lay there it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotId {
    /// The slot's place in the table.
    pub index: u32,
    /// How many entries have lain in the slot before this one.
    pub generation: u32,
}

impl SlotId {
    /// The id of no entry: there are never so many.
    pub const NONE: Self = Self {
        index: u32::MAX,
        generation: u32::MAX,
    };
}

/// Entries behind [`SlotId`]s (M7, M8): constant-time look-up that never waits
/// and never allocates, whatever others insert and remove meanwhile.
///
/// Slots live in chunks that are never moved or freed before the table is, so
/// readers need no lock to get at them; each slot is an atomic pointer. A slot
/// that is used again gets the next generation, so the id of an entry that was
/// removed finds nothing, for ever.
pub struct SlotTable<T> {
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    vacancies: Mutex<Vacancies>,
}

type Slot<T> = AtomicArc<Entry<T>>;

/// An entry that was found. It stays alive as long as this does, at no cost to
/// others.
pub type Found<T> = Held<Entry<T>>;

/// An entry in its slot. A look-up reads the generation, and next what the value begins
/// with: in one line of the cache, if it is not too much.
#[derive(Debug)]
#[repr(C)]
pub struct Entry<T> {
    /// How many entries have lain in the slot before this one.
    pub generation: u32,
    /// The value that was inserted.
    pub value: T,
}

#[derive(Debug, Default)]
struct Vacancies {
    /// Slots that were used before.
    reusable: Vec<u32>,
    /// For each slot that was ever used the generation of what is there, or of what
    /// will be there next.
    generations: Vec<u32>,
}

impl<T: Send + Sync + 'static> Default for SlotTable<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send + Sync + 'static> SlotTable<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self {
            chunks: [const { OnceLock::new() }; CHUNKS],
            vacancies: Mutex::default(),
        }
    }

    /// Inserts what `make` builds for its id. None when 2³² slots are in use.
    pub fn insert(&self, make: impl FnOnce(SlotId) -> T) -> Option<SlotId> {
        let id = self.vacancies.lock().take()?;
        let (chunk, offset) = place(id.index);
        let slots = self.chunks[chunk].get_or_init(|| {
            let size = (FIRST_CHUNK as usize) << chunk;
            (0..size).map(|_| Slot::empty()).collect()
        });
        let entry = Entry {
            generation: id.generation,
            value: make(id),
        };
        slots[offset].store(Some(Arc::new(entry)));
        Some(id)
    }

    /// An id that no entry has, had, or will have. None when 2³² slots are in use.
    pub fn reserve(&self) -> Option<SlotId> {
        let mut vacancies = self.vacancies.lock();
        let id = vacancies.take()?;
        vacancies.give_back(id);
        Some(id)
    }

    /// Whether an entry has or had this id, or it was reserved.
    pub fn has_issued(&self, id: SlotId) -> bool {
        let vacancies = self.vacancies.lock();
        let Some(&generation) = vacancies.generations.get(id.index as usize) else {
            return false;
        };
        let is_there = self.slot(id.index).is_some_and(|slot| !slot.is_empty());
        id.generation < generation || is_there && id.generation == generation
    }

    /// Finds an entry.
    #[inline(always)]
    pub fn get(&self, id: SlotId) -> Option<Found<T>> {
        let found = self.slot(id.index)?.load()?;
        if found.generation == id.generation {
            return Some(found);
        }
        cold_path();
        None
    }

    /// Whether an entry that was found lies there still.
    #[inline]
    pub fn is_there(&self, id: SlotId, found: &Found<T>) -> bool {
        self.slot(id.index).is_some_and(|slot| slot.has(found))
    }

    /// Whichever entry lies at this index.
    pub fn at(&self, index: u32) -> Option<Found<T>> {
        self.slot(index)?.load()
    }

    /// Puts what `make` makes of an entry's value into its place, and gives back the
    /// old one, which lives until those who have found it let it go. None when there
    /// is no entry with this id; then nothing is made.
    pub fn update(&self, id: SlotId, make: impl FnOnce(&T) -> T) -> Option<Arc<Entry<T>>> {
        let _change = self.vacancies.lock();
        let slot = self.occupied(id)?;
        let generation = id.generation;
        let before = slot.load_full()?;
        let value = make(&before.value);
        slot.swap(Some(Arc::new(Entry { generation, value })))
    }

    /// Removes an entry and gives it back; it lives until those who have found it
    /// let it go. None when there is none with this id.
    pub fn remove(&self, id: SlotId) -> Option<Arc<Entry<T>>> {
        let mut vacancies = self.vacancies.lock();
        let entry = self.occupied(id)?.swap(None);
        vacancies.give_back(id);
        entry
    }

    /// The ids of all entries.
    pub fn ids(&self) -> impl Iterator<Item = SlotId> {
        let chunks = self.chunks.iter().map_while(OnceLock::get);
        let slots = chunks.flat_map(|slots| slots.iter());
        (0..).zip(slots).filter_map(|(index, slot)| {
            let generation = slot.load()?.generation;
            Some(SlotId { index, generation })
        })
    }

    /// The slot that holds the entry with this id.
    fn occupied(&self, id: SlotId) -> Option<&Slot<T>> {
        let slot = self.slot(id.index)?;
        let is_there = slot
            .load()
            .is_some_and(|entry| entry.generation == id.generation);
        is_there.then_some(slot)
    }

    #[inline]
    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let (chunk, offset) = place(index);
        self.chunks.get(chunk)?.get()?.get(offset)
    }
}

impl Vacancies {
    /// A slot for an entry, with the generation that it gets.
    fn take(&mut self) -> Option<SlotId> {
        if let Some(index) = self.reusable.pop() {
            let generation = self.generations[index as usize];
            return Some(SlotId { index, generation });
        }
        // The last index is nobody's: see `SlotId::NONE`.
        let index = u32::try_from(self.generations.len()).ok()?;
        if index == SlotId::NONE.index {
            return None;
        }
        self.generations.push(0);
        let generation = 0;
        Some(SlotId { index, generation })
    }

    /// Lets the slot be used again, for the next generation. One that has been
    /// through all generations stays empty.
    fn give_back(&mut self, id: SlotId) {
        let next = id.generation + 1;
        self.generations[id.index as usize] = next;
        // The last generation is nobody's.
        if next < SlotId::NONE.generation {
            self.reusable.push(id.index);
        }
    }
}

/// The chunk that holds an index, and the offset in it: chunk k holds the
/// indices from 32·(2ᵏ − 1) on.
#[inline]
fn place(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + u64::from(FIRST_CHUNK);
    let chunk = 63 - shifted.leading_zeros() - FIRST_CHUNK.trailing_zeros();
    let first = u64::from(FIRST_CHUNK) << chunk;
    (chunk as usize, (shifted - first) as usize)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn indices_fill_the_chunks_without_gaps() {
        let mut expected = (0, 0);
        for index in 0..10_000 {
            assert_eq!(place(index), expected);
            expected.1 += 1;
            if expected.1 == (FIRST_CHUNK as usize) << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        let (chunk, offset) = place(u32::MAX);
        assert!(chunk <= CHUNKS && offset < (FIRST_CHUNK as usize) << chunk);
    }

    #[test]
    fn entries_are_found_until_they_are_removed_and_stale_ids_never_again() {
        let table = SlotTable::new();
        let ids: Vec<SlotId> = (0..1_000)
            .map(|number| table.insert(|_| number).unwrap())
            .collect();
        let value = |id| table.get(id).map(|found| found.value);
        for (number, &id) in ids.iter().enumerate() {
            assert_eq!(value(id), Some(number));
        }
        for &id in &ids {
            assert!(table.remove(id).is_some());
            assert!(table.remove(id).is_none());
        }
        let again: Vec<SlotId> = (0..1_000)
            .map(|number| table.insert(|_| number).unwrap())
            .collect();
        for (&id, &new) in ids.iter().zip(again.iter().rev()) {
            assert_eq!(id.index, new.index);
            assert_eq!(value(id), None);
            assert!(value(new).is_some());
        }
        assert_eq!(
            value(SlotId {
                index: 77_777,
                generation: 0
            }),
            None
        );
        assert_eq!(
            value(SlotId {
                index: u32::MAX,
                generation: 0
            }),
            None
        );
    }

    #[test]
    fn readers_see_an_entry_or_nothing_while_it_comes_and_goes() {
        let table = SlotTable::new();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        for generation in 0..50 {
                            let id = SlotId {
                                index: 0,
                                generation,
                            };
                            if let Some(guard) = table.get(id) {
                                assert_eq!(guard.value, generation);
                            }
                        }
                    }
                });
            }
            for _ in 0..2_000 {
                let id = table.insert(|id| id.generation).unwrap();
                assert!(table.remove(id).is_some());
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}

/// Every order of events: `cargo xtask loom`.
#[cfg(all(test, loom))]
mod orders {
    use loom::sync::Arc as Shared;
    use loom::sync::atomic::{AtomicBool, Ordering};
    use loom::thread;

    use super::*;

    /// A found entry is never another's, though its slot is used again.
    #[test]
    fn an_id_leads_to_its_own_entry() {
        loom::model(|| {
            let table = Shared::new(SlotTable::new());
            let first = table.insert(|_| "first").unwrap();
            let writer = {
                let table = table.clone();
                thread::spawn(move || {
                    table.remove(first).unwrap();
                    table.insert(|_| "second").unwrap()
                })
            };
            let found = table.get(first);
            let second = writer.join().unwrap();
            assert_eq!(second.index, first.index);
            assert_ne!(second.generation, first.generation);
            // It lives as long as it is held.
            assert!(found.is_none_or(|found| found.value == "first"));
            assert!(table.get(first).is_none());
            assert_eq!(table.get(second).map(|found| found.value), Some("second"));
        });
    }

    /// A value that was removed is not found again, even by a thread that looks while it is
    /// removed.
    #[test]
    fn what_is_gone_stays_away() {
        loom::model(|| {
            let table = Shared::new(SlotTable::new());
            let is_gone = Shared::new(AtomicBool::new(false));
            let id = table.insert(|_| ()).unwrap();
            let writer = {
                let (table, is_gone) = (table.clone(), is_gone.clone());
                thread::spawn(move || {
                    table.remove(id).unwrap();
                    is_gone.store(true, Ordering::Release);
                    table.insert(|_| ()).unwrap();
                })
            };
            let was_gone = is_gone.load(Ordering::Acquire);
            let first = table.get(id).is_some();
            assert!(!(was_gone && first));
            if !first {
                assert!(table.get(id).is_none());
            }
            writer.join().unwrap();
        });
    }

    /// An update changes what is there and does not bring back what has gone; every
    /// value that was there is given back to one.
    #[test]
    fn an_update_and_a_removal_do_not_lose_an_entry() {
        loom::model(|| {
            let table = Shared::new(SlotTable::new());
            let id = table.insert(|_| 1).unwrap();
            let updater = {
                let table = table.clone();
                thread::spawn(move || table.update(id, |value| value + 1).map(|old| old.value))
            };
            let seen = table.get(id).map(|found| found.value);
            assert!(matches!(seen, Some(1 | 2)));
            let removed = table.remove(id).map(|old| old.value);
            match updater.join().unwrap() {
                Some(old) => assert_eq!((old, removed), (1, Some(2))),
                None => assert_eq!(removed, Some(1)),
            }
            assert!(table.get(id).is_none());
        });
    }

    /// Two who insert at once get different slots.
    #[test]
    fn each_entry_has_its_own_slot() {
        loom::model(|| {
            let table = Shared::new(SlotTable::new());
            let other = {
                let table = table.clone();
                thread::spawn(move || table.insert(|_| "other").unwrap())
            };
            let own = table.insert(|_| "own").unwrap();
            let other = other.join().unwrap();
            assert_ne!(own, other);
            assert_eq!(table.get(own).map(|found| found.value), Some("own"));
            assert_eq!(table.get(other).map(|found| found.value), Some("other"));
            assert_eq!(table.ids().count(), 2);
        });
    }
}
