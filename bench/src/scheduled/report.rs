//! The fate of each operation's jobs, and the times in which the CPU was away, in rows and tables.

use std::time::Duration;

use taut_scheduling::{Basis, Handle};

use super::{Miss, Outcome};
use crate::record::Row;
use crate::render::{Column, Layout};

/// The jobs of each operation.
pub(crate) const JOBS: Layout = Layout {
    title: "{set} set by {strategy}, {seconds} s beside up to {load} threads without deadlines: \
            utilization {utilization}",
    tables: &["set", "strategy"],
    lines: &["operation"],
    columns: &[
        Column::word("operation", "operation"),
        Column::number("worst case, ms", "worst_case_ms", 0),
        Column::number("deadline, ms", "deadline_ms", 0),
        Column::number("response by the analysis, ms", "bound_ms", 2),
        Column::word("deadlines by the analysis", "verdict"),
        Column::number("jobs", "jobs", 0),
        Column::number("missed", "missed", 0),
        Column::number("of these for the CPU was away", "missed_away", 0),
        Column::with("p50, ms", |row| millis(row, "response_p50_ns")),
        Column::with("p99, ms", |row| millis(row, "response_p99_ns")),
        Column::with("p99.99, ms", |row| millis(row, "response_p9999_ns")),
        Column::with("longest, ms", |row| millis(row, "response_max_ns")),
    ],
};

/// The times in which the CPU ran none of the threads that were ready.
pub(crate) const AWAY: Layout = Layout {
    title: "The CPU meanwhile",
    tables: &["set", "strategy"],
    lines: &["set", "strategy"],
    columns: &[
        Column::word("set", "set"),
        Column::word("strategy", "strategy"),
        Column::number("seconds", "seconds", 0),
        Column::number("times away", "pauses", 0),
        Column::with("in all, ms", |row| millis(row, "away_ns")),
        Column::with("longest, ms", |row| millis(row, "longest_pause_ns")),
        Column::with("stolen by the hypervisor, ms", |row| {
            millis(row, "stolen_ns")
        }),
        Column::number("deadlines missed for it", "missed_away", 0),
        Column::number("for anything else", "missed_else", 0),
    ],
};

/// The deadlines that were missed although the analysis says that they hold.
pub(crate) const MISSES: Layout = Layout {
    title: "Deadlines of the {set} set by {strategy} that the analysis says are kept",
    tables: &["set", "strategy"],
    lines: &["operation", "release_ms"],
    columns: &[
        Column::word("operation", "operation"),
        Column::number("released, ms", "release_ms", 1),
        Column::with("late by, ms", |row| millis(row, "late_ns")),
        Column::with("the CPU was away, ms", |row| millis(row, "away_ns")),
        Column::with("of that stolen, ms", |row| millis(row, "stolen_ns")),
        Column::word("for", "cause"),
    ],
};

/// A field of nanoseconds, in milliseconds.
fn millis(row: &Row, field: &str) -> Option<String> {
    row.number(field).map(|ns| format!("{:.2}", ns / 1e6))
}

/// The rows of [`JOBS`], [`AWAY`] and [`MISSES`].
pub(super) fn rows(outcome: &Outcome) -> [Vec<Row>; 3] {
    let misses = outcome.misses.iter().map(|miss| missed(outcome, miss));
    [jobs(outcome), vec![away(outcome)], misses.collect()]
}

/// A row of one kind, with the fields that all of them have.
fn row(outcome: &Outcome, what: &str) -> Row {
    Row::new()
        .with("what", what)
        .with("set", outcome.set.to_string())
        .with("strategy", outcome.rule.to_string())
        .with("seconds", outcome.seconds)
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// How many deadlines of an operation, or of all, were missed for the CPU was away, or were not.
pub(super) fn count(outcome: &Outcome, of: Option<Handle>, is_of_the_machine: bool) -> u64 {
    let misses = outcome.misses.iter();
    let of_it = misses.filter(|miss| of.is_none_or(|operation| miss.operation == operation));
    of_it
        .filter(|miss| miss.is_of_the_machine == is_of_the_machine)
        .count() as u64
}

/// A row for the CPU.
fn away(outcome: &Outcome) -> Row {
    let pauses = &outcome.pauses;
    row(outcome, "cpu")
        .with("pauses", pauses.all.len() as u64)
        .with("away_ns", nanoseconds(pauses.total()))
        .with("longest_pause_ns", nanoseconds(pauses.longest()))
        .with("stolen_ns", nanoseconds(pauses.stolen))
        .with("missed_away", count(outcome, None, true))
        .with("missed_else", count(outcome, None, false))
}

/// A row for a missed deadline.
fn missed(outcome: &Outcome, miss: &Miss) -> Row {
    let name = outcome.report.operation(miss.operation);
    row(outcome, "miss")
        .with("operation", name.map(|one| &one.name))
        .with("release_ms", miss.release_ns as f64 / 1e6)
        .with("late_ns", miss.late_ns)
        .with("away_ns", nanoseconds(miss.lost.time))
        .with("stolen_ns", nanoseconds(miss.lost.stolen))
        .with(
            "cause",
            match miss.is_of_the_machine {
                true => "the CPU was away",
                false => "something else",
            },
        )
}

/// A row for each operation.
fn jobs(outcome: &Outcome) -> Vec<Row> {
    let tasks = outcome.tasks.tasks.iter().zip(&outcome.analysis.tasks);
    let rows = tasks.filter_map(|(task, result)| {
        let report = outcome.report.operation(task.operation)?;
        let bound = result.response.filter(|it| it.basis == Basis::WorstCase);
        let bound_ms = bound.map(|it| it.worst_ns as f64 / 1e6);
        let verdict = match outcome.may_miss.contains(&task.operation) {
            true => "may be missed",
            false => "hold",
        };
        let mut row = row(outcome, "operation")
            .with("load", outcome.load)
            .with("utilization", format!("{:.2}", outcome.tasks.utilization()))
            .with("operation", task.name.clone())
            .with("worst_case_ms", task.cost_ns() as f64 / 1e6)
            .with("deadline_ms", task.deadline_ns as f64 / 1e6)
            .with("bound_ms", bound_ms)
            .with("verdict", verdict)
            .with("jobs", report.completed)
            .with("missed", report.missed + report.skipped)
            .with("missed_away", count(outcome, Some(task.operation), true))
            .with("execution_max_ns", report.longest_execution_ns)
            .with("response_max_ns", report.longest_response_ns);
        for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("p9999", 99.99)] {
            let time = report.responses.percentile_ns(percent);
            row = row.with(&format!("response_{name}_ns"), time);
        }
        Some(row)
    });
    rows.collect()
}
