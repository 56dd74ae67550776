//! Results for people.

use std::fmt::Write;

use crate::record::Record;
use crate::system::System;

const HEADINGS: [&str; 4] = ["system", "median µs", "p99 µs", "× raw (least-most)"];

/// The records of systems that were measured together, a line each, columns
/// aligned.
pub(crate) fn render(records: &[Record]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(records.iter().map(|record| {
        vec![
            record.head.system.to_string(),
            microseconds(record.median_ns),
            microseconds(record.p99_ns),
            ratio(record),
        ]
    }));
    align(&rows, &[0, 3])
}

/// A line for each row, in columns; those in `left` begin where their headings
/// do, the others end there. All rows are as long as the first.
pub(crate) fn align(rows: &[Vec<String>], left: &[usize]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a string does not fail.
            let _ = match left.contains(&column) {
                true => write!(line, "  {cell:width$}"),
                false => write!(line, "  {cell:>width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn ratio(record: &Record) -> String {
    match record.ratio_raw {
        Some(ratios) => ratios.to_string(),
        None if record.head.system == System::Raw => "baseline".to_owned(),
        None => "no baseline".to_owned(),
    }
}

/// Nanoseconds in microseconds, rounded to two decimals.
pub(crate) fn microseconds(ns: u64) -> String {
    let hundredths = ns.saturating_add(5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Case, Transport};
    use crate::placement::Mode;
    use crate::record::Head;
    use crate::statistics::Spread;

    #[test]
    fn columns_are_aligned() {
        let raw = Record {
            head: Head {
                bench: "ping",
                case: Case::Void.name(),
                mode: Mode::Same,
                system: System::Raw,
                transport: Transport::Tcp,
                bytes: None,
            },
            connections: None,
            rounds: 9,
            median_ns: 12_496,
            p99_ns: 104_005,
            mb_s: None,
            ratio_raw: None,
        };
        let omniorb = Record {
            head: Head {
                system: System::Omniorb,
                ..raw.head
            },
            median_ns: 9,
            ratio_raw: Spread::of([1.0, 1.0604, 1.2]),
            ..raw
        };
        let expected = [
            "  system   median µs  p99 µs  × raw (least-most)",
            "  raw          12.50  104.01  baseline",
            "  omniorb       0.01  104.01  1.060 (1.000-1.200)",
            "",
        ];
        assert_eq!(render(&[raw.clone(), omniorb.clone()]), expected.join("\n"));

        let alone = Record {
            ratio_raw: None,
            ..omniorb
        };
        assert!(render(&[alone]).ends_with("no baseline\n"));
    }
}
