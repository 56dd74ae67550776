//! The calls in flight on a shared connection, found in constant time.

use std::hash::{BuildHasher, RandomState};
use std::mem;

/// The number of hash buckets of a table that has had a call; twice as many as slots.
const FIRST_BUCKETS: usize = 16;

/// The index of no slot.
const NONE: u32 = u32::MAX;

/// A table of the calls in flight, each with a value of type `T`.
///
/// Each operation takes a number of steps that does not depend on how many calls there
/// are: a call's own thread names it by its [`CallPlace`], the peer by its request id,
/// which is hashed with a secret of this table, so that a peer that picks which calls it
/// leaves unanswered cannot make their ids collide. Slots are used again, so that
/// nothing is allocated unless more calls are in flight than ever before.
///
/// Of the calls some stand in a *line*, in the order in which they joined it.
#[derive(Debug)]
pub(in crate::connection) struct CallTable<T> {
    slots: Vec<Slot<T>>,
    /// The first slot of each bucket's chain, or [`NONE`]. A power of two, and at least
    /// twice as many as slots, once there are slots.
    buckets: Vec<u32>,
    secret: u64,
    /// The first of the chain of vacant slots.
    vacant: u32,
    len: usize,
    first_in_line: u32,
    last_in_line: u32,
    /// The slots that have been looked at, for tests that count them.
    #[cfg(test)]
    steps: std::cell::Cell<usize>,
}

/// A slot, vacant unless it has a value.
#[derive(Debug)]
struct Slot<T> {
    request_id: u32,
    value: Option<T>,
    /// The next slot in the chain of its bucket, or of vacant slots.
    next: u32,
    is_in_line: bool,
    before_in_line: u32,
    behind_in_line: u32,
}

/// The place of a call in its table. It leads to that call or, once the call has been
/// removed, nowhere, unless its request id is used again for a call in the same slot.
#[derive(Debug, Clone, Copy)]
pub(in crate::connection) struct CallPlace {
    index: u32,
    pub(in crate::connection) request_id: u32,
}

impl<T> CallTable<T> {
    /// A table without calls, which has allocated nothing.
    pub(in crate::connection) fn new() -> Self {
        Self {
            slots: Vec::new(),
            buckets: Vec::new(),
            secret: RandomState::new().hash_one(0),
            vacant: NONE,
            len: 0,
            first_in_line: NONE,
            last_in_line: NONE,
            #[cfg(test)]
            steps: std::cell::Cell::new(0),
        }
    }

    /// The number of calls.
    pub(in crate::connection) fn len(&self) -> usize {
        self.len
    }

    /// Adds a call, which does not stand in line. None if there is one with this id.
    pub(in crate::connection) fn insert(&mut self, request_id: u32, value: T) -> Option<CallPlace> {
        if self.find(request_id).is_some() {
            return None;
        }
        let index = self.take_vacant()?;
        let bucket = self.bucket(request_id);
        let next = mem::replace(&mut self.buckets[bucket], index);
        let slot = self.slot_mut(index);
        slot.request_id = request_id;
        slot.value = Some(value);
        slot.next = next;
        self.len += 1;
        Some(CallPlace { index, request_id })
    }

    /// Whether there is a call with this id.
    pub(in crate::connection) fn contains(&self, request_id: u32) -> bool {
        self.find(request_id).is_some()
    }

    /// The value of a call. None if it is not there any more.
    pub(in crate::connection) fn get_mut(&mut self, place: CallPlace) -> Option<&mut T> {
        self.is_at(place)
            .then(|| self.slot_mut(place.index).value.as_mut())?
    }

    /// The value of the call with this id. None if there is none.
    pub(in crate::connection) fn get_id_mut(&mut self, request_id: u32) -> Option<&mut T> {
        let index = self.find(request_id)?;
        self.slot_mut(index).value.as_mut()
    }

