//! The report of `taut schedule` as JSON.

use serde::Serialize;
use taut_scheduling::{Analysis, Basis, Growth, Options, Simulation, TaskSet};

#[derive(Serialize)]
struct Report<'r> {
    strategy: &'r str,
    is_feasible: bool,
    utilization: f64,
    rate_monotonic_bound: f64,
    tasks: Vec<Task<'r>>,
    anomalies: Vec<Anomaly<'r>>,
}

#[derive(Serialize)]
struct Task<'r> {
    name: &'r str,
    period_ns: u64,
    deadline_ns: u64,
    total_ns: u64,
    level: u32,
    criticality: &'r str,
    response_ns: Option<u64>,
    /// Whether the response time is a bound, and not one of a simulation.
    response_is_bound: bool,
    worst_case_ns: Option<u64>,
    longest_ns: Option<u64>,
    is_feasible: bool,
    missing_ns: u64,
}

#[derive(Serialize)]
struct Anomaly<'r> {
    severity: &'r str,
    kind: &'r str,
    message: &'r str,
}

#[derive(Serialize)]
struct Simulated<'r> {
    simulated_ns: u64,
    preemptions: u64,
    tasks: Vec<Jobs<'r>>,
}

/// The fate of a task's jobs; their response times are those of jobs that have ended.
#[derive(Serialize)]
struct Jobs<'r> {
    name: &'r str,
    jobs: usize,
    least_ns: Option<u64>,
    mean_ns: Option<u64>,
    most_ns: Option<u64>,
    missed: usize,
}

/// A simulation as JSON.
pub(super) fn simulation(tasks: &TaskSet, simulation: &Simulation) -> serde_json::Result<String> {
    let timeline = &simulation.timeline;
    let each = tasks.tasks.iter().enumerate().map(|(index, task)| {
        let jobs = timeline.jobs.iter().filter(|job| job.task == index);
        let responses = jobs.clone().filter_map(|job| job.response_ns());
        let count = responses.clone().count() as u64;
        Jobs {
            name: &task.name,
            jobs: jobs.count(),
            least_ns: responses.clone().min(),
            mean_ns: responses.clone().sum::<u64>().checked_div(count),
            most_ns: responses.max(),
            missed: simulation.misses(index),
        }
    });
    let simulated = Simulated {
        simulated_ns: timeline.end_ns,
        preemptions: simulation.preemptions,
        tasks: each.collect(),
    };
    Ok(serde_json::to_string_pretty(&simulated)? + "\n")
}

/// The report as JSON.
pub(super) fn report(
    tasks: &TaskSet,
    analysis: &Analysis,
    growths: &[Option<Growth>],
    options: &Options,
) -> serde_json::Result<String> {
    let each = analysis.tasks.iter().zip(growths).map(|(result, growth)| {
        let task = &tasks.tasks[result.task];
        let is_bound = |basis| basis == Basis::WorstCase;
        Task {
            name: &task.name,
            period_ns: task.period_ns,
            deadline_ns: task.deadline_ns,
            total_ns: task.cost_ns(),
            level: result.level,
            criticality: task.criticality.as_str(),
            response_ns: result.response.map(|response| response.worst_ns),
            response_is_bound: result.response.is_some_and(|it| is_bound(it.basis)),
            worst_case_ns: growth.map(|growth| growth.worst_case_ns),
            longest_ns: growth.and_then(|growth| growth.longest_ns),
            is_feasible: result.is_feasible,
            missing_ns: result.missing_ns,
        }
    });
    let anomalies = analysis.anomalies.iter().map(|anomaly| Anomaly {
        severity: anomaly.severity.as_str(),
        kind: anomaly.kind.as_str(),
        message: &anomaly.message,
    });
    let report = Report {
        strategy: options.strategy.as_str(),
        is_feasible: analysis.is_feasible(),
        utilization: analysis.utilization,
        rate_monotonic_bound: analysis.rate_monotonic_bound,
        tasks: each.collect(),
        anomalies: anomalies.collect(),
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}
