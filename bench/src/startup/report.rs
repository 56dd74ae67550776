//! Starting, activation and memory, in tables.

use crate::record::{Row, of_case};
use crate::render::{Column, Layout};

/// The times until a server is there.
pub(crate) const START: Layout = Layout {
    title: "from the start of the process, {rounds} rounds",
    tables: &[],
    lines: &["system"],
    columns: &[
        Column::word("system", "system"),
        Column::with("first reference, ms", |row| {
            milliseconds(row, "first_reference_ns")
        }),
        Column::with("(least-most)", |row| {
            least_and_most(row, "first_reference_ns")
        }),
        Column::with("first reply, ms", |row| milliseconds(row, "first_reply_ns")),
        Column::with("(least-most)", |row| least_and_most(row, "first_reply_ns")),
    ],
};

/// The time and memory of an object.
pub(crate) const ACTIVATION: Layout = Layout {
    title: "activation of an object, ns and octets, {rounds} rounds",
    tables: &[],
    lines: &["objects"],
    columns: &[
        Column::number("objects", "objects", 0),
        Column::spread("explicit ns (least-most)", "object_ns", 0).of("way", "explicit"),
        Column::number("octets", "object_octets", 0).of("way", "explicit"),
        Column::spread("MULTIPLE_ID ns", "object_ns", 0).of("way", "multiple_id"),
        Column::number("octets", "object_octets", 0).of("way", "multiple_id"),
        Column::spread("implicit ns", "object_ns", 0).of("way", "implicit"),
        Column::number("octets", "object_octets", 0).of("way", "implicit"),
    ],
};

/// The memory of connections and threads.
pub(crate) const MEMORY: Layout = Layout {
    title: "memory of one of {connections}, in octets",
    tables: &[],
    lines: &["what"],
    columns: &[
        Column::word("octets of", "what"),
        Column::number("heap", "heap_octets", 0),
        Column::number("resident", "resident_octets", 0),
    ],
};

fn milliseconds(row: &Row, field: &str) -> Option<String> {
    row.number(field).map(|ns| format!("{:.2}", ns / 1e6))
}

fn least_and_most(row: &Row, field: &str) -> Option<String> {
    let spread = row.get_spread(field)?;
    Some(format!("{:.2}-{:.2}", spread.min / 1e6, spread.max / 1e6))
}

/// The tables of these rows.
pub(super) fn render(rows: &[Row]) -> String {
    let tables = [
        (START, "start"),
        (ACTIVATION, "activation"),
        (MEMORY, "memory"),
    ];
    let text = |(layout, case): (Layout, &str)| layout.text(&of_case(rows, case));
    tables.map(text).concat()
}
