//! How each strategy compares with blocking.

use std::fmt::Write;

use super::scene::Scene;
use super::strategy::Strategy;
use crate::case::Transport;
use crate::protocol::Summary;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::statistics::{self, Spread};

/// How much worse than blocking a strategy may be that is to suit everybody.
const TOLERANCE: f64 = 1.03;

/// A table for each scene and transport.
pub(crate) const LAYOUT: Layout = Layout {
    title: "{scene} over {transport}: {rounds} rounds of {samples} samples of {calls} calls",
    tables: &["scene", "transport"],
    lines: &["strategy"],
    columns: &[
        Column::word("strategy", "strategy"),
        Column::micros("median µs", "median_ns"),
        Column::micros("p99 µs", "p99_ns"),
        Column::micros("mean µs", "mean_ns"),
        Column::with("× block (least-most)", ratio).left(),
        Column::with("mean × block", mean_ratio),
    ],
};

fn ratio(row: &Row) -> Option<String> {
    let ratio = row.get_spread("ratio_block");
    Some(ratio.map_or_else(|| "baseline".to_owned(), |it| it.to_string()))
}

fn mean_ratio(row: &Row) -> Option<String> {
    let ratio = row.number("mean_ratio_block");
    Some(ratio.map_or_else(String::new, |ratio| format!("{ratio:.3}")))
}

/// The rows of strategies that took turns: medians over the rounds, and ratios to blocking
/// in the same round, also of means, into which goes what single calls wait for long.
pub(super) fn rows(
    scene: Scene,
    transport: Transport,
    strategies: &[Strategy],
    rounds: &[Vec<Summary>],
) -> Vec<Row> {
    let mut block = strategies.iter().zip(rounds);
    let block = block.find(|(strategy, _)| **strategy == Strategy::Block);
    let row = |(&strategy, rounds): (&Strategy, &Vec<Summary>)| {
        let means = |rounds: &[Summary]| rounds.iter().map(|it| it.mean_ns).collect::<Vec<_>>();
        let block = block.filter(|_| strategy != Strategy::Block);
        let block = block.map(|(_, rounds)| &**rounds);
        let mean_ratios = block.and_then(|it| Spread::of_ratios(means(rounds), means(it)));
        let row = Row::of_rounds(rounds)?
            .with("scene", scene)
            .with("transport", transport)
            .with("strategy", strategy)
            .with("mean_ns", statistics::median(means(rounds)));
        let row = row.ratio("ratio_block", rounds, block);
        Some(row.spread("mean_ratio_block", mean_ratios))
    };
    strategies.iter().zip(rounds).filter_map(row).collect()
}

/// Where each strategy of Taut's is farthest from blocking.
pub(super) fn farthest(rows: &[Row]) -> String {
    let worst = |row: &Row| {
        Some(
            row.number("ratio_block")?
                .max(row.number("mean_ratio_block")?),
        )
    };
    let mut text = String::new();
    for strategy in [Strategy::Adaptive, Strategy::Spin] {
        let strategy = strategy.to_string();
        let of_it = rows.iter().filter(|row| row.is("strategy", &strategy));
        let worst = of_it
            .filter_map(|row| Some((worst(row)?, row)))
            .max_by(|(one, _), (other, _)| one.total_cmp(other));
        if let Some((ratio, row)) = worst {
            let verdict = match ratio <= TOLERANCE {
                true => "nowhere worse than blocking by more than 3 %",
                false => "worse than blocking",
            };
            let (scene, transport) = (row.text("scene"), row.text("transport"));
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
        let rows = rows(Scene::Split, Transport::Tcp, &strategies, &measured);
        let ratio = rows[0].get_spread("ratio_block").unwrap();
        assert_eq!((ratio.median, ratio.min, ratio.max), (1.25, 0.5, 2.0));
        assert_eq!(rows[0].number("mean_ratio_block"), Some(1.5));
        assert_eq!(rows[1].number("ratio_block"), None);
        let expected = "spin: worse than blocking; at the most 1.500 times (split over tcp)\n";
        assert_eq!(farthest(&rows), expected);
    }

    #[test]
    fn without_blocking_there_are_no_ratios() {
        let measured = [rounds(&[(20, 10)])];
        let rows = rows(Scene::Same, Transport::Unix, &[Strategy::Spin], &measured);
        assert_eq!(rows[0].number("ratio_block"), None);
        assert_eq!(farthest(&rows), "");
        assert!(LAYOUT.text(&rows).contains("baseline"));
    }
}
