//! Results for other programs.

use std::fs;
use std::path::Path;

use serde::{Serialize, Serializer};

use crate::case::{Case, Transport};
use crate::driver::Outcome;
use crate::error::BenchError;
use crate::placement::Mode;
use crate::protocol::Summary;
use crate::statistics::{self, Spread};
use crate::system::System;

/// The first fields of a record: what was measured, of whom, and where.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Head {
    /// The command of `taut-bench`.
    pub(crate) bench: &'static str,
    /// The name of the case.
    pub(crate) case: &'static str,
    pub(crate) mode: Mode,
    pub(crate) system: System,
    pub(crate) transport: Transport,
    /// The octets of payload of a call, one way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
}

/// The result of one system in one mode. Fields that do not apply are absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Record {
    #[serde(flatten)]
    pub(crate) head: Head,
    /// How many connections are open, where that is what the bench is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) connections: Option<usize>,
    pub(crate) rounds: usize,
    /// The median over the rounds of each round's median.
    pub(crate) median_ns: u64,
    /// The median over the rounds of each round's 99th percentile.
    pub(crate) p99_ns: u64,
    /// Megabytes (10^6 octets) of payload in a second, for the median call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mb_s: Option<f64>,
    #[serde(flatten, serialize_with = "ratios_to_raw")]
    pub(crate) ratio_raw: Option<Spread>,
}

/// Writes the spread over the rounds of (a system's median ÷ that of raw sockets in the
/// same round), which raw sockets themselves do not have.
pub(crate) fn ratios_to_raw<S: Serializer>(
    ratios: &Option<Spread>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Ratios {
        ratio_raw: f64,
        ratio_min: f64,
        ratio_max: f64,
    }
    let ratios = ratios.map(|Spread { median, min, max }| Ratios {
        ratio_raw: median,
        ratio_min: min,
        ratio_max: max,
    });
    ratios.serialize(serializer)
}

/// The facts that all outcomes of one measurement share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) bench: &'static str,
    pub(crate) case: Case,
    pub(crate) mode: Mode,
    pub(crate) transport: Transport,
    pub(crate) connections: Option<usize>,
}

impl Record {
    /// The records of systems that were measured together. A system without a
    /// round has none.
    pub(crate) fn list(subject: Subject, outcomes: &[Outcome]) -> Vec<Self> {
        let baseline = outcomes
            .iter()
            .find(|outcome| outcome.system == System::Raw);
        outcomes
            .iter()
            .filter_map(|outcome| Self::new(subject, outcome, baseline))
            .collect()
    }

    /// The record of a system, and how it compares with a baseline that was
    /// measured in the same rounds. None without a round.
    pub(crate) fn new(
        subject: Subject,
        outcome: &Outcome,
        baseline: Option<&Outcome>,
    ) -> Option<Self> {
        let Outcome { system, rounds } = outcome;
        let baseline = baseline.filter(|baseline| baseline.system != *system);
        let median_ns = statistics::median(Summary::medians(rounds))?;
        let bytes = subject.case.bytes();
        Some(Self {
            head: Head {
                bench: subject.bench,
                case: subject.case.name(),
                mode: subject.mode,
                system: *system,
                transport: subject.transport,
                bytes,
            },
            connections: subject.connections,
            rounds: rounds.len(),
            median_ns,
            p99_ns: statistics::median(rounds.iter().map(|round| round.p99_ns))?,
            // Octets in a nanosecond are thousands of megabytes in a second.
            mb_s: bytes.map(|bytes| 1e3 * statistics::ratio(bytes, median_ns)),
            ratio_raw: baseline.and_then(|raw| {
                Spread::of_ratios(Summary::medians(rounds), Summary::medians(&raw.rounds))
            }),
        })
    }
}

/// Writes records as a JSON list.
///
/// # Errors
///
/// [`BenchError::Write`].
pub(crate) fn write<R: Serialize>(records: &[R], file: &Path) -> Result<(), BenchError> {
    let write_error = |source| BenchError::Write {
        file: file.to_path_buf(),
        source,
    };
    let mut json = serde_json::to_string_pretty(records)
        .map_err(|error| write_error(std::io::Error::from(error)))?;
    json.push('\n');
    fs::write(file, json).map_err(write_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBJECT: Subject = Subject {
        bench: "ping",
        case: Case::Void,
        mode: Mode::Same,
        transport: Transport::Tcp,
        connections: None,
    };

    fn outcome(system: System, medians_ns: &[u64]) -> Outcome {
        let rounds = medians_ns
            .iter()
            .map(|&median_ns| Summary {
                median_ns,
                p99_ns: 2 * median_ns,
                min_ns: 1,
                max_ns: 1000,
                mean_ns: median_ns,
            })
            .collect();
        Outcome { system, rounds }
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        // Round by round 2, 1 and 3; of the medians over all rounds, 1.5.
        let outcomes = [
            outcome(System::Omniorb, &[20, 40, 30]),
            outcome(System::Raw, &[10, 40, 10]),
        ];
        let records = Record::list(SUBJECT, &outcomes);
        let json = serde_json::to_value(&records).unwrap();
        let expected = serde_json::json!([
            {
                "bench": "ping", "case": "void", "mode": "same", "system": "omniorb",
                "transport": "tcp", "rounds": 3, "median_ns": 30, "p99_ns": 60,
                "ratio_raw": 2.0, "ratio_min": 1.0, "ratio_max": 3.0,
            },
            {
                "bench": "ping", "case": "void", "mode": "same", "system": "raw",
                "transport": "tcp", "rounds": 3, "median_ns": 10, "p99_ns": 20,
            },
        ]);
        assert_eq!(json, expected);
    }

    #[test]
    fn without_a_baseline_there_are_no_ratios() {
        let records = Record::list(SUBJECT, &[outcome(System::Omniorb, &[20])]);
        assert_eq!(records[0].ratio_raw, None);
        assert!(Record::list(SUBJECT, &[outcome(System::Raw, &[])]).is_empty());
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let written = write::<Record>(&[], Path::new("/nonexistent/file.json"));
        assert!(matches!(written, Err(BenchError::Write { .. })));
    }
}
