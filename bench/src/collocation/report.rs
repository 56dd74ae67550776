//! The cost of calls within a process, in numbers for programs and for people.

use serde::Serialize;

use crate::case::Transport;
use crate::placement::Mode;
use crate::protocol::Summary;
use crate::record::{Head, ratios_to_raw};
use crate::statistics::{self, Spread};
use crate::system::System;
use crate::table;

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
    /// The summary of each of its turns, in order, of samples.
    pub(crate) rounds: Vec<Summary>,
    /// How often so many calls allocated on the heap.
    pub(crate) allocations: u64,
    pub(crate) allocating_calls: u64,
}

/// The result of one client with one payload. Calls are too short for the clock,
/// so times are those of many, divided by their number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CollocationRecord {
    #[serde(flatten)]
    head: Head,
    way: &'static str,
    rounds: usize,
    /// The median over the rounds of each round's median.
    median_ns: f64,
    /// The median over the rounds of each round's 99th percentile, of samples.
    p99_ns: f64,
    /// Allocations of the whole process for a call.
    allocations: f64,
    /// To the call without an ORB, which stands in for raw sockets.
    #[serde(flatten, serialize_with = "ratios_to_raw")]
    ratio_raw: Option<Spread>,
}

/// The records of what was measured with one payload.
pub(crate) fn records(measured: &[CallsMade]) -> Vec<CollocationRecord> {
    let baseline = measured
        .iter()
        .find(|calls| calls.row.system == System::Raw);
    measured
        .iter()
        .filter_map(|calls| record(calls, baseline))
        .collect()
}

fn record(calls: &CallsMade, baseline: Option<&CallsMade>) -> Option<CollocationRecord> {
    let baseline = baseline.filter(|baseline| baseline.row != calls.row);
    let of_a_call = |sample_ns| statistics::ratio(sample_ns, u64::from(calls.batch));
    let median_ns = statistics::median(Summary::medians(&calls.rounds))?;
    let p99_ns = statistics::median(calls.rounds.iter().map(|round| round.p99_ns))?;
    Some(CollocationRecord {
        head: Head {
            bench: "collocation",
            case: calls.payload.case(),
            mode: Mode::Same,
            system: calls.row.system,
            transport: calls.row.transport,
            bytes: calls.payload.bytes(),
        },
        way: calls.row.way,
        rounds: calls.rounds.len(),
        median_ns: of_a_call(median_ns),
        p99_ns: of_a_call(p99_ns),
        allocations: statistics::ratio(calls.allocations, calls.allocating_calls),
        ratio_raw: baseline.and_then(|raw| {
            Spread::of_ratios(
                Summary::medians(&calls.rounds),
                Summary::medians(&raw.rounds),
            )
        }),
    })
}

const HEADINGS: [&str; 6] = [
    "system",
    "way",
    "median ns",
    "p99 ns",
    "allocations",
    "× trait object (least-most)",
];

/// The records of one payload, a line each.
pub(crate) fn render(records: &[CollocationRecord]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(records.iter().map(|record| {
        let ratio = record.ratio_raw.map(|ratios| format!("{ratios:.2}"));
        vec![
            record.head.system.to_string(),
            record.way.to_owned(),
            format!("{:.2}", record.median_ns),
            format!("{:.2}", record.p99_ns),
            format!("{:.2}", record.allocations),
            ratio.unwrap_or_else(|| "baseline".to_owned()),
        ]
    }));
    table::align(&rows, &[0, 1, 5])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(system: System, way: &'static str, medians_ns: &[u64]) -> CallsMade {
        let summary = |&median_ns| Summary {
            median_ns,
            p99_ns: 2 * median_ns,
            min_ns: 1,
            max_ns: 1_000_000,
            mean_ns: median_ns,
        };
        CallsMade {
            row: Row {
                system,
                transport: Transport::Local,
                way,
            },
            payload: Payload::Longs(4),
            batch: 100,
            rounds: medians_ns.iter().map(summary).collect(),
            allocations: 500,
            allocating_calls: 200,
        }
    }

    #[test]
    fn a_record_is_about_one_call() {
        let measured = [
            calls(System::Raw, "trait_object", &[200, 200, 400]),
            calls(System::Omniorb, "shortcut", &[400, 600, 400]),
        ];
        let records = records(&measured);
        let expected = serde_json::json!([
            {
                "bench": "collocation", "case": "long_seq", "mode": "same", "system": "raw",
                "transport": "local", "way": "trait_object", "bytes": 16, "rounds": 3,
                "median_ns": 2.0, "p99_ns": 4.0, "allocations": 2.5,
            },
            {
                "bench": "collocation", "case": "long_seq", "mode": "same", "system": "omniorb",
                "transport": "local", "way": "shortcut", "bytes": 16, "rounds": 3,
                "median_ns": 4.0, "p99_ns": 8.0, "allocations": 2.5,
                "ratio_raw": 2.0, "ratio_min": 1.0, "ratio_max": 3.0,
            },
        ]);
        assert_eq!(serde_json::to_value(&records).unwrap(), expected);
        let table = [
            "  system   way           median ns  p99 ns  allocations  × trait object (least-most)",
            "  raw      trait_object       2.00    4.00         2.50  baseline",
            "  omniorb  shortcut           4.00    8.00         2.50  2.00 (1.00-3.00)",
            "",
        ];
        assert_eq!(render(&records), table.join("\n"));
    }
}
