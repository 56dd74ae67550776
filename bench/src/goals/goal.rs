//! The goals of rows.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The goal that Taut is to reach in a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    /// At most so many times the time of raw sockets.
    TimesRaw(f64),
    /// At least this share of the throughput of raw sockets.
    ShareOfRaw(f64),
    /// A median of at most so many nanoseconds, whatever raw sockets take.
    MedianNs(u64),
}

impl Goal {
    /// Whether it is met by a median time, and its ratio to that of raw sockets in
    /// the same rounds. None when that ratio would be needed.
    pub(super) fn is_met(self, median_ns: u64, ratio_raw: Option<f64>) -> Option<bool> {
        match self {
            Self::TimesRaw(most) => ratio_raw.map(|ratio| ratio <= most),
            Self::ShareOfRaw(least) => ratio_raw.map(|ratio| ratio * least <= 1.0),
            Self::MedianNs(most) => Some(median_ns <= most),
        }
    }

    /// How many times the goal's time a row takes: at most 1 where it is met.
    pub(super) fn times_goal(self, median_ns: u64, ratio_raw: Option<f64>) -> Option<f64> {
        match self {
            Self::TimesRaw(most) => ratio_raw.map(|ratio| ratio / most),
            Self::ShareOfRaw(least) => ratio_raw.map(|ratio| ratio * least),
            Self::MedianNs(most) => Some(crate::statistics::ratio(median_ns, most)),
        }
    }

    /// How many times the time of raw sockets the goal allows; none where it does
    /// not depend on them.
    pub(super) fn most_times_raw(self) -> Option<f64> {
        match self {
            Self::TimesRaw(most) => Some(most),
            Self::ShareOfRaw(least) => Some(1.0 / least),
            Self::MedianNs(_) => None,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TimesRaw(most) => write!(f, "≤ {most:.2} × raw"),
            Self::ShareOfRaw(least) => write!(f, "≥ {least:.2} of raw"),
            Self::MedianNs(most) => {
                let whole = most / 1_000;
                match most % 1_000 {
                    0 => write!(f, "≤ {whole} µs"),
                    _ => write!(f, "≤ {most} ns"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_up_to_its_limit() {
        let times = Goal::TimesRaw(1.05);
        assert_eq!(times.is_met(1, Some(1.05)), Some(true));
        assert_eq!(times.is_met(1, Some(1.051)), Some(false));
        assert_eq!(times.is_met(1, None), None);
        // A share of 0.9 allows 1 / 0.9 times the time.
        let share = Goal::ShareOfRaw(0.9);
        assert_eq!(share.is_met(1, Some(1.11)), Some(true));
        assert_eq!(share.is_met(1, Some(1.12)), Some(false));
        let median = Goal::MedianNs(10_000);
        assert_eq!(median.is_met(10_000, None), Some(true));
        assert_eq!(median.is_met(10_001, Some(0.1)), Some(false));
    }

    #[test]
    fn the_distance_from_a_goal_is_one_at_its_limit() {
        let times = Goal::TimesRaw(1.25).times_goal(1, Some(2.5));
        let share = Goal::ShareOfRaw(0.5).times_goal(1, Some(4.0));
        let median = Goal::MedianNs(10).times_goal(20, None);
        assert_eq!((times, share, median), (Some(2.0), Some(2.0), Some(2.0)));
        assert_eq!(Goal::TimesRaw(1.25).times_goal(1, None), None);
    }

    #[test]
    fn goals_can_be_read() {
        let goals = [
            Goal::TimesRaw(1.03),
            Goal::ShareOfRaw(0.9),
            Goal::MedianNs(10_000),
            Goal::MedianNs(1_500),
        ];
        let texts = goals.map(|goal| goal.to_string());
        assert_eq!(
            texts,
            ["≤ 1.03 × raw", "≥ 0.90 of raw", "≤ 10 µs", "≤ 1500 ns"]
        );
    }
}
