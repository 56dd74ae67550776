//! The results of a row: few figures of many samples.

use super::rows::Row;
use crate::distribution::Distribution;
use crate::relay::Octets;
use crate::render::microseconds;
use crate::statistics::{self, Spread};
use crate::system::System;

/// The results of a row.
#[derive(Debug, Clone)]
pub(crate) struct RowResult {
    pub(super) row: Row,
    /// The octets of a sample's messages.
    pub(super) octets: Octets,
    /// Those of each system that was measured, raw sockets first.
    pub(super) figures: Vec<Figures>,
}

/// The figures of a system's samples.
#[derive(Debug, Clone)]
pub(crate) struct Figures {
    pub(super) system: System,
    pub(super) rounds: usize,
    /// The median over the rounds of each round's median.
    pub(super) median_ns: u64,
    /// The 99th percentile of all samples, of whichever round.
    pub(super) p99_ns: u64,
    /// Of all samples 999 in 1,000 took no longer.
    pub(super) p999_ns: u64,
    /// The longest of all samples.
    pub(super) max_ns: u64,
    /// The system's median divided by that of raw sockets in the same round. None
    /// for those themselves.
    pub(super) ratio_raw: Option<Spread>,
    /// All samples.
    pub(super) distribution: Distribution,
}

/// Makes figures of each system's samples, round by round. A system without
/// samples has none.
pub(super) fn of(row: Row, octets: Octets, measured: Vec<(System, Vec<Vec<u64>>)>) -> RowResult {
    let mut figures = Vec::new();
    let mut baseline: Option<Vec<u64>> = None;
    for (system, rounds) in measured {
        let median = |round: &Vec<u64>| statistics::median(round.iter().copied());
        let medians: Vec<_> = rounds.iter().filter_map(median).collect();
        let against = baseline.as_ref().filter(|_| system != System::Raw);
        let ratio_raw =
            against.and_then(|raw| Spread::of_ratios(medians.iter().copied(), raw.iter().copied()));
        figures.extend(figures_of(system, &medians, ratio_raw, rounds.concat()));
        if system == System::Raw {
            baseline = Some(medians);
        }
    }
    RowResult {
        row,
        octets,
        figures,
    }
}

fn figures_of(
    system: System,
    medians: &[u64],
    ratio_raw: Option<Spread>,
    samples_ns: Vec<u64>,
) -> Option<Figures> {
    let distribution = Distribution::of(samples_ns)?;
    Some(Figures {
        system,
        rounds: medians.len(),
        median_ns: statistics::median(medians.iter().copied())?,
        p99_ns: distribution.percentile(99.0),
        p999_ns: distribution.percentile(99.9),
        max_ns: distribution.percentile(100.0),
        ratio_raw,
        distribution,
    })
}

impl RowResult {
    /// The figures of a system that was measured.
    pub(super) fn figures(&self, system: System) -> Option<&Figures> {
        self.figures.iter().find(|it| it.system == system)
    }

    /// Whether Taut meets the row's goal; none when that cannot be said.
    pub(super) fn is_met(&self) -> Option<bool> {
        let taut = self.figures(System::Taut)?;
        self.row.goal.is_met(taut.median_ns, taut.median_ratio())
    }

    /// How many times the goal's time Taut takes.
    pub(super) fn times_goal(&self) -> Option<f64> {
        let taut = self.figures(System::Taut)?;
        self.row
            .goal
            .times_goal(taut.median_ns, taut.median_ratio())
    }

    /// Megabytes (10^6 octets) of payload in a second, for a system's median
    /// sample; none where a row is not about payload.
    pub(super) fn mb_s(&self, figures: &Figures) -> Option<f64> {
        let bytes = self.row.kind.bytes()?;
        // Octets in a nanosecond are thousands of megabytes in a second.
        Some(1e3 * statistics::ratio(bytes, figures.median_ns))
    }

    /// The line for somebody who waits for all rows.
    pub(super) fn progress(&self) -> String {
        let mut line = format!("{}: {}", self.row.group.title(), self.row.name);
        for figures in &self.figures {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let time = microseconds(figures.median_ns as f64);
            line += &match figures.ratio_raw {
                Some(ratio) => format!("  {} {time} µs ({:.3})", figures.system, ratio.median),
                None => format!("  {} {time} µs", figures.system),
            };
        }
        line
    }
}

impl Figures {
    /// The median of the ratios to raw sockets.
    pub(super) fn median_ratio(&self) -> Option<f64> {
        self.ratio_raw.map(|ratio| ratio.median)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::goals::kind::Kind;
    use crate::goals::rows;

    /// A result for each row, with made-up samples: raw sockets take a microsecond,
    /// Taut 1.02 times that, omniORB 1.5 times.
    pub(in crate::goals) fn made_up() -> Vec<RowResult> {
        let result = |row: Row| {
            // A batch, which is sent together, is faster than bare sockets.
            let taut = match row.kind {
                Kind::Batched { .. } => 921,
                _ => 1_021,
            };
            let samples = |base: u64| vec![(0..100).map(|step| base + step).collect(); 3];
            let measured = vec![
                (System::Raw, samples(1_000)),
                (System::Taut, samples(taut)),
                (System::Omniorb, samples(1_525)),
            ];
            of(
                row,
                Octets {
                    there: 88,
                    back: 24,
                },
                measured,
            )
        };
        rows::all(64 << 20).into_iter().map(result).collect()
    }

    #[test]
    fn figures_are_of_rounds_and_of_all_samples() {
        let row = rows::all(1 << 20).remove(0);
        let measured = vec![
            (System::Raw, vec![vec![10, 20, 30], vec![10, 10, 10]]),
            (System::Taut, vec![vec![20, 40, 90], vec![20, 30, 40]]),
        ];
        let result = of(row, Octets::default(), measured);
        let taut = result.figures(System::Taut).unwrap();
        assert_eq!((taut.rounds, taut.median_ns), (2, 30));
        assert_eq!((taut.p99_ns, taut.p999_ns, taut.max_ns), (90, 90, 90));
        // 40 to 20 in the first round, 30 to 10 in the second.
        let ratio = taut.ratio_raw.unwrap();
        assert_eq!((ratio.min, ratio.median, ratio.max), (2.0, 2.5, 3.0));
        assert!(result.figures(System::Raw).unwrap().ratio_raw.is_none());
        assert!(result.figures(System::Omniorb).is_none());
        assert_eq!(result.is_met(), Some(false));
    }

    #[test]
    fn throughput_is_of_payload() {
        let made_up = made_up();
        let flood = made_up
            .iter()
            .find(|it| it.row.name == "octets, 1 KiB")
            .unwrap();
        let raw = flood.figures(System::Raw).unwrap();
        let expected = 1e3 * f64::from(64 << 20) / 1_049.0;
        assert!((flood.mb_s(raw).unwrap() - expected).abs() < 1.0);
        assert_eq!(made_up[0].mb_s(raw), None);
    }

    #[test]
    fn without_taut_no_goal_is_judged() {
        let row = rows::all(1 << 20).remove(0);
        let result = of(row, Octets::default(), vec![(System::Raw, vec![vec![10]])]);
        assert_eq!((result.is_met(), result.times_goal()), (None, None));
    }
}
