//! The times of buffers, in rows and a table.

use super::mix::{GLOBAL, POOL};
use crate::case::Transport;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::statistics::{Spread, median, percentile};

/// A line for each size and way.
pub(crate) const LAYOUT: Layout = Layout {
    title: "allocation: {rounds} rounds of {mixes} mixes",
    tables: &[],
    lines: &["bytes", "way"],
    columns: &[
        Column::number("octets", "bytes", 0),
        Column::word("way", "way"),
        Column::number("median ns", "median_ns", 0),
        Column::number("p99 ns", "p99_ns", 0),
        Column::number("max ns", "max_ns", 0),
        Column::spread("of rounds (least-most)", "round_median_ns", 0),
        Column::number("global ÷ pool", "ratio_pool", 2),
    ],
};

/// The row of a way's turns with buffers of one size: times of all buffers of all rounds,
/// and the spread of the rounds' medians. Rounds are in ticks; none without a round.
pub(super) fn row(bytes: usize, way: &str, rounds: Vec<Vec<u64>>, tick_ns: f64) -> Option<Row> {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let ns = |ticks: u64| ticks as f64 * tick_ns;
    let count = rounds.len();
    let medians = rounds
        .iter()
        .filter_map(|round| median(round.iter().copied()));
    let of_rounds = Spread::of(medians.map(ns))?;
    let mut all: Vec<u64> = rounds.into_iter().flatten().collect();
    all.sort_unstable();
    let row = Row::new()
        .with("case", "buffer")
        .with("system", "taut")
        .with("transport", Transport::Local)
        .with("bytes", bytes)
        .with("way", way)
        .with("rounds", count)
        .with("median_ns", ns(percentile(&all, 50)?))
        .with("p99_ns", ns(percentile(&all, 99)?))
        .with("max_ns", ns(*all.last()?));
    Some(row.spread("round_median_ns", Some(of_rounds)))
}

/// Adds to the rows of the global allocator how many times the pool's median theirs is, for
/// buffers of the same size.
pub(super) fn compared(rows: Vec<Row>) -> Vec<Row> {
    let pools: Vec<Row> = (rows.iter())
        .filter(|row| row.is("way", POOL.name))
        .cloned()
        .collect();
    let compare = |row: Row| {
        let same = |pool: &&Row| pool.number("bytes") == row.number("bytes");
        let pool = pools
            .iter()
            .find(same)
            .and_then(|it| it.number("median_ns"));
        let own = row
            .number("median_ns")
            .filter(|_| row.is("way", GLOBAL.name));
        let ratio = own.zip(pool).map(|(own, pool)| own / pool);
        row.with("ratio_pool", ratio)
    };
    rows.into_iter().map(compare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allocator_stands_beside_the_pool() {
        let of = |way, ticks: u64| {
            let rounds = vec![vec![ticks; 10], vec![2 * ticks; 9]];
            row(4_096, way, rounds, 0.5).unwrap()
        };
        let text = LAYOUT.text(&compared(vec![of(POOL.name, 100), of(GLOBAL.name, 300)]));
        let lines: Vec<Vec<&str>> = (text.lines().skip(2))
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            lines[0],
            ["4096", "pool", "50", "100", "100", "75", "(50-100)", "-"]
        );
        assert_eq!(
            lines[1],
            [
                "4096",
                "global",
                "150",
                "300",
                "300",
                "225",
                "(150-300)",
                "3.00"
            ]
        );
        assert!(row(1, POOL.name, Vec::new(), 0.5).is_none());
    }
}
