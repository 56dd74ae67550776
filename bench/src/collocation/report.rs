//! The cost of calls within a process, in rows and tables.

use crate::case::Transport;
use crate::placement::Mode;
use crate::protocol::Summary;
use crate::record::Row as Record;
use crate::render::{Column, Layout};
use crate::statistics;
use crate::system::System;

/// A table for each payload.
pub(crate) const LAYOUT: Layout = Layout {
    title: "{name}: {rounds} rounds of {samples} samples of {calls} calls",
    tables: &["name"],
    lines: &["system", "way"],
    columns: &[
        Column::word("system", "system"),
        Column::with("way", |row| Some(row.text("way"))).left(),
        Column::number("median ns", "median_ns", 2),
        Column::number("p99 ns", "p99_ns", 2),
        Column::number("allocations", "allocations", 2),
        Column::with("× trait object (least-most)", ratio).left(),
    ],
};

fn ratio(row: &Record) -> Option<String> {
    let ratio = row.get_spread("ratio_raw");
    Some(ratio.map_or_else(|| "baseline".to_owned(), |it| format!("{it:.2}")))
}

/// The caller, and the way of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) system: System,
    pub(crate) transport: Transport,
    /// How the call reaches the servant.
    pub(crate) way: &'static str,
}

/// The operation that is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Payload {
    /// No arguments, no result.
    Void,
    /// A sequence of so many longs, and one back.
    Longs(u32),
}

impl Payload {
    pub(crate) const ALL: [Self; 3] = [Self::Void, Self::Longs(4), Self::Longs(1_024)];

    /// The kind of calls, as clients know it.
    pub(crate) fn kind(self) -> String {
        match self {
            Self::Void => "void".to_owned(),
            Self::Longs(length) => length.to_string(),
        }
    }

    /// Its name for people.
    fn name(self) -> String {
        match self {
            Self::Void => "no arguments".to_owned(),
            Self::Longs(length) => format!("{length} longs"),
        }
    }

    /// The name of the case in records.
    fn case(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Longs(_) => "long_seq",
        }
    }

    /// The octets of payload that a call carries to the servant.
    fn bytes(self) -> Option<u64> {
        match self {
            Self::Void => None,
            Self::Longs(length) => Some(4 * u64::from(length)),
        }
    }
}

/// The calls of one client with one payload.
#[derive(Debug)]
pub(crate) struct CallsMade {
    pub(crate) row: Row,
    pub(crate) payload: Payload,
    /// The calls of a sample.
    pub(crate) batch: u32,
    /// The samples of a turn.
    pub(crate) samples: u32,
    /// The summary of each of its turns, in order, of samples.
    pub(crate) rounds: Vec<Summary>,
    /// How often so many calls allocated on the heap.
    pub(crate) allocations: u64,
    pub(crate) allocating_calls: u64,
}

/// The rows of what was measured with one payload. Calls are too short for the clock, so
/// times are those of samples, divided by their calls. The call without an ORB stands in
/// for raw sockets.
pub(crate) fn rows(measured: &[CallsMade]) -> Vec<Record> {
    let baseline = measured.iter().find(|it| it.row.system == System::Raw);
    let rows = measured.iter().filter_map(|it| row(it, baseline));
    rows.collect()
}

fn row(calls: &CallsMade, baseline: Option<&CallsMade>) -> Option<Record> {
    let baseline = baseline.filter(|baseline| baseline.row != calls.row);
    let of_a_call = |sample_ns| statistics::ratio(sample_ns, u64::from(calls.batch));
    let median_ns = statistics::median(Summary::medians(&calls.rounds))?;
    let p99_ns = statistics::median(calls.rounds.iter().map(|round| round.p99_ns))?;
    let row = Record::of_rounds(&calls.rounds)?
        .with("case", calls.payload.case())
        .with("name", calls.payload.name())
        .with("bytes", calls.payload.bytes())
        .with("mode", Mode::Same)
        .with("system", calls.row.system)
        .with("transport", calls.row.transport)
        .with("way", calls.row.way)
        .with("samples", calls.samples)
        .with("calls", calls.batch)
        .with("median_ns", of_a_call(median_ns))
        .with("p99_ns", of_a_call(p99_ns))
        .with(
            "allocations",
            statistics::ratio(calls.allocations, calls.allocating_calls),
        );
    Some(row.ratio("ratio_raw", &calls.rounds, baseline.map(|it| &*it.rounds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(system: System, way: &'static str, medians_ns: &[u64]) -> CallsMade {
        CallsMade {
            row: Row {
                system,
                transport: Transport::Local,
                way,
            },
            payload: Payload::Longs(4),
            batch: 100,
            samples: 3,
            rounds: crate::record::tests::rounds(medians_ns),
            allocations: 500,
            allocating_calls: 200,
        }
    }

    #[test]
    fn a_row_is_about_one_call() {
        let measured = [
            calls(System::Raw, "trait_object", &[200, 200, 400]),
            calls(System::Omniorb, "shortcut", &[400, 600, 400]),
        ];
        let rows = rows(&measured);
        let expected = serde_json::json!({
            "case": "long_seq", "name": "4 longs", "mode": "same", "system": "omniorb",
            "transport": "local", "way": "shortcut", "bytes": 16, "rounds": 3,
            "samples": 3, "calls": 100,
            "median_ns": 4.0, "p99_ns": 8.0, "allocations": 2.5,
            "ratio_raw": 2.0, "ratio_raw_min": 1.0, "ratio_raw_max": 3.0,
        });
        assert_eq!(serde_json::to_value(&rows[1]).unwrap(), expected);
        let table = [
            "4 longs: 3 rounds of 3 samples of 100 calls",
            "  system   way           median ns  p99 ns  allocations  × trait object (least-most)",
            "  raw      trait_object       2.00    4.00         2.50  baseline",
            "  omniorb  shortcut           4.00    8.00         2.50  2.00 (1.00-3.00)",
            "",
            "",
        ];
        assert_eq!(LAYOUT.text(&rows), table.join("\n"));
    }
}
