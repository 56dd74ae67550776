//! The cost of many servants, in rows and tables.

use super::order::Order;
use crate::case::{Case, Transport};
use crate::driver::Outcome;
use crate::placement::Mode;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::system::System;

/// The calls of a client in one order.
pub(crate) struct Measured {
    pub(crate) order: Order,
    /// How many servants it called; raw sockets have none.
    pub(crate) servants: Option<u32>,
    pub(crate) outcome: Outcome,
}

/// A table for each order: a line for each number of servants, and for each system with
/// servants its columns.
pub(crate) const LAYOUT: Layout = Layout {
    title: "order {order}, mode {mode}: {rounds} rounds of {calls} calls",
    tables: &["order"],
    lines: &["servants"],
    columns: &[
        Column::number("servants", "servants", 0),
        Column::micros("taut µs", "median_ns").of("system", "taut"),
        Column::number("× raw", "ratio_raw", 3).of("system", "taut"),
        Column::spread("× 1 servant (least-most)", "ratio_one", 3).of("system", "taut"),
        Column::micros("omniorb µs", "median_ns").of("system", "omniorb"),
        Column::number("× raw", "ratio_raw", 3).of("system", "omniorb"),
        Column::spread("× 1 servant (least-most)", "ratio_one", 3).of("system", "omniorb"),
    ],
};

/// A line for each system and order.
const VERDICTS: Layout = Layout {
    title: "Flat within {flat_percent} % of one servant:",
    tables: &[],
    lines: &["system", "order"],
    columns: &[
        Column::word("system", "system"),
        Column::with("order", |row| Some(row.text("order"))).left(),
        Column::number("farthest from 1", "ratio_one", 3),
        Column::number("servants", "servants", 0),
        Column::word("flat", "flat"),
    ],
};

/// The rows of what was measured in the same rounds, so many calls in each. Raw sockets
/// have no servants; they had their turns beside the others of the order.
pub(crate) fn rows(measured: &[Measured], calls: u32) -> Vec<Row> {
    let find = |order, system, servants| {
        let mut same = measured.iter().filter(|other| other.order == order);
        same.find(|other| other.outcome.system == system && other.servants == servants)
    };
    let row = |own: &Measured| {
        let subject = Row::new()
            .with("case", Case::Void.name())
            .with("mode", Mode::Same)
            .with("transport", Transport::Tcp)
            .with("calls", calls)
            .with("servants", own.servants)
            .with("order", own.order);
        let raw = find(own.order, System::Raw, None).map(|raw| &raw.outcome);
        let one = own
            .servants
            .and(find(own.order, own.outcome.system, Some(1)));
        let row = own.outcome.row(&subject, raw)?;
        let one = one.map(|one| &*one.outcome.rounds);
        Some(row.ratio("ratio_one", &own.outcome.rounds, one))
    };
    measured.iter().filter_map(row).collect()
}

/// The tables of all orders.
pub(crate) fn render(rows: &[Row]) -> String {
    let with_servants = rows.iter().filter(|row| row.number("servants").is_some());
    LAYOUT.text(&with_servants.cloned().collect::<Vec<_>>())
}

/// For each system and order the greatest ratio to one servant, and whether it
/// is less than `percent` above or below.
pub(crate) fn render_verdicts(rows: &[Row], percent: f64) -> String {
    let distance = |row: &Row| (row.number("ratio_one").unwrap_or(1.0) - 1.0).abs();
    let mut farthest: Vec<Row> = Vec::new();
    for row in rows.iter().filter(|row| row.number("ratio_one").is_some()) {
        let key = |row: &Row| (row.text("system"), row.text("order"));
        match farthest.iter_mut().find(|known| key(known) == key(row)) {
            Some(known) if distance(known) <= distance(row) => *known = row.clone(),
            Some(_) => {}
            None => farthest.push(row.clone()),
        }
    }
    let verdict = |row: Row| {
        let is_flat = distance(&row) * 100.0 <= percent;
        let row = row.with("flat_percent", percent);
        row.with("flat", if is_flat { "yes" } else { "no" })
    };
    VERDICTS.text(&farthest.into_iter().map(verdict).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::rounds;

    /// Round by round Taut is 1, 1.04 and 1.02 of what it is with one servant;
    /// omniORB 2, 0.5 and 1.5.
    fn measured() -> Vec<Measured> {
        let measured = |system, servants, medians_ns: &[u64]| Measured {
            order: Order::Random,
            servants,
            outcome: Outcome {
                system,
                rounds: rounds(medians_ns),
            },
        };
        vec![
            measured(System::Raw, None, &[5_000, 5_000, 10_000]),
            measured(System::Taut, Some(1), &[10_000, 10_000, 20_000]),
            measured(System::Taut, Some(500), &[10_000, 10_400, 20_400]),
            measured(System::Omniorb, Some(1), &[20_000, 20_000, 20_000]),
            measured(System::Omniorb, Some(500), &[40_000, 10_000, 30_000]),
        ]
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        let json = serde_json::to_value(rows(&measured(), 7)).unwrap();
        assert_eq!(json.as_array().map(Vec::len), Some(5));
        assert_eq!(json[0]["system"], "raw");
        for absent in ["servants", "ratio_raw", "ratio_one"] {
            assert_eq!(json[0].get(absent), None, "{absent}");
        }
        let expected = serde_json::json!({
            "case": "void", "mode": "same", "system": "omniorb", "transport": "tcp",
            "rounds": 3, "calls": 7, "median_ns": 30_000, "p99_ns": 60_000,
            "ratio_raw": 3.0, "ratio_raw_min": 2.0, "ratio_raw_max": 8.0,
            "servants": 500, "order": "random",
            "ratio_one": 1.5, "ratio_one_min": 0.5, "ratio_one_max": 2.0,
        });
        assert_eq!(json[4], expected);
    }

    #[test]
    fn each_number_of_servants_has_a_line() {
        let expected = [
            "order random, mode same: 3 rounds of 7 calls",
            "  servants  taut µs  × raw  × 1 servant (least-most)  omniorb µs  × raw  × 1 servant (least-most)",
            "         1    10.00  2.000  1.000 (1.000-1.000)            20.00  4.000  1.000 (1.000-1.000)",
            "       500    10.40  2.040  1.020 (1.000-1.040)            30.00  3.000  1.500 (0.500-2.000)",
            "",
            "",
        ];
        assert_eq!(render(&rows(&measured(), 7)), expected.join("\n"));
    }

    #[test]
    fn what_is_too_far_from_one_servant_is_not_flat() {
        let rows = rows(&measured(), 7);
        let expected = [
            "Flat within 5.0 % of one servant:",
            "  system   order   farthest from 1  servants  flat",
            "  taut     random            1.020       500  yes",
            "  omniorb  random            1.500       500  no",
            "",
            "",
        ];
        assert_eq!(render_verdicts(&rows, 5.0), expected.join("\n"));
        let strict = render_verdicts(&rows, 1.0);
        assert!(strict.lines().all(|line| !line.ends_with("yes")));
    }

    #[test]
    fn without_one_servant_and_without_a_baseline_there_are_no_ratios() {
        let mut measured = measured();
        measured.retain(|measured| measured.servants == Some(500));
        let table = render(&rows(&measured, 7));
        let line = table.lines().nth(2).unwrap();
        let cells: Vec<_> = line.split_whitespace().collect();
        assert_eq!(
            cells,
            ["500", "10.40", "-", "-", "30.00", "-", "-"],
            "{table}"
        );
    }
}
