//! The table for other programs.

use serde::Serialize;

use super::goal::Goal;
use super::result::{Figures, RowResult};
use super::rows::Group;
use crate::record::{Head, ratios_to_raw};
use crate::statistics::Spread;
use crate::system::System;

/// The result of one system in one row. Fields that do not apply are absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct TableRecord {
    #[serde(flatten)]
    head: Head,
    /// `call`, or `flood` for one-way calls.
    way: &'static str,
    row: String,
    /// The octets of a sample's messages.
    octets_there: u64,
    octets_back: u64,
    rounds: usize,
    median_ns: u64,
    p99_ns: u64,
    p999_ns: u64,
    max_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mb_s: Option<f64>,
    #[serde(flatten, serialize_with = "ratios_to_raw")]
    ratio_raw: Option<Spread>,
    /// The goal that Taut is to reach, and whether it does; with Taut's figures only.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<Goal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
}

/// A record for each system of each row.
pub(super) fn list(results: &[RowResult]) -> Vec<TableRecord> {
    let of_row = |result: &'_ RowResult| -> Vec<_> {
        result.figures.iter().map(|it| record(result, it)).collect()
    };
    results.iter().flat_map(of_row).collect()
}

fn record(result: &RowResult, figures: &Figures) -> TableRecord {
    let row = &result.row;
    let is_taut = figures.system == System::Taut;
    TableRecord {
        head: Head {
            bench: "table",
            case: row.kind.case(),
            mode: row.mode,
            system: figures.system,
            transport: row.transport,
            bytes: row.kind.bytes(),
        },
        way: match row.group {
            Group::Flood => "flood",
            _ => "call",
        },
        row: format!("{}: {}", row.group.title(), row.name),
        octets_there: result.octets.there,
        octets_back: result.octets.back,
        rounds: figures.rounds,
        median_ns: figures.median_ns,
        p99_ns: figures.p99_ns,
        p999_ns: figures.p999_ns,
        max_ns: figures.max_ns,
        mb_s: result.mb_s(figures),
        ratio_raw: figures.ratio_raw,
        goal: is_taut.then_some(row.goal),
        met: result.is_met().filter(|_| is_taut),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::result::tests::made_up;

    #[test]
    fn a_record_says_all_that_applies() {
        let records = serde_json::to_value(list(&made_up()[..1])).unwrap();
        let expected = serde_json::json!({
            "bench": "table", "way": "call", "case": "void", "row": "The call itself: no arguments",
            "mode": "same", "system": "taut", "transport": "tcp",
            "octets_there": 88, "octets_back": 24, "rounds": 3,
            "median_ns": 1070, "p99_ns": 1119, "p999_ns": 1120, "max_ns": 1120,
            "ratio_raw": 1070.0 / 1049.0, "ratio_min": 1070.0 / 1049.0,
            "ratio_max": 1070.0 / 1049.0, "goal": {"times_raw": 1.03}, "met": true,
        });
        assert_eq!(records[1], expected);
        assert_eq!(records[0].get("goal"), None);
        assert_eq!(records[2].get("met"), None);
    }

    #[test]
    fn every_system_has_a_record_in_every_row() {
        let made_up = made_up();
        assert_eq!(list(&made_up).len(), 3 * made_up.len());
    }
}
