//! In which order a client calls its objects.

use std::str::FromStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::error::BenchError;

/// The calls of a train.
const TRAIN_CALLS: u32 = 100;

/// An order of calls to many objects. omniORB's client has the same,
/// `interop/peers/omniorb/scalability_client.cc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// 100 calls to an object, then as many to the next.
    Train,
    /// One call to an object, then one to the next.
    RoundRobin,
    /// Each call to any object.
    Random,
    /// All calls to the object that was activated last: the worst case of a
    /// linear search.
    Last,
    /// All calls to the object that was activated first: the worst case of a hash
    /// table that puts new entries in front of those with the same hash.
    First,
}

crate::options::display_as_option!(Order);

impl FromStr for Order {
    type Err = BenchError;

    fn from_str(word: &str) -> Result<Self, BenchError> {
        ValueEnum::from_str(word, false).map_err(|_| BenchError::request(word))
    }
}

/// Which object is called next.
#[derive(Debug)]
pub(crate) struct Cursor {
    order: Order,
    objects: usize,
    place: usize,
    /// The calls of this train so far.
    called: u32,
    /// Of Marsaglia's xorshift; never 0.
    state: u32,
}

impl Cursor {
    /// A cursor over so many objects, at least one.
    pub(crate) fn new(objects: usize) -> Self {
        Self {
            order: Order::RoundRobin,
            objects,
            place: 0,
            called: 0,
            state: 2_463_534_242,
        }
    }

    /// Goes on in another order, from the object that it is at.
    pub(crate) fn select(&mut self, order: Order) {
        self.order = order;
    }

    /// The place of the object that the next call goes to.
    pub(crate) fn next(&mut self) -> usize {
        match self.order {
            Order::Train => {
                self.called += 1;
                if self.called > TRAIN_CALLS {
                    self.called = 1;
                    self.advance();
                }
                self.place
            }
            Order::RoundRobin => {
                self.advance();
                self.place
            }
            Order::Random => {
                self.state ^= self.state << 13;
                self.state ^= self.state >> 17;
                self.state ^= self.state << 5;
                // The upper half of the product is below the number of objects.
                usize::try_from((u64::from(self.state) * self.objects as u64) >> 32).unwrap_or(0)
            }
            Order::Last => self.objects - 1,
            Order::First => 0,
        }
    }

    fn advance(&mut self) {
        self.place += 1;
        if self.place == self.objects {
            self.place = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(order: Order, objects: usize, calls: usize) -> Vec<usize> {
        let mut cursor = Cursor::new(objects);
        cursor.select(order);
        (0..calls).map(|_| cursor.next()).collect()
    }

    #[test]
    fn orders_are_read_as_they_are_written() {
        for &order in Order::value_variants() {
            assert_eq!(order.to_string().parse::<Order>().unwrap(), order);
        }
        assert!("worst".parse::<Order>().is_err());
    }

    #[test]
    fn a_train_stays_and_round_robin_does_not() {
        assert_eq!(places(Order::RoundRobin, 3, 5), [1, 2, 0, 1, 2]);
        let train = places(Order::Train, 2, 250);
        let expected: Vec<_> = [0, 1, 0].iter().flat_map(|&place| [place; 100]).collect();
        assert_eq!(train, expected[..250]);
    }

    #[test]
    fn random_places_reach_every_object_about_as_often() {
        let mut counts = [0; 10];
        for place in places(Order::Random, 10, 10_000) {
            counts[place] += 1;
        }
        assert!(
            counts.iter().all(|count| (850..1_150).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn the_ends_are_the_first_and_the_last_activated() {
        assert_eq!(places(Order::Last, 7, 2), [6, 6]);
        assert_eq!(places(Order::First, 7, 2), [0, 0]);
    }

    #[test]
    fn one_object_is_called_in_every_order() {
        for &order in Order::value_variants() {
            assert_eq!(places(order, 1, 201), [0; 201], "{order}");
        }
    }
}
