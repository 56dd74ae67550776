//! A table whose entries are found by index and told apart by generation.

use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwapOption, Guard};
use parking_lot::Mutex;

/// The size of the first chunk; each further one is twice as large.
const FIRST_CHUNK: u32 = 32;
/// As many chunks as 32-bit indices can fill.
const CHUNKS: usize = 27;

/// Where an entry lies, and which of the entries that lay there it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SlotId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// Entries behind [`SlotId`]s (M7, M8): constant-time look-up that never waits
/// and never allocates, whatever others insert and remove meanwhile.
///
/// Slots live in chunks that are never moved or freed before the table is, so
/// readers need no lock to get at them; each slot is an atomic pointer. A slot
/// that is used again gets the next generation, so the id of an entry that was
/// removed finds nothing, for ever.
pub(crate) struct SlotTable<T> {
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    vacancies: Mutex<Vacancies>,
}

type Slot<T> = ArcSwapOption<Entry<T>>;

/// What lies in a slot.
#[derive(Debug)]
pub(crate) struct Entry<T> {
    generation: u32,
    pub(crate) value: T,
}

#[derive(Debug, Default)]
struct Vacancies {
    /// Slots that were used before, with the generation they get next.
    reusable: Vec<SlotId>,
    /// The lowest index that was never used.
    fresh: u32,
}

/// Does what a thread's first look-up would do as well, which allocates: so that
/// it does not happen during a call.
pub(crate) fn prepare_thread() {
    drop(ArcSwapOption::<()>::from_pointee(()).load());
}

impl<T> SlotTable<T> {
    pub(crate) fn new() -> Self {
        Self {
            chunks: [const { OnceLock::new() }; CHUNKS],
            vacancies: Mutex::default(),
        }
    }

    /// Inserts what `make` builds for its id. None when 2³² slots are in use.
    pub(crate) fn insert(&self, make: impl FnOnce(SlotId) -> T) -> Option<SlotId> {
        let id = {
            let mut vacancies = self.vacancies.lock();
            match vacancies.reusable.pop() {
                Some(id) => id,
                None => {
                    let index = vacancies.fresh;
                    vacancies.fresh = index.checked_add(1)?;
                    SlotId {
                        index,
                        generation: 0,
                    }
                }
            }
        };
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

    /// Finds an entry. The guard keeps it alive, at no cost to other readers.
    #[inline]
    pub(crate) fn get(&self, id: SlotId) -> Option<Guard<Option<Arc<Entry<T>>>>> {
        let guard = self.slot(id.index)?.load();
        match &*guard {
            Some(entry) if entry.generation == id.generation => Some(guard),
            _ => None,
        }
    }

    /// Removes an entry. False when there is none with this id.
    pub(crate) fn remove(&self, id: SlotId) -> bool {
        let mut vacancies = self.vacancies.lock();
        let Some(slot) = self.slot(id.index) else {
            return false;
        };
        match &*slot.load() {
            Some(entry) if entry.generation == id.generation => {}
            _ => return false,
        }
        slot.store(None);
        // A slot that has been through all generations stays empty.
        if let Some(generation) = id.generation.checked_add(1) {
            vacancies.reusable.push(SlotId {
                index: id.index,
                generation,
            });
        }
        true
    }

    #[inline]
    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let (chunk, offset) = place(index);
        self.chunks.get(chunk)?.get()?.get(offset)
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

#[cfg(test)]
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
        let value = |id| table.get(id).map(|guard| guard.as_ref().unwrap().value);
        for (number, &id) in ids.iter().enumerate() {
            assert_eq!(value(id), Some(number));
        }
        for &id in &ids {
            assert!(table.remove(id));
            assert!(!table.remove(id));
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
                                assert_eq!(guard.as_ref().unwrap().value, generation);
                            }
                        }
                    }
                });
            }
            for _ in 0..2_000 {
                let id = table.insert(|id| id.generation).unwrap();
                assert!(table.remove(id));
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
