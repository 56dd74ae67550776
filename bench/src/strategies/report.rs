//! The speed of both strategies, in rows and a table.

use super::row::Row as Kind;
use crate::case::Transport;
use crate::goals::Marshaling;
use crate::placement::Mode;
use crate::protocol::Summary;
use crate::record::Row;
use crate::render::{Column, Layout};

/// A line for each kind of call.
pub(crate) const LAYOUT: Layout = Layout {
    title: "strategies over {transport}, mode {mode}: {rounds} rounds of {calls} calls",
    tables: &[],
    lines: &["name"],
    columns: &[
        Column::word("call", "name"),
        Column::micros("compiled µs", "median_ns").of("strategy", "compiled"),
        Column::micros("interpretive µs", "median_ns").of("strategy", "interpretive"),
        Column::spread("speed (least-most)", "speed", 3).of("strategy", "interpretive"),
        Column::with("goal", goal)
            .left()
            .of("strategy", "interpretive"),
        Column::with("", met).left().of("strategy", "interpretive"),
    ],
};

fn goal(row: &Row) -> Option<String> {
    row.number("goal").map(|goal| format!("≥ {goal:.2}"))
}

fn met(row: &Row) -> Option<String> {
    Some(
        if row.is("met", "true") {
            "met"
        } else {
            "NOT MET"
        }
        .to_owned(),
    )
}

/// A row for each strategy of a kind of call, none without a round. Tables have their speed
/// as a share of that of code, round by round.
pub(super) fn rows(kind: &Kind, calls: u32, compiled: &[Summary], tables: &[Summary]) -> Vec<Row> {
    let row = |rounds, strategy: Marshaling| {
        let row = Row::of_rounds(rounds)?.with("name", &kind.name);
        let row = row
            .with("case", kind.kind.case())
            .with("bytes", kind.kind.bytes());
        let row = row
            .with("mode", Mode::Same)
            .with("transport", Transport::Tcp);
        let row = row.with("system", "taut").with("calls", calls);
        Some(row.with("strategy", strategy))
    };
    let by_tables = row(tables, Marshaling::Interpretive).map(|row| {
        let row = row.ratio("speed", compiled, Some(tables));
        let is_met = row.number("speed").map(|speed| speed >= kind.goal);
        row.with("goal", kind.goal).with("met", is_met)
    });
    let rows = [row(compiled, Marshaling::Compiled), by_tables];
    rows.into_iter().flatten().collect()
}

/// Says which goals are not met.
pub(super) fn verdict(rows: &[Row]) -> String {
    let missed = rows.iter().filter(|row| row.is("met", "false"));
    let missed: Vec<_> = missed.map(|row| row.text("name")).collect();
    match missed[..] {
        [] => "All goals are met.".to_owned(),
        _ => format!("Not met: {}.", missed.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;
    use crate::record::tests::rounds;

    #[test]
    fn the_speed_is_that_of_the_same_round() {
        let kind = row::all().remove(0);
        let code = rounds(&[10_000, 20_000, 10_000]);
        let with = |tables: &[u64]| rows(&kind, 5, &code, &rounds(tables));
        let (met, missed) = (
            with(&[12_500, 20_000, 12_500]),
            with(&[20_000, 20_000, 20_000]),
        );
        let speed = met[1].get_spread("speed").unwrap();
        assert_eq!((speed.median, speed.max), (0.8, 1.0));
        let text = LAYOUT.text(&met);
        assert!(text.contains("0.800 (0.800-1.000)  ≥ 0.75  met"), "{text}");
        assert_eq!(verdict(&met), "All goals are met.");
        assert_eq!(verdict(&missed), "Not met: no arguments.");
        assert!(rows(&kind, 5, &[], &[]).is_empty());
    }
}
