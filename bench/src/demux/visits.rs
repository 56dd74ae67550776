//! The order in which entries are looked up.

use std::hint::black_box;

/// The visits of a case in their order. They lie behind one another in memory, as
/// messages arrive: so what reading them costs does not depend on what they lead to.
#[derive(Debug, Default)]
pub(crate) struct Visits {
    octets: Vec<u8>,
    /// Where each visit's key ends, and its operation.
    ends: Vec<(usize, usize)>,
}

impl Visits {
    /// Visits of these pairs of key and operation.
    pub(crate) fn of<'a>(pairs: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let mut visits = Self::default();
        for (key, operation) in pairs {
            visits.octets.extend(key);
            let key_end = visits.octets.len();
            visits.octets.extend(operation);
            visits.ends.push((key_end, visits.octets.len()));
        }
        visits
    }

    /// How many they are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |&(key_end, end)| {
            let pair = (&self.octets[start..key_end], &self.octets[key_end..end]);
            start = end;
            pair
        })
    }
}

/// Look-ups that can be made over and over.
pub(crate) trait LookUps {
    /// Makes `rounds` times all visits, and says how many have succeeded.
    fn look_up(&self, rounds: usize) -> usize;

    /// How many visits are made in a round.
    fn len(&self) -> usize;
}

/// Visits, and what each of them does.
pub(crate) struct Walk<F> {
    visits: Visits,
    look: F,
}

impl<F: Fn(&[u8], &[u8]) -> bool> Walk<F> {
    pub(crate) fn boxed<'w>(visits: Visits, look: F) -> Box<dyn LookUps + 'w>
    where
        F: 'w,
    {
        Box::new(Self { visits, look })
    }
}

impl<F: Fn(&[u8], &[u8]) -> bool> LookUps for Walk<F> {
    fn look_up(&self, rounds: usize) -> usize {
        let mut found = 0;
        for _ in 0..rounds {
            for (key, operation) in self.visits.iter() {
                found += usize::from((self.look)(black_box(key), black_box(operation)));
            }
        }
        found
    }

    fn len(&self) -> usize {
        self.visits.len()
    }
}

/// The function whose instructions valgrind counts; it must keep its name.
#[inline(never)]
pub(crate) fn look_up_counted(look_ups: &dyn LookUps, rounds: usize) -> usize {
    look_ups.look_up(rounds)
}

/// Numbers in no order, always the same.
pub(crate) struct Shuffle(u64);

impl Shuffle {
    pub(crate) fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        // Xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    /// Puts things into no order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_made_in_their_order() {
        let pairs: [(&[u8], &[u8]); 3] = [(b"key", b"op"), (b"", b"x"), (b"other", b"")];
        let visits = Visits::of(pairs);
        assert_eq!(visits.iter().collect::<Vec<_>>(), pairs);
        let walk = Walk::boxed(visits, |key, _| !key.is_empty());
        assert_eq!((walk.len(), walk.look_up(5)), (3, 10));
    }

    #[test]
    fn what_is_shuffled_is_all_there() {
        let mut numbers: Vec<usize> = (0..1_000).collect();
        Shuffle::new().shuffle(&mut numbers);
        assert!(!numbers.is_sorted());
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..1_000));
    }
}
