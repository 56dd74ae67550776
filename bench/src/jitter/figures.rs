//! Few numbers for the turns of a system.

use taut_sys::usage::Usage;

use crate::histogram::Histogram;
use crate::statistics::{median, per_myriad};
use crate::system::System;

/// The samples and the usage of a turn.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// Of client and server together, while the calls were made.
    pub(super) usage: Usage,
    pub(super) samples_ns: Vec<u64>,
}

/// The percentiles that are shown, in ten-thousandths; the last is the maximum.
pub(super) const SHARES: [usize; 6] = [5_000, 9_000, 9_900, 9_990, 9_999, 10_000];

/// The names of the percentiles.
pub(super) const SHARE_NAMES: [&str; 6] = ["p50", "p90", "p99", "p99.9", "p99.99", "max"];

/// The figures of a system's turns.
#[derive(Debug, Clone)]
pub(super) struct Figures {
    pub(super) system: System,
    /// How many turns there were.
    pub(super) rounds: usize,
    /// How many calls, in all of them.
    pub(super) calls: u64,
    /// The median of each turn.
    pub(super) medians_ns: Vec<u64>,
    /// Of the samples of all turns together, in the order of [`SHARES`].
    pub(super) percentiles_ns: [u64; SHARES.len()],
    pub(super) histogram: Histogram,
    /// In all turns.
    pub(super) usage: Usage,
    /// On the client's heap for a call; absent where the client does not count.
    pub(super) allocations: Option<f64>,
}

impl Figures {
    /// None when there are no samples.
    pub(super) fn of(system: System, turns: Vec<Turn>, allocations: Option<f64>) -> Option<Self> {
        let medians_ns: Option<Vec<u64>> = (turns.iter())
            .map(|turn| median(turn.samples_ns.iter().copied()))
            .collect();
        let none = Usage::default();
        let usage = turns.iter().fold(none, |sum, turn| sum.and(turn.usage));
        let rounds = turns.len();
        let mut samples_ns: Vec<u64> = turns.into_iter().flat_map(|turn| turn.samples_ns).collect();
        samples_ns.sort_unstable();
        let mut percentiles_ns = [0; SHARES.len()];
        for (percentile, share) in percentiles_ns.iter_mut().zip(SHARES) {
            *percentile = per_myriad(&samples_ns, share)?;
        }
        Some(Self {
            system,
            rounds,
            calls: samples_ns.len() as u64,
            medians_ns: medians_ns?,
            percentiles_ns,
            histogram: Histogram::of(&samples_ns),
            usage,
            allocations,
        })
    }

    /// How often something happened in a million calls.
    pub(super) fn per_million(&self, count: u64) -> f64 {
        1e6 * crate::statistics::ratio(count, self.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_all_turns_together() {
        let turn = |samples: std::ops::RangeInclusive<u64>| Turn {
            usage: Usage {
                minor_faults: 3,
                ..Usage::default()
            },
            samples_ns: samples.rev().collect(),
        };
        let turns = vec![turn(1..=5_000), turn(5_001..=10_000)];
        let figures = Figures::of(System::Taut, turns, Some(0.0)).unwrap();
        let expected = [5_000, 9_000, 9_900, 9_990, 9_999, 10_000];
        assert_eq!(figures.percentiles_ns, expected);
        assert_eq!(figures.medians_ns, [2_500, 7_500]);
        assert_eq!((figures.rounds, figures.calls), (2, 10_000));
        assert_eq!(figures.usage.minor_faults, 6);
        assert!((figures.per_million(6) - 600.0).abs() < 1e-9);
        assert!(Figures::of(System::Taut, Vec::new(), None).is_none());
    }
}
