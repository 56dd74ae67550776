//! The fate of each operation's jobs, in rows and tables.

use taut_scheduling::Basis;

use super::Outcome;
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
        Column::with("p50, ms", |row| millis(row, "response_p50_ns")),
        Column::with("p99, ms", |row| millis(row, "response_p99_ns")),
        Column::with("p99.99, ms", |row| millis(row, "response_p9999_ns")),
        Column::with("longest, ms", |row| millis(row, "response_max_ns")),
    ],
};

/// A field of nanoseconds, in milliseconds.
fn millis(row: &Row, field: &str) -> Option<String> {
    row.number(field).map(|ns| format!("{:.2}", ns / 1e6))
}

/// A row for each operation.
pub(super) fn rows(outcome: &Outcome) -> Vec<Row> {
    let tasks = outcome.tasks.tasks.iter().zip(&outcome.analysis.tasks);
    let rows = tasks.filter_map(|(task, result)| {
        let report = outcome.report.operation(task.operation)?;
        let bound = result.response.filter(|it| it.basis == Basis::WorstCase);
        let bound_ms = bound.map(|it| it.worst_ns as f64 / 1e6);
        let verdict = match outcome.may_miss.contains(&task.operation) {
            true => "may be missed",
            false => "hold",
        };
        let mut row = Row::new()
            .with("set", outcome.set.to_string())
            .with("strategy", outcome.rule.to_string())
            .with("seconds", outcome.seconds)
            .with("load", outcome.load)
            .with("utilization", format!("{:.2}", outcome.tasks.utilization()))
            .with("operation", task.name.clone())
            .with("worst_case_ms", task.cost_ns() as f64 / 1e6)
            .with("deadline_ms", task.deadline_ns as f64 / 1e6)
            .with("bound_ms", bound_ms)
            .with("verdict", verdict)
            .with("jobs", report.completed)
            .with("missed", report.missed + report.skipped)
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
