//! The calls of a turn: how many there are, and how many are under way at once.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::error::BenchError;
use crate::protocol::{CALLS_MAX, Calls, Request};

/// So many calls, of which so many are under way at once. Clients are told of it as a kind of
/// calls, and a sample of that kind is all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flight {
    /// At least 1.
    pub(crate) in_flight: u32,
    /// At least 1.
    pub(crate) calls: u32,
}

impl Flight {
    /// The calls of the first turn of a client, of which nobody knows how fast it is.
    pub(crate) fn first(in_flight: u32) -> Self {
        Self::of_at_least(in_flight, 100)
    }

    /// Twice as many calls as are under way at once, or so many if that is more: with fewer,
    /// a turn would be all beginning and end.
    fn of_at_least(in_flight: u32, calls: u32) -> Self {
        Self {
            in_flight,
            calls: calls.max(in_flight.saturating_mul(2)).min(CALLS_MAX),
        }
    }

    /// As many calls as take so long, when these have taken `taken_ns`.
    pub(crate) fn lasting(self, turn: Duration, taken_ns: u64) -> Self {
        let calls = u128::from(self.calls) * turn.as_nanos() / u128::from(taken_ns.max(1));
        let calls = u32::try_from(calls).unwrap_or(u32::MAX);
        Self::of_at_least(self.in_flight, calls)
    }

    /// The calls of a second, when these have taken so long.
    pub(crate) fn calls_per_s(self, taken_ns: u64) -> f64 {
        f64::from(self.calls) / Duration::from_nanos(taken_ns.max(1)).as_secs_f64()
    }
}

/// `IN_FLIGHT CALLS`, as clients of all systems understand it.
impl fmt::Display for Flight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.in_flight, self.calls)
    }
}

impl FromStr for Flight {
    type Err = BenchError;

    fn from_str(kind: &str) -> Result<Self, BenchError> {
        let number = |text: &str| text.parse().ok().filter(|n| (1..=CALLS_MAX).contains(n));
        let numbers = kind.split_once(' ');
        let flight = numbers.and_then(|(in_flight, calls)| {
            Some(Self {
                in_flight: number(in_flight)?,
                calls: number(calls)?,
            })
        });
        flight.ok_or_else(|| BenchError::request(&Request::Select(kind.to_owned()).to_string()))
    }
}

/// A client whose samples are flights, each made by a closure.
pub(crate) struct Flights<F> {
    flight: Option<Flight>,
    fly: F,
}

impl<F: FnMut(Flight) -> Result<(), BenchError>> Flights<F> {
    /// Flights made by `fly`; the first has to be selected.
    pub(crate) fn new(fly: F) -> Self {
        Self { flight: None, fly }
    }
}

impl<F: FnMut(Flight) -> Result<(), BenchError>> Calls for Flights<F> {
    fn select(&mut self, kind: &str) -> Result<(), BenchError> {
        self.flight = Some(kind.parse()?);
        Ok(())
    }

    fn call(&mut self) -> Result<(), BenchError> {
        let flight = self.flight.ok_or_else(|| BenchError::request("run"))?;
        (self.fly)(flight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flight(in_flight: u32, calls: u32) -> Flight {
        Flight { in_flight, calls }
    }

    #[test]
    fn a_flight_is_read_as_it_is_written() {
        let written = flight(256, 1_000).to_string();
        assert_eq!(written.parse::<Flight>().unwrap(), flight(256, 1_000));
        for kind in ["", "1", "1 ", "0 1", "1 0", "1 2 3", "1 100000001", "a b"] {
            assert!(kind.parse::<Flight>().is_err(), "{kind:?}");
        }
    }

    #[test]
    fn a_turn_has_as_many_calls_as_its_time_allows() {
        let second = Duration::from_secs(1);
        let fast = flight(16, 100).lasting(second, 1_000);
        assert_eq!(fast, flight(16, CALLS_MAX));
        let even = flight(16, 100).lasting(second, 1_000_000);
        assert_eq!(even, flight(16, 100_000));
        let slow = flight(16, 100).lasting(second, 1_000_000_000_000);
        assert_eq!(slow, flight(16, 32));
        assert_eq!(flight(16, 100).lasting(second, 0), flight(16, CALLS_MAX));
        assert_eq!(Flight::first(1), flight(1, 100));
        assert_eq!(Flight::first(256), flight(256, 512));
    }

    #[test]
    fn calls_are_counted_by_the_second() {
        let calls = flight(1, 500).calls_per_s(1_000_000);
        assert!((calls - 500_000.0).abs() < 1e-3);
    }

    #[test]
    fn a_sample_is_the_flight_that_was_selected() {
        let mut flown = Vec::new();
        let mut flights = Flights::new(|flight| {
            flown.push(flight);
            Ok(())
        });
        assert!(flights.call().is_err());
        flights.select("2 9").unwrap();
        flights.call().unwrap();
        flights.call().unwrap();
        assert!(flights.select("2").is_err());
        assert_eq!(flown, [flight(2, 9), flight(2, 9)]);
    }
}
