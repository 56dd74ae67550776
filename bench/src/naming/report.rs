//! The rows and tables of `taut-bench naming`.

use std::fmt::Write;
use std::time::Duration;

use super::services::{Ended, Service, Started};
use super::tree::Names;
use super::{Operation, Outcome};
use crate::error::BenchError;
use crate::record::{Row, of_case};
use crate::render::{Column, Layout};
use crate::statistics::Spread;

/// The calls of a second.
pub(crate) const CALLS: Layout = Layout {
    title: "{operation}, calls a second: {rounds} rounds",
    tables: &["operation"],
    lines: &["shape", "bindings", "clients"],
    columns: &[
        Column::word("operation", "operation"),
        Column::word("names", "shape"),
        Column::number("of them", "bindings", 0),
        Column::number("clients", "clients", 0),
        Column::number("Taut", "calls_per_s", 0).of("service", "taut"),
        Column::number("in memory", "calls_per_s", 0).of("service", "taut_memory"),
        Column::number("omniNames", "calls_per_s", 0).of("service", "omniorb"),
        Column::number("synchronized", "calls_per_s", 0).of("service", "omniorb_synchronized"),
        Column::number("JacORB", "calls_per_s", 0).of("service", "jacorb"),
        Column::spread("Taut ÷ omniNames (least-most)", "times_omniorb", 2).of("service", "taut"),
        Column::spread("÷ synchronized", "times_synchronized", 2).of("service", "taut"),
    ],
};

/// The time from the start until a name is found.
pub(crate) const START: Layout = Layout {
    title: "from the start until a name is found, and what the service has then",
    tables: &[],
    lines: &["shape", "bindings", "service", "ended"],
    columns: &[
        Column::word("names", "shape"),
        Column::number("of them", "bindings", 0),
        Column::word("service", "service"),
        Column::word("ended before", "ended"),
        Column::number("start, ms", "start_ms", 1),
        Column::number("resident, KiB", "resident_kib", 0),
        Column::number("file, KiB", "file_kib", 0),
    ],
};

/// The aims: the operation, the field, how much it is to be at least, and in words.
const AIMS: [(Operation, &str, f64, &str); 2] = [
    (Operation::Resolve, "times_omniorb", 2.0, "times omniNames"),
    (
        Operation::Bind,
        "times_synchronized",
        1.0,
        "times omniNames with its log synchronized",
    ),
];

/// A row for each outcome, compared within each round with omniNames' of the same.
pub(super) fn rows(names: Names, outcomes: &[Outcome]) -> Vec<Row> {
    let compared = |outcome: &Outcome, service| {
        let same = |it: &&Outcome| {
            it.service == service
                && (it.operation, it.clients) == (outcome.operation, outcome.clients)
        };
        let baseline = outcomes.iter().find(same);
        let baseline = baseline.filter(|_| outcome.service != service)?;
        let pairs = outcome.calls_per_s.iter().zip(&baseline.calls_per_s);
        Spread::of(pairs.map(|(own, baseline)| own / baseline))
    };
    let row = |outcome: &Outcome| {
        let calls_per_s = Spread::of(outcome.calls_per_s.iter().copied());
        of(names, outcome.service)
            .with("case", "calls")
            .with("operation", outcome.operation)
            .with("clients", outcome.clients)
            .with("rounds", outcome.calls_per_s.len())
            .with("calls", outcome.calls)
            .spread("calls_per_s", calls_per_s)
            .spread("times_omniorb", compared(outcome, Service::Omniorb))
            .spread(
                "times_synchronized",
                compared(outcome, Service::OmniorbSynchronized),
            )
    };
    outcomes.iter().map(row).collect()
}

/// The row of a service that has begun again.
///
/// # Errors
///
/// Those of [`Started::footprint`].
pub(super) fn beginning(
    names: Names,
    started: &Started,
    ended: Ended,
    took: Duration,
) -> Result<Row, BenchError> {
    Ok(of(names, started.service)
        .with("case", "start")
        .with("ended", ended)
        .with("start_ms", took.as_secs_f64() * 1e3)
        .with("resident_kib", started.footprint()?.resident_kib)
        .with("file_kib", started.file_octets() / 1024))
}

fn of(names: Names, service: Service) -> Row {
    Row::new()
        .with("service", service)
        .with("shape", names.shape)
        .with("bindings", names.bindings)
}

/// The tables of these rows, and whether Taut meets its aims.
pub(super) fn render(rows: &[Row]) -> String {
    let mut text = CALLS.text(&of_case(rows, "calls"));
    text += &START.text(&of_case(rows, "start"));
    for (operation, field, least, words) in AIMS {
        let of_taut = rows
            .iter()
            .filter(|row| row.is("service", "taut") && row.is("operation", &operation.to_string()));
        for row in of_taut {
            let Some(found) = row.number(field) else {
                continue;
            };
            let verdict = if found >= least { "met" } else { "missed" };
            let (shape, bindings) = (row.text("shape"), row.text("bindings"));
            let clients = row.text("clients");
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{verdict}: {operation} of {bindings} names, {shape}, {clients} clients: \
                 {found:.2} {words}, aim {least}"
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tree::Shape;
    use super::*;

    #[test]
    fn services_are_compared_within_a_round() {
        let outcome = |service, calls_per_s: &[f64]| Outcome {
            operation: Operation::Resolve,
            service,
            clients: 1,
            calls: 10,
            calls_per_s: calls_per_s.to_vec(),
        };
        let outcomes = [
            outcome(Service::Taut, &[10.0, 40.0, 60.0]),
            outcome(Service::Omniorb, &[10.0, 10.0, 20.0]),
        ];
        let rows = rows(Names::new(Shape::Flat, 100), &outcomes);
        let ratio = rows[0].get_spread("times_omniorb").unwrap();
        assert_eq!((ratio.median, ratio.min, ratio.max), (3.0, 1.0, 4.0));
        assert!(rows[1].get_spread("times_omniorb").is_none());
        let text = render(&rows);
        assert!(
            text.contains("met: resolve of 100 names, flat, 1 clients: 3.00"),
            "{text}"
        );
    }
}
