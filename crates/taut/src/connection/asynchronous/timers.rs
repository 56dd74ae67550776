//! The deadlines of futures.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::task::Waker;
use std::time::Instant;

use taut_sync::primitives::Mutex;

/// The deadlines of all futures of an ORB. At a deadline its future is woken, and finds out
/// by itself that its time is over.
#[derive(Default)]
pub(super) struct Timers(Mutex<State>);

#[derive(Default)]
struct State {
    /// The earliest deadline first. Those whose future has gone stay until they are met, or
    /// are more than the others.
    heap: BinaryHeap<Reverse<(Instant, u64, u32)>>,
    slots: Vec<Slot>,
    vacant: Vec<u32>,
    next_number: u64,
    /// Until when the engine waits, if it is to be woken for an earlier deadline.
    waits_until: Option<Option<Instant>>,
}

/// A deadline; none if it has no waker.
struct Slot {
    number: u64,
    waker: Option<Waker>,
}

/// The place of a deadline.
#[derive(Debug)]
pub(crate) struct TimerKey {
    number: u64,
    index: u32,
}

impl Timers {
    /// Adds a deadline. True with its place: the engine has to be woken, for it waits for a
    /// later one.
    pub(super) fn add(&self, at: Instant, waker: &Waker) -> (TimerKey, bool) {
        let waker = Some(waker.clone());
        let mut state = self.0.lock();
        let number = state.next_number;
        state.next_number += 1;
        let slot = Slot { number, waker };
        let index = match state.vacant.pop() {
            Some(index) => {
                state.slots[index as usize] = slot;
                index
            }
            None => {
                state.slots.push(slot);
                // There are never so many futures.
                (state.slots.len() - 1) as u32
            }
        };
        state.heap.push(Reverse((at, number, index)));
        let is_first = match state.waits_until {
            Some(until) => until.is_none_or(|until| at < until),
            None => false,
        };
        if is_first {
            state.waits_until = Some(Some(at));
        }
        (TimerKey { number, index }, is_first)
    }

    /// Gives the future of a deadline another waker.
    pub(super) fn renew(&self, key: &TimerKey, waker: &Waker) {
        let mut state = self.0.lock();
        let Some(slot) = state.slot(key) else {
            return;
        };
        if let Some(known) = &mut slot.waker
            && !known.will_wake(waker)
        {
            let before = std::mem::replace(known, waker.clone());
            drop(state);
            drop(before);
        }
    }

    /// Forgets a deadline.
    pub(super) fn remove(&self, key: &TimerKey) {
        let mut state = self.0.lock();
        let Some(slot) = state.slot(key) else {
            return;
        };
        let waker = slot.waker.take();
        slot.number = u64::MAX;
        state.vacant.push(key.index);
        state.compact();
        drop(state);
        drop(waker);
    }

    /// Takes the wakers of all deadlines that have passed. Returns the next deadline, until
    /// which the engine waits from here on.
    pub(super) fn take_due(&self, wakers: &mut Vec<Waker>) -> Option<Instant> {
        let mut guard = self.0.lock();
        let state = &mut *guard;
        state.waits_until = None;
        let mut now = None;
        let next = loop {
            let Some(&Reverse((at, number, index))) = state.heap.peek() else {
                break None;
            };
            let slot = &mut state.slots[index as usize];
            if slot.number == number {
                if at > *now.get_or_insert_with(Instant::now) {
                    break Some(at);
                }
                // The place stays the future's until it removes it.
                wakers.extend(slot.waker.take());
            }
            state.heap.pop();
        };
        state.waits_until = Some(next);
        next
    }

    /// How many deadlines there are.
    #[cfg(test)]
    fn len(&self) -> (usize, usize) {
        let state = self.0.lock();
        (state.slots.len() - state.vacant.len(), state.heap.len())
    }
}

impl State {
    fn slot(&mut self, key: &TimerKey) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(key.index as usize)?;
        (slot.number == key.number).then_some(slot)
    }

    /// Leaves out the deadlines of futures that have gone, once they are the most.
    fn compact(&mut self) {
        let live = self.slots.len() - self.vacant.len();
        if self.heap.len() > 2 * live + 64 {
            let slots = &self.slots;
            self.heap
                .retain(|Reverse((_, number, index))| slots[*index as usize].number == *number);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn deadlines_that_were_removed_leave_nothing_behind() {
        let timers = Timers::default();
        let far = Instant::now() + Duration::from_secs(3_600);
        let kept = timers.add(far, Waker::noop()).0;
        for _ in 0..10_000 {
            let (key, _) = timers.add(far, Waker::noop());
            timers.remove(&key);
            // It is nobody's any more.
            timers.remove(&key);
        }
        let (live, waiting) = timers.len();
        assert!(live == 1 && waiting < 100, "{live} {waiting}");
        timers.remove(&kept);
        assert_eq!(timers.len().0, 0);
    }

    #[test]
    fn the_engine_is_woken_for_an_earlier_deadline_alone() {
        let timers = Timers::default();
        let (now, mut due) = (Instant::now(), Vec::new());
        let after = |seconds| now + Duration::from_secs(seconds);
        assert_eq!(timers.take_due(&mut due), None);
        let (late, first) = timers.add(after(2_000), Waker::noop());
        assert!(first && !timers.add(after(3_000), Waker::noop()).1);
        let (early, first) = timers.add(after(1_000), Waker::noop());
        assert!(first);
        assert_eq!(timers.take_due(&mut due), Some(after(1_000)));
        timers.remove(&early);
        assert_eq!(timers.take_due(&mut due), Some(after(2_000)));
        assert!(due.is_empty());
        timers.add(now, Waker::noop());
        timers.remove(&late);
        assert_eq!(timers.take_due(&mut due), Some(after(3_000)));
        assert_eq!(due.len(), 1);
    }
}
