//! Calls and marshaling alone, in rows and tables.

use clap::ValueEnum;

use super::Type;
use crate::goals::Marshaling;
use crate::protocol::Summary;
use crate::record::Row;
use crate::render::{Column, Layout};

/// Two-way calls.
pub(crate) const CALLS: Layout = Layout {
    title: "Param_Test over tcp, mode same: {rounds} rounds of {calls} calls",
    tables: &[],
    lines: &["type"],
    columns: &[
        Column::word("in, inout, out, result", "type"),
        Column::micros("by code µs", "median_ns").of("strategy", "compiled"),
        Column::micros("by table µs", "median_ns").of("strategy", "interpretive"),
        Column::spread("speed by table (least-most)", "speed", 3).of("strategy", "interpretive"),
    ],
};

/// Marshaling alone.
pub(crate) const ALONE: Layout = Layout {
    title: "marshaling alone: {rounds} rounds of {values} values, in ns",
    tables: &[],
    lines: &["type"],
    columns: &[
        Column::word("type", "type"),
        Column::number("written by code", "write_ns", 1).of("strategy", "compiled"),
        Column::number("by table", "write_ns", 1).of("strategy", "interpretive"),
        Column::number("speed", "write_speed", 2).of("strategy", "interpretive"),
        Column::number("read by code", "read_ns", 1).of("strategy", "compiled"),
        Column::number("by table", "read_ns", 1).of("strategy", "interpretive"),
        Column::number("speed", "read_speed", 2).of("strategy", "interpretive"),
        Column::number("client of a call, by code", "client_ns", 0).of("strategy", "compiled"),
        Column::number("by table", "client_ns", 0).of("strategy", "interpretive"),
        Column::number("server, by code", "server_ns", 0).of("strategy", "compiled"),
        Column::number("by table", "server_ns", 0).of("strategy", "interpretive"),
    ],
};

/// A row for each type and strategy, of the summaries of both by turns.
pub(super) fn calls(calls: u32, rounds: &[Vec<Summary>]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (kind, both) in Type::value_variants().iter().zip(rounds.chunks(2)) {
        let [code, tables] = both else { continue };
        let row = |rounds: &[Summary], strategy: Marshaling| {
            let row = Row::of_rounds(rounds)?
                .with("case", "call")
                .with("type", kind);
            Some(row.with("strategy", strategy).with("calls", calls))
        };
        rows.extend(row(code, Marshaling::Compiled));
        let by_table = row(tables, Marshaling::Interpretive);
        rows.extend(by_table.map(|row| row.ratio("speed", code, Some(tables))));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::of_case;
    use crate::record::tests::rounds;

    #[test]
    fn the_speed_is_that_of_the_same_round() {
        let turns: Vec<_> = (0..14)
            .map(|turn| rounds(&[if turn % 2 == 0 { 10_000 } else { 12_500 }; 3]))
            .collect();
        let rows = calls(5, &turns);
        assert_eq!(rows.len(), 14);
        assert_eq!(rows[1].number("speed"), Some(0.8));
        assert!(
            CALLS
                .text(&of_case(&rows, "call"))
                .contains("nested struct")
        );
        assert!(of_case(&rows, "alone").is_empty());
    }
}
