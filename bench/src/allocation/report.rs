//! The times of buffers, for people and for programs.

use serde::Serialize;

use super::mix::{GLOBAL, POOL};
use crate::case::Transport;
use crate::statistics::{Spread, median, percentile};
use crate::system::System;
use crate::table::align;

/// The results of a way's turns with buffers of one size, in nanoseconds.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Outcome {
    bytes: usize,
    way: &'static str,
    rounds: usize,
    /// Of all buffers of all rounds.
    median_ns: f64,
    p99_ns: f64,
    max_ns: f64,
    /// The least and the greatest median of a round.
    round_min_ns: f64,
    round_max_ns: f64,
}

impl Outcome {
    /// Of times in ticks; none without a round.
    pub(super) fn of(
        bytes: usize,
        way: &'static str,
        rounds: Vec<Vec<u64>>,
        tick_ns: f64,
    ) -> Option<Self> {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let ns = |ticks: u64| ticks as f64 * tick_ns;
        let count = rounds.len();
        let medians = rounds
            .iter()
            .filter_map(|round| median(round.iter().copied()));
        let of_rounds = Spread::of(medians.map(ns))?;
        let mut all: Vec<u64> = rounds.into_iter().flatten().collect();
        all.sort_unstable();
        Some(Self {
            bytes,
            way,
            rounds: count,
            median_ns: ns(percentile(&all, 50)?),
            p99_ns: ns(percentile(&all, 99)?),
            max_ns: ns(*all.last()?),
            round_min_ns: of_rounds.min,
            round_max_ns: of_rounds.max,
        })
    }
}

/// A line for each size and way.
pub(super) fn render(outcomes: &[Outcome]) -> String {
    let headings = [
        "octets",
        "way",
        "median ns",
        "p99 ns",
        "max ns",
        "median of a round (least-most)",
        "global ÷ pool",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    rows.extend(outcomes.iter().map(|it| {
        let times = [it.median_ns, it.p99_ns, it.max_ns].map(|ns| format!("{ns:.0}"));
        let [median, p99, max] = times;
        vec![
            it.bytes.to_string(),
            it.way.to_owned(),
            median,
            p99,
            max,
            format!("{:.0}-{:.0}", it.round_min_ns, it.round_max_ns),
            ratio(it, outcomes).map_or_else(String::new, |ratio| format!("{ratio:.2}")),
        ]
    }));
    align(&rows, &[1])
}

/// How many times the pool's median that of the global allocator is, for buffers of the
/// same size.
fn ratio(outcome: &Outcome, all: &[Outcome]) -> Option<f64> {
    let pool = |it: &&Outcome| it.bytes == outcome.bytes && it.way == POOL.name;
    let pool = all.iter().find(pool)?;
    (outcome.way == GLOBAL.name).then(|| outcome.median_ns / pool.median_ns)
}

/// The results of a way, and its name.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    bench: &'static str,
    case: &'static str,
    system: System,
    transport: Transport,
    #[serde(flatten)]
    outcome: Outcome,
    /// How many times the pool's median, with the global allocator.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_pool: Option<f64>,
}

/// A record for each size and way.
pub(super) fn records(outcomes: &[Outcome]) -> Vec<Record> {
    let record = |it: &Outcome| Record {
        bench: "allocation",
        case: "buffer",
        system: System::Taut,
        transport: Transport::Local,
        outcome: it.clone(),
        ratio_pool: ratio(it, outcomes),
    };
    outcomes.iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allocator_stands_beside_the_pool() {
        let outcome = |way, ticks: u64| {
            let rounds = vec![vec![ticks; 10], vec![2 * ticks; 9]];
            Outcome::of(4_096, way, rounds, 0.5).unwrap()
        };
        let text = render(&[outcome(POOL.name, 100), outcome(GLOBAL.name, 300)]);
        let lines: Vec<&str> = text.lines().collect();
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            words(lines[1]),
            ["4096", "pool", "50", "100", "100", "50-100"]
        );
        assert_eq!(
            words(lines[2]),
            ["4096", "global", "150", "300", "300", "150-300", "3.00"]
        );
        assert!(Outcome::of(1, POOL.name, Vec::new(), 0.5).is_none());
    }
}
