//! The rows and tables of `taut-bench async`, and whether Taut meets its aims.

use std::fmt::Write;

use super::Outcome;
use super::contender::Contender;
use crate::placement::Mode;
use crate::record::Row;
use crate::render::{Column, Layout};
use crate::statistics::Spread;

/// With so many calls under way at once Taut's throughput has aims.
const AIMED_IN_FLIGHT: u32 = 256;

/// The aims: the field, how much it is to be at least, and in words.
const AIMS: [(&str, f64, &str); 2] = [
    ("share_raw", 0.7, "of raw sockets' throughput"),
    ("times_tonic", 2.0, "times tonic's throughput"),
];

/// A table for each mode.
pub(crate) const LAYOUT: Layout = Layout {
    title: "calls over one connection, mode {mode}: {rounds} rounds",
    tables: &["mode"],
    lines: &["in_flight", "system"],
    columns: &[
        Column::number("in flight", "in_flight", 0),
        Column::word("system", "system"),
        Column::spread("calls/s (least-most)", "calls_per_s", 0),
        Column::spread("share of raw (least-most)", "share_raw", 3),
        Column::spread("of raw each", "share_raw_each", 3),
        Column::spread("× tonic (least-most)", "times_tonic", 2),
    ],
};

/// A row for each outcome of a mode, compared within each round with raw sockets and tonic of
/// as many calls under way, where those were measured.
pub(crate) fn rows(mode: Mode, outcomes: &[Outcome]) -> Vec<Row> {
    let compared = |outcome: &Outcome, system| {
        let same = |it: &&Outcome| it.system == system && it.in_flight == outcome.in_flight;
        let baseline = outcomes.iter().find(same);
        let baseline = baseline.filter(|_| outcome.system != system)?;
        let pairs = outcome.calls_per_s.iter().zip(&baseline.calls_per_s);
        Spread::of(pairs.map(|(own, baseline)| own / baseline))
    };
    let row = |outcome: &Outcome| {
        Row::new()
            .with("case", "void")
            .with("mode", mode)
            .with("in_flight", outcome.in_flight)
            .with("system", outcome.system)
            .with("rounds", outcome.calls_per_s.len())
            .with("calls", outcome.calls)
            .spread(
                "calls_per_s",
                Spread::of(outcome.calls_per_s.iter().copied()),
            )
            .spread("share_raw", compared(outcome, Contender::Raw))
            .spread("share_raw_each", compared(outcome, Contender::RawEach))
            .spread("times_tonic", compared(outcome, Contender::Tonic))
    };
    outcomes.iter().map(row).collect()
}

/// A line for each aim that could be examined, and an empty line behind them.
pub(crate) fn verdicts(rows: &[Row]) -> String {
    let aimed =
        |row: &&Row| row.is("system", "taut") && row.is("in_flight", &AIMED_IN_FLIGHT.to_string());
    let mut text = String::new();
    for row in rows.iter().filter(aimed) {
        for (field, least, words) in AIMS {
            let Some(value) = row.number(field) else {
                continue;
            };
            let verdict = if value >= least { "met" } else { "MISSED" };
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{AIMED_IN_FLIGHT} in flight, mode {}: {value:.3} {words}, at least {least} is \
                 aimed at: {verdict}",
                row.text("mode")
            );
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(in_flight: u32, system: Contender, calls_per_s: &[f64]) -> Outcome {
        Outcome {
            in_flight,
            system,
            calls: 100,
            calls_per_s: calls_per_s.to_vec(),
        }
    }

    #[test]
    fn systems_are_compared_within_a_round_with_as_many_calls_under_way() {
        let outcomes = [
            outcome(1, Contender::Raw, &[100.0, 100.0]),
            outcome(256, Contender::Raw, &[1_000.0, 500.0]),
            outcome(256, Contender::Tonic, &[100.0, 100.0]),
            outcome(256, Contender::Omniorb, &[50.0, 50.0]),
        ];
        let rows = rows(Mode::Same, &outcomes);
        let omniorb = &rows[3];
        assert_eq!(omniorb.get_spread("share_raw").unwrap().max, 0.1);
        assert_eq!(omniorb.get_spread("share_raw").unwrap().min, 0.05);
        assert_eq!(omniorb.number("times_tonic"), Some(0.5));
        assert_eq!(omniorb.number("share_raw_each"), None);
        assert_eq!(rows[1].number("share_raw"), None);
        assert_eq!(rows[1].number("times_tonic"), Some(7.5));
        let text = LAYOUT.text(&rows);
        assert!(text.starts_with("calls over one connection, mode same: 2 rounds\n"));
    }

    #[test]
    fn aims_are_met_or_missed() {
        let row = Row::new().with("system", "taut").with("mode", "same");
        let row = row.with("in_flight", AIMED_IN_FLIGHT);
        let told = verdicts(&[row.clone().with("share_raw", 0.7).with("times_tonic", 1.9)]);
        let lines: Vec<_> = told.lines().collect();
        assert!(
            lines[0].ends_with("met") && lines[1].ends_with("MISSED"),
            "{told}"
        );
        assert_eq!(verdicts(&[row]), "");
    }
}
