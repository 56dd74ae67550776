//! Results: how each strategy compares with blocking.

use std::fmt::Write;

use serde::Serialize;

use super::scene::Scene;
use super::strategy::Strategy;
use crate::case::Transport;
use crate::protocol::Summary;
use crate::statistics::{self, Spread};
use crate::table::{align, microseconds};

/// How much worse than blocking a strategy may be that is to suit everybody.
const TOLERANCE: f64 = 1.03;

/// The result of one strategy in one scene. Fields that do not apply are absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Record {
    bench: &'static str,
    scene: Scene,
    transport: Transport,
    strategy: Strategy,
    rounds: usize,
    /// The medians over the rounds of each round's median, 99th percentile and mean.
    median_ns: u64,
    p99_ns: u64,
    mean_ns: u64,
    /// The median over the rounds of (this strategy's median ÷ that of blocking in the
    /// same round), and the least and the greatest.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_block: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_max: Option<f64>,
    /// The same of means, into which goes what single calls wait for long.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_ratio_block: Option<f64>,
}

impl Record {
    /// The records of strategies that took turns.
    pub(super) fn list(
        scene: Scene,
        transport: Transport,
        strategies: &[Strategy],
        rounds: &[Vec<Summary>],
    ) -> Vec<Self> {
        let block = strategies
            .iter()
            .position(|&strategy| strategy == Strategy::Block);
        let baseline = block.map(|place| &rounds[place]);
        let record = |(&strategy, rounds): (&Strategy, &Vec<Summary>)| {
            let middle = |of: fn(&Summary) -> u64| statistics::median(rounds.iter().map(of));
            let ratios = |of: fn(&Summary) -> u64| {
                Spread::of_ratios(rounds.iter().map(of), baseline?.iter().map(of))
            };
            let is_compared = strategy != Strategy::Block;
            let medians = ratios(|round| round.median_ns).filter(|_| is_compared);
            let means = ratios(|round| round.mean_ns).filter(|_| is_compared);
            Some(Self {
                bench: "waiting",
                scene,
                transport,
                strategy,
                rounds: rounds.len(),
                median_ns: middle(|round| round.median_ns)?,
                p99_ns: middle(|round| round.p99_ns)?,
                mean_ns: middle(|round| round.mean_ns)?,
                ratio_block: medians.map(|spread| spread.median),
                ratio_min: medians.map(|spread| spread.min),
                ratio_max: medians.map(|spread| spread.max),
                mean_ratio_block: means.map(|spread| spread.median),
            })
        };
        strategies.iter().zip(rounds).filter_map(record).collect()
    }

    /// The greater of the two ratios.
    fn worst(&self) -> Option<f64> {
        Some(self.ratio_block?.max(self.mean_ratio_block?))
    }
}

/// A line for each strategy.
pub(super) fn table(records: &[Record]) -> String {
    let headings = [
        "strategy",
        "median µs",
        "p99 µs",
        "mean µs",
        "× block (least-most)",
        "mean × block",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    rows.extend(records.iter().map(|record| {
        let spread = match (record.ratio_block, record.ratio_min, record.ratio_max) {
            (Some(median), Some(min), Some(max)) => format!("{median:.3} ({min:.3}-{max:.3})"),
            _ => "baseline".to_owned(),
        };
        let mean = record.mean_ratio_block;
        vec![
            record.strategy.to_string(),
            microseconds(record.median_ns),
            microseconds(record.p99_ns),
            microseconds(record.mean_ns),
            spread,
            mean.map_or_else(String::new, |mean| format!("{mean:.3}")),
        ]
    }));
    align(&rows, &[0, 4])
}

/// Where each strategy of Taut's is farthest from blocking.
pub(super) fn farthest(records: &[Record]) -> String {
    let mut text = String::new();
    for strategy in [Strategy::Adaptive, Strategy::Spin] {
        let of_it = records.iter().filter(|record| record.strategy == strategy);
        let worst = of_it
            .filter_map(|record| Some((record.worst()?, record)))
            .max_by(|(one, _), (other, _)| one.total_cmp(other));
        if let Some((ratio, record)) = worst {
            let verdict = match ratio <= TOLERANCE {
                true => "nowhere worse than blocking by more than 3 %",
                false => "worse than blocking",
            };
            let (scene, transport) = (record.scene, record.transport);
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{strategy}: {verdict}; at the most {ratio:.3} times ({scene} over {transport})"
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(medians_and_means_ns: &[(u64, u64)]) -> Vec<Summary> {
        let summary = |&(median_ns, mean_ns): &(u64, u64)| Summary {
            median_ns,
            p99_ns: 2 * median_ns,
            min_ns: 1,
            max_ns: 1_000_000,
            mean_ns,
        };
        medians_and_means_ns.iter().map(summary).collect()
    }

    #[test]
    fn ratios_are_those_to_blocking_in_the_same_round() {
        let strategies = [Strategy::Spin, Strategy::Block];
        let measured = [rounds(&[(20, 10), (10, 10)]), rounds(&[(10, 10), (20, 5)])];
        let records = Record::list(Scene::Split, Transport::Tcp, &strategies, &measured);
        assert_eq!(records[0].ratio_block, Some(1.25));
        assert_eq!(
            (records[0].ratio_min, records[0].ratio_max),
            (Some(0.5), Some(2.0))
        );
        assert_eq!(records[0].mean_ratio_block, Some(1.5));
        assert_eq!(records[1].ratio_block, None);
        let expected = "spin: worse than blocking; at the most 1.500 times (split over tcp)\n";
        assert_eq!(farthest(&records), expected);
    }

    #[test]
    fn without_blocking_there_are_no_ratios() {
        let measured = [rounds(&[(20, 10)])];
        let records = Record::list(Scene::Same, Transport::Unix, &[Strategy::Spin], &measured);
        assert_eq!(records[0].ratio_block, None);
        assert_eq!(farthest(&records), "");
        assert!(table(&records).contains("baseline"));
    }
}