    /// The values of all calls.
    pub(in crate::connection) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().filter_map(|slot| slot.value.as_mut())
    }

    /// Lets a call join the line. False if it is not there any more.
    pub(in crate::connection) fn line_up(&mut self, place: CallPlace) -> bool {
        if !self.is_at(place) {
            return false;
        }
        let last = self.last_in_line;
        let slot = self.slot_mut(place.index);
        if !mem::replace(&mut slot.is_in_line, true) {
            slot.before_in_line = last;
            slot.behind_in_line = NONE;
            match last {
                NONE => self.first_in_line = place.index,
                last => self.slot_mut(last).behind_in_line = place.index,
            }
            self.last_in_line = place.index;
        }
        true
    }

    /// The value of the call that has stood in line for longest.
    pub(in crate::connection) fn first_in_line(&self) -> Option<&T> {
        match self.first_in_line {
            NONE => None,
            first => self.slot(first).value.as_ref(),
        }
    }

    /// Removes a call. None if it is not there any more.
    pub(in crate::connection) fn remove(&mut self, place: CallPlace) -> Option<T> {
        self.is_at(place).then(|| self.vacate(place.index))?
    }

    /// Removes the call with this id. None if there is none.
    pub(in crate::connection) fn remove_id(&mut self, request_id: u32) -> Option<T> {
        let index = self.find(request_id)?;
        self.vacate(index)
    }

    /// Removes all calls, and gives back what the table has allocated.
    pub(in crate::connection) fn remove_all(&mut self) -> Vec<T> {
        let slots = mem::replace(self, Self::new()).slots;
        slots.into_iter().filter_map(|slot| slot.value).collect()
    }

    fn is_at(&self, place: CallPlace) -> bool {
        let slot = self.slots.get(place.index as usize);
        slot.is_some_and(|slot| slot.value.is_some() && slot.request_id == place.request_id)
    }

    fn find(&self, request_id: u32) -> Option<u32> {
        // There are no buckets before the first call.
        let bucket = (!self.buckets.is_empty()).then(|| self.bucket(request_id))?;
        let mut index = self.buckets[bucket];
        while index != NONE {
            let slot = self.slot(index);
            if slot.request_id == request_id {
                return Some(index);
            }
            index = slot.next;
        }
        None
    }

    /// The bucket of a request id.
    fn bucket(&self, request_id: u32) -> usize {
        /// 2⁶⁴ divided by the golden ratio, odd.
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        let mixed = (u64::from(request_id) ^ self.secret).wrapping_mul(self.secret | 1);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(SPREAD);
        (mixed >> 32) as usize & (self.buckets.len() - 1)
    }

    /// A slot that has been vacant. None when there are as many as there can be indices.
    fn take_vacant(&mut self) -> Option<u32> {
        if self.vacant != NONE {
            let index = self.vacant;
            self.vacant = self.slot(index).next;
            return Some(index);
        }
        let index = u32::try_from(self.slots.len()).ok();
        let index = index.filter(|&index| index != NONE)?;
        self.slots.push(Slot {
            request_id: 0,
            value: None,
            next: NONE,
            is_in_line: false,
            before_in_line: NONE,
            behind_in_line: NONE,
        });
        if self.slots.len() * 2 > self.buckets.len() {
            self.grow();
        }
        Some(index)
    }

    /// Doubles the number of buckets.
    #[cold]
    fn grow(&mut self) {
        let count = (self.buckets.len() * 2).max(FIRST_BUCKETS);
        self.buckets = vec![NONE; count];
        // Fits: each slot has an index of 32 bits.
        for index in 0..self.slots.len() as u32 {
            if self.slot(index).value.is_some() {
                let bucket = self.bucket(self.slot(index).request_id);
                let next = mem::replace(&mut self.buckets[bucket], index);
                self.slot_mut(index).next = next;
            }
        }
    }

    /// Takes the call out of a slot, and the slot out of its chain and out of the line.
    fn vacate(&mut self, index: u32) -> Option<T> {
        let vacant = self.vacant;
        let slot = self.slot_mut(index);
        let (request_id, value) = (slot.request_id, slot.value.take());
        let next = mem::replace(&mut slot.next, vacant);
        let was_in_line = mem::replace(&mut slot.is_in_line, false);
        let (before, behind) = (slot.before_in_line, slot.behind_in_line);
        if was_in_line {
            match before {
                NONE => self.first_in_line = behind,
                before => self.slot_mut(before).behind_in_line = behind,
            }
            match behind {
                NONE => self.last_in_line = before,
                behind => self.slot_mut(behind).before_in_line = before,
            }
        }
        self.unchain(request_id, index, next);
        self.vacant = index;
        self.len -= 1;
        value
    }

    /// Takes the slot at `index`, behind which `next` comes, out of its bucket's chain.
    fn unchain(&mut self, request_id: u32, index: u32, next: u32) {
        let bucket = self.bucket(request_id);
        let mut before = self.buckets[bucket];
        if before == index {
            self.buckets[bucket] = next;
            return;
        }
        while before != NONE {
            let slot = self.slot_mut(before);
            if slot.next == index {
                slot.next = next;
                return;
            }
            before = slot.next;
        }
    }

    fn slot(&self, index: u32) -> &Slot<T> {
        #[cfg(test)]
        self.steps.set(self.steps.get() + 1);
        &self.slots[index as usize]
    }

    fn slot_mut(&mut self, index: u32) -> &mut Slot<T> {
        #[cfg(test)]
        self.steps.set(self.steps.get() + 1);
        &mut self.slots[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secrets with which the steps are counted, so that each run counts the same.
    const SECRETS: [u64; 3] = [
        0x0123_4567_89AB_CDEF,
        0xD1B5_4A32_D192_ED03,
        0x94D0_49BB_1331_11EB,
    ];

    fn table(secret: u64) -> CallTable<u32> {
        CallTable {
            secret,
            ..CallTable::new()
        }
    }

    /// The most steps that any of `operations` takes, and the steps of all.
    fn count<T>(
        table: &mut CallTable<u32>,
        operations: impl IntoIterator<Item = T>,
        mut run: impl FnMut(&mut CallTable<u32>, T),
    ) -> (usize, usize) {
        let (mut most, mut all) = (0, 0);
        for operation in operations {
            table.steps.set(0);
            run(table, operation);
            most = most.max(table.steps.get());
            all += table.steps.get();
        }
        (most, all)
    }

    /// The most steps of any operation, and the average, where so many calls are in
    /// flight whose ids `step` separates.
    fn steps_among(calls: u32, step: u32, secret: u64) -> (usize, usize) {
        let mut table = table(secret);
        let ids: Vec<u32> = (0..calls).map(|number| number * step).collect();
        let places: Vec<CallPlace> = ids
            .iter()
            .map(|&id| table.insert(id, id).unwrap())
            .collect();
        let round = |table: &mut CallTable<u32>, &place: &CallPlace| {
            assert!(table.contains(place.request_id));
            assert!(!table.contains(place.request_id ^ 1 << 30));
            assert!(table.line_up(place));
            assert!(table.first_in_line().is_some());
            assert_eq!(table.remove(place), Some(place.request_id));
            let place = table.insert(place.request_id, place.request_id).unwrap();
            assert!(table.line_up(place));
            assert_eq!(table.remove_id(place.request_id), Some(place.request_id));
            assert!(table.insert(place.request_id, place.request_id).is_some());
        };
        let (most, all) = count(&mut table, &places, round);
        (most, all.div_ceil(places.len()))
    }

    #[test]
    fn a_look_up_takes_as_many_steps_among_many_calls_as_with_one() {
        for secret in SECRETS {
            let (alone, _) = steps_among(1, 2, secret);
            // As they come, and as a peer would have them that leaves calls unanswered
            // whose ids have the same lower bits.
            for step in [2, 1 << 11, 1 << 16] {
                let (most, average) = steps_among(1_024, step, secret);
                assert!(average <= 2 * alone, "{average} steps, {alone} for one");
                assert!(most <= 6 * alone, "{most} steps, {alone} for one");
            }
        }
    }

    #[test]
    fn the_line_is_left_in_the_order_in_which_it_was_joined() {
        let mut table = table(SECRETS[0]);
        let places: Vec<CallPlace> = (0..100).map(|id| table.insert(id, id).unwrap()).collect();
        assert_eq!(table.first_in_line(), None);
        let order = (0..100).map(|number| number * 37 % 100);
        for number in order.clone() {
            assert!(table.line_up(places[number]));
            // A call that stands in line already keeps its place.
            assert!(table.line_up(places[number]));
        }
        for number in order {
            assert_eq!(table.first_in_line(), Some(&(number as u32)));
            assert!(table.remove(places[number]).is_some());
            assert!(!table.line_up(places[number]));
        }
        assert_eq!((table.first_in_line(), table.len()), (None, 0));
    }

    #[test]
    fn a_place_does_not_lead_to_the_next_call_in_its_slot() {
        let mut table = table(SECRETS[0]);
        let first = table.insert(2, 2).unwrap();
        assert!(table.insert(2, 3).is_none(), "one id for two calls");
        assert_eq!(table.remove_id(2), Some(2));
        let second = table.insert(4, 4).unwrap();
        assert_eq!(second.index, first.index);
        assert_eq!(table.remove(first), None);
        assert!(!table.line_up(first));
        assert_eq!(table.remove_id(2), None);
        for id in [0, 1, 3, 5, 4 | 1 << 31, u32::MAX] {
            assert_eq!(table.remove_id(id), None, "the reply to no call");
        }
        assert!(table.contains(4));
        assert_eq!(table.remove_all(), [4]);
        assert_eq!((table.remove(second), table.len()), (None, 0));
    }

    /// Numbers that are the same in each run (xorshift).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 33) as usize % end
        }
    }

    /// A call as the simple model has it: in a list, the oldest first.
    struct Modelled {
        place: CallPlace,
        /// Counts those who have joined the line.
        in_line: Option<usize>,
    }

    fn first_of(model: &[Modelled]) -> Option<u32> {
        let in_line = model.iter().filter(|call| call.in_line.is_some());
        let first = in_line.min_by_key(|call| call.in_line)?;
        Some(first.place.request_id)
    }

    #[test]
    fn it_does_what_a_list_that_is_searched_does() {
        for seed in 1..=20 {
            let mut numbers = Numbers(seed * 0x9E37_79B9);
            let mut table = table(SECRETS[seed as usize % 3] ^ seed);
            let (mut model, mut gone): (Vec<Modelled>, Vec<CallPlace>) = Default::default();
            // Few ids, so that they come again while old places are still asked for.
            let ids = 40 + numbers.below(2_000);
            for turn in 0..4_000 {
                let id = numbers.below(ids) as u32;
                let known = model.iter().position(|call| call.place.request_id == id);
                match numbers.below(6) {
                    0 | 1 => {
                        let place = table.insert(id, id);
                        assert_eq!(place.is_none(), known.is_some());
                        model.extend(place.map(|place| Modelled {
                            place,
                            in_line: None,
                        }));
                    }
                    2 if !model.is_empty() => {
                        let index = numbers.below(model.len());
                        let call = &mut model[index];
                        assert!(table.line_up(call.place));
                        call.in_line.get_or_insert(turn);
                    }
                    3 if !model.is_empty() => {
                        let call = model.remove(numbers.below(model.len()));
                        assert_eq!(table.remove(call.place), Some(call.place.request_id));
                        gone.push(call.place);
                    }
                    4 => {
                        let call = known.map(|index| model.remove(index));
                        assert_eq!(table.remove_id(id), call.as_ref().map(|_| id));
                        gone.extend(call.map(|call| call.place));
                    }
                    _ => {
                        let old = gone.get(numbers.below(gone.len().max(1))).copied();
                        let old = old.filter(|old| {
                            !model
                                .iter()
                                .any(|call| call.place.request_id == old.request_id)
                        });
                        if let Some(old) = old {
                            assert!(!table.line_up(old));
                            assert_eq!(table.remove(old), None);
                        }
                    }
                }
                assert_eq!(table.len(), model.len());
                assert_eq!(table.first_in_line().copied(), first_of(&model));
                let is_known = model.iter().any(|call| call.place.request_id == id);
                assert_eq!(table.contains(id), is_known);
            }
            let mut left = table.remove_all();
            left.sort_unstable();
            let mut expected: Vec<u32> = model.iter().map(|call| call.place.request_id).collect();
            expected.sort_unstable();
            assert_eq!(left, expected);
        }
    }
}
