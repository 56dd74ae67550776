//! The cost of many servants, in numbers for programs and for people.

use serde::{Serialize, Serializer};

use super::order::Order;
use crate::case::{Case, Transport};
use crate::driver::Outcome;
use crate::placement::Mode;
use crate::protocol::Summary;
use crate::record::{Record, Subject};
use crate::statistics::Spread;
use crate::system::System;
use crate::table;

/// The calls of a client in one order.
pub(crate) struct Measured {
    pub(crate) order: Order,
    /// How many servants it called; raw sockets have none.
    pub(crate) servants: Option<u32>,
    pub(crate) outcome: Outcome,
}

/// The result of one system with so many servants and in this order of calls. Raw
/// sockets have no servants; they had their turns beside the others of the order.
#[derive(Debug, Serialize)]
pub(crate) struct ScalabilityRecord {
    #[serde(flatten)]
    pub(crate) record: Record,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) servants: Option<u32>,
    pub(crate) order: Order,
    #[serde(flatten, serialize_with = "ratios_to_one")]
    pub(crate) ratio_one: Option<Spread>,
}

/// Writes the spread over the rounds of (a system's median ÷ its own with one servant in
/// the same round and order), where that was measured.
fn ratios_to_one<S: Serializer>(ratios: &Option<Spread>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Ratios {
        ratio_one: f64,
        ratio_one_min: f64,
        ratio_one_max: f64,
    }
    let ratios = ratios.map(|Spread { median, min, max }| Ratios {
        ratio_one: median,
        ratio_one_min: min,
        ratio_one_max: max,
    });
    ratios.serialize(serializer)
}

const SUBJECT: Subject = Subject {
    bench: "scalability",
    case: Case::Void,
    mode: Mode::Same,
    transport: Transport::Tcp,
    connections: None,
};

/// The records of what was measured in the same rounds.
pub(crate) fn records(measured: &[Measured]) -> Vec<ScalabilityRecord> {
    let find = |order, system, servants| {
        let mut same = measured.iter().filter(|other| other.order == order);
        same.find(|other| other.outcome.system == system && other.servants == servants)
    };
    let record = |own: &Measured| {
        let raw = find(own.order, System::Raw, None).map(|raw| &raw.outcome);
        let one = own
            .servants
            .and(find(own.order, own.outcome.system, Some(1)));
        Some(ScalabilityRecord {
            record: Record::new(SUBJECT, &own.outcome, raw)?,
            servants: own.servants,
            order: own.order,
            ratio_one: one.and_then(|one| {
                let medians = Summary::medians(&own.outcome.rounds);
                Spread::of_ratios(medians, Summary::medians(&one.outcome.rounds))
            }),
        })
    };
    measured.iter().filter_map(record).collect()
}

/// The records of one order: a line for each number of servants, and for each
/// system with servants its columns.
pub(crate) fn render(records: &[ScalabilityRecord], order: Order) -> String {
    let with_servants = records.iter().filter(|record| record.servants.is_some());
    let of_order = || with_servants.clone().filter(|record| record.order == order);
    let systems = distinct(of_order().map(|record| record.record.head.system));
    let mut rows = vec![vec!["servants".to_owned()]];
    for system in &systems {
        rows[0].extend([
            format!("{system} µs"),
            "× raw".to_owned(),
            "× 1 servant (least-most)".to_owned(),
        ]);
    }
    for servants in distinct(of_order().filter_map(|record| record.servants)) {
        let mut row = vec![servants.to_string()];
        for system in &systems {
            let record = of_order().find(|record| {
                record.servants == Some(servants) && record.record.head.system == *system
            });
            row.extend(cells(record));
        }
        rows.push(row);
    }
    table::align(&rows, &[])
}

fn cells(record: Option<&ScalabilityRecord>) -> [String; 3] {
    let none = || "-".to_owned();
    let Some(record) = record else {
        return [none(), none(), none()];
    };
    let (ratio_raw, ratio_one) = (record.record.ratio_raw, record.ratio_one);
    [
        table::microseconds(record.record.median_ns),
        ratio_raw.map_or_else(none, |ratios| format!("{:.3}", ratios.median)),
        ratio_one.map_or_else(none, |ratios| ratios.to_string()),
    ]
}

