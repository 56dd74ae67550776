//! The last records of one thread, which others read at any time: for what a thread does that must
//! not be held up by those who look at it.
//!
//! A record is a few numbers. The thread writes it with a few moves, no lock and no memory; when
//! the ring is full, it takes the place of the oldest one. A reader gets each record whole or not at
//! all: beside it stands a number that is odd while it is written, and another one afterwards.

use std::fmt;
use std::sync::Arc;

use crate::primitives::{AtomicU64, Ordering, fence};

/// A place of a record of `WORDS` numbers.
struct Slot<const WORDS: usize> {
    /// Twice the number of the record, counted from 1; one less while it is written; 0 before.
    version: AtomicU64,
    words: [AtomicU64; WORDS],
}

/// The last records of one thread.
pub struct Ring<const WORDS: usize> {
    slots: Box<[Slot<WORDS>]>,
    /// How many records have been written so far.
    written: AtomicU64,
}

/// The right to write into a [`Ring`], which one thread has at a time.
#[derive(Debug)]
pub struct Recorder<const WORDS: usize> {
    ring: Arc<Ring<WORDS>>,
    next: u64,
}

impl<const WORDS: usize> Ring<WORDS> {
    /// Makes a ring for so many records, at least one, and the right to write them.
    pub fn with_capacity(records: usize) -> Recorder<WORDS> {
        let slot = |_| Slot {
            version: AtomicU64::new(0),
            words: std::array::from_fn(|_| AtomicU64::new(0)),
        };
        let ring = Self {
            slots: (0..records.max(1)).map(slot).collect(),
            written: AtomicU64::new(0),
        };
        Recorder {
            ring: Arc::new(ring),
            next: 0,
        }
    }

    /// Returns the records that are there, the oldest first. Those that are overwritten meanwhile
    /// are left out.
    pub fn records(&self) -> Vec<[u64; WORDS]> {
        let end = self.written.load(Ordering::Acquire);
        let begin = end.saturating_sub(self.slots.len() as u64);
        (begin..end)
            .filter_map(|number| self.read(number))
            .collect()
    }

    /// Returns how many records have been lost, for others have taken their places.
    pub fn lost(&self) -> u64 {
        let written = self.written.load(Ordering::Relaxed);
        written.saturating_sub(self.slots.len() as u64)
    }

    fn slot(&self, number: u64) -> &Slot<WORDS> {
        // The remainder is less than the length.
        &self.slots[(number % self.slots.len() as u64) as usize]
    }

    /// The record of this number, if it is still there.
    fn read(&self, number: u64) -> Option<[u64; WORDS]> {
        let slot = self.slot(number);
        let version = 2 * (number + 1);
        if slot.version.load(Ordering::Acquire) != version {
            return None;
        }
        let words = std::array::from_fn(|place| slot.words[place].load(Ordering::Relaxed));
        // The words are of this version if it is still the same behind them.
        fence(Ordering::Acquire);
        (slot.version.load(Ordering::Relaxed) == version).then_some(words)
    }
}

impl<const WORDS: usize> Recorder<WORDS> {
    /// Returns the ring, for readers.
    pub fn ring(&self) -> &Arc<Ring<WORDS>> {
        &self.ring
    }

    /// Writes a record.
    #[inline]
    pub fn write(&mut self, words: [u64; WORDS]) {
        let slot = self.ring.slot(self.next);
        let version = 2 * (self.next + 1);
        slot.version.store(version - 1, Ordering::Relaxed);
        // A reader that sees a word of this record sees that its version is odd.
        fence(Ordering::Release);
        for (place, word) in slot.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        slot.version.store(version, Ordering::Release);
        self.next += 1;
        self.ring.written.store(self.next, Ordering::Release);
    }
}

impl<const WORDS: usize> fmt::Debug for Ring<WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring")
            .field("capacity", &self.slots.len())
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_records_are_there_in_their_order() {
        let mut recorder = Ring::<2>::with_capacity(3);
        let ring = Arc::clone(recorder.ring());
        assert_eq!((ring.records(), ring.lost()), (vec![], 0));
        recorder.write([1, 10]);
        recorder.write([2, 20]);
        assert_eq!(ring.records(), [[1, 10], [2, 20]]);
        (3..=7).for_each(|number| recorder.write([number, 10 * number]));
        assert_eq!(ring.records(), [[5, 50], [6, 60], [7, 70]]);
        assert_eq!(ring.lost(), 4);
    }

    #[test]
    fn a_ring_has_room_for_one_record_at_least() {
        let mut recorder = Ring::<1>::with_capacity(0);
        recorder.write([1]);
        assert_eq!(recorder.ring().records(), [[1]]);
    }

    #[test]
    fn a_reader_sees_no_record_in_parts_while_many_are_written() {
        let mut recorder = Ring::<4>::with_capacity(8);
        let ring = Arc::clone(recorder.ring());
        let writer = std::thread::spawn(move || {
            (1..200_000).for_each(|number| recorder.write([number; 4]));
        });
        loop {
            let has_ended = writer.is_finished();
            let records = ring.records();
            for record in &records {
                assert_eq!(*record, [record[0]; 4]);
            }
            // Those that the writer overtakes are left out, and the others are in order.
            assert!(records.is_sorted(), "{records:?}");
            if has_ended {
                break;
            }
        }
        writer.join().unwrap();
        assert_eq!(ring.records().last(), Some(&[199_999; 4]));
    }
}

#[cfg(all(test, loom))]
mod orders {
    use super::*;
    use loom::thread;

    /// A reader gets records whole, in whatever order it meets the writer.
    #[test]
    fn a_record_is_read_whole_or_not_at_all() {
        loom::model(|| {
            let mut recorder = Ring::<2>::with_capacity(1);
            let ring = Arc::clone(recorder.ring());
            let writer = thread::spawn(move || {
                recorder.write([1, 1]);
                recorder.write([2, 2]);
            });
            for record in ring.records() {
                assert_eq!(record[0], record[1]);
            }
            writer.join().unwrap();
            assert_eq!(ring.records(), [[2, 2]]);
        });
    }
}
