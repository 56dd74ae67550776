//! Few numbers for the turns of a system.

use taut_sys::usage::Usage;

use crate::distribution::Distribution;
use crate::statistics::median;
use crate::system::System;

/// The samples and the usage of a turn.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// Of client and server together, while the calls were made.
    pub(super) usage: Usage,
    pub(super) samples_ns: Vec<u64>,
}

/// The percentiles that are shown; the last is the maximum.
pub(super) const SHARES: [f64; 6] = [50.0, 90.0, 99.0, 99.9, 99.99, 100.0];

/// The figures of a system's turns.
#[derive(Debug, Clone)]
pub(super) struct Figures {
    pub(super) system: System,
    /// How many turns there were.
    pub(super) rounds: usize,
    /// The median of each turn.
    pub(super) medians_ns: Vec<u64>,
    /// The samples of all turns together.
    pub(super) distribution: Distribution,
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
        Some(Self {
            system,
            rounds,
            medians_ns: medians_ns?,
            distribution: Distribution::of(turns.into_iter().flat_map(|turn| turn.samples_ns))?,
            usage,
            allocations,
        })
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
        let percentiles = SHARES.map(|share| figures.distribution.percentile(share));
        assert_eq!(percentiles, expected);
        assert_eq!(figures.medians_ns, [2_500, 7_500]);
        assert_eq!((figures.rounds, figures.distribution.count()), (2, 10_000));
        assert_eq!(figures.usage.minor_faults, 6);
        assert!(Figures::of(System::Taut, Vec::new(), None).is_none());
    }
}