/// For each system and order the greatest ratio to one servant, and whether it
/// is less than `percent` above or below.
pub(crate) fn render_verdicts(records: &[ScalabilityRecord], percent: f64) -> String {
    let mut rows = vec![
        ["system", "order", "farthest from 1", "servants", "flat"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let keys = records
        .iter()
        .filter(|record| record.ratio_one.is_some())
        .map(|record| (record.record.head.system, record.order));
    for (system, order) in distinct(keys) {
        let farthest = records
            .iter()
            .filter(|record| record.record.head.system == system && record.order == order)
            .filter_map(|record| Some((record.ratio_one?.median, record.servants?)))
            .max_by(|(one, _), (other, _)| distance(*one).total_cmp(&distance(*other)));
        if let Some((ratio, servants)) = farthest {
            rows.push(vec![
                system.to_string(),
                order.to_string(),
                format!("{ratio:.3}"),
                servants.to_string(),
                match distance(ratio) * 100.0 <= percent {
                    true => "yes".to_owned(),
                    false => "no".to_owned(),
                },
            ]);
        }
    }
    table::align(&rows, &[0, 1])
}

fn distance(ratio: f64) -> f64 {
    (ratio - 1.0).abs()
}

fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Summary;

    fn outcome(system: System, medians_ns: &[u64]) -> Outcome {
        let summary = |&median_ns| Summary {
            median_ns,
            p99_ns: 2 * median_ns,
            min_ns: 1,
            max_ns: 1_000_000,
            mean_ns: median_ns,
        };
        let rounds = medians_ns.iter().map(summary).collect();
        Outcome { system, rounds }
    }

    /// Round by round Taut is 1, 1.04 and 1.02 of what it is with one servant;
    /// omniORB 2, 0.5 and 1.5.
    fn measured() -> Vec<Measured> {
        let measured = |system, servants, medians_ns: &[u64]| Measured {
            order: Order::Random,
            servants,
            outcome: outcome(system, medians_ns),
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
        let json = serde_json::to_value(records(&measured())).unwrap();
        assert_eq!(json.as_array().map(Vec::len), Some(5));
        assert_eq!(json[0]["system"], "raw");
        for absent in ["servants", "ratio_raw", "ratio_one"] {
            assert_eq!(json[0].get(absent), None, "{absent}");
        }
        let expected = serde_json::json!({
            "bench": "scalability", "case": "void", "mode": "same", "system": "omniorb",
            "transport": "tcp", "rounds": 3, "median_ns": 30_000, "p99_ns": 60_000,
            "ratio_raw": 3.0, "ratio_min": 2.0, "ratio_max": 8.0,
            "servants": 500, "order": "random",
            "ratio_one": 1.5, "ratio_one_min": 0.5, "ratio_one_max": 2.0,
        });
        assert_eq!(json[4], expected);
    }

    #[test]
    fn each_number_of_servants_has_a_line() {
        let records = records(&measured());
        let expected = [
            "  servants  taut µs  × raw  × 1 servant (least-most)  omniorb µs  × raw  × 1 servant (least-most)",
            "         1    10.00  2.000       1.000 (1.000-1.000)       20.00  4.000       1.000 (1.000-1.000)",
            "       500    10.40  2.040       1.020 (1.000-1.040)       30.00  3.000       1.500 (0.500-2.000)",
            "",
        ];
        assert_eq!(render(&records, Order::Random), expected.join("\n"));
    }

    #[test]
    fn what_is_too_far_from_one_servant_is_not_flat() {
        let records = records(&measured());
        let expected = [
            "  system   order   farthest from 1  servants  flat",
            "  taut     random            1.020       500   yes",
            "  omniorb  random            1.500       500    no",
            "",
        ];
        assert_eq!(render_verdicts(&records, 5.0), expected.join("\n"));
        assert!(
            render_verdicts(&records, 1.0)
                .lines()
                .all(|line| !line.ends_with("yes"))
        );
    }

    #[test]
    fn without_one_servant_and_without_a_baseline_there_are_no_ratios() {
        let mut measured = measured();
        measured.retain(|measured| measured.servants == Some(500));
        let records = records(&measured);
        assert!(
            records
                .iter()
                .all(|record| record.ratio_one.is_none() && record.record.ratio_raw.is_none())
        );
        let table = render(&records, Order::Random);
        assert!(table.ends_with("       500    10.40      -                         -       30.00      -                         -\n"), "{table}");
    }
}
