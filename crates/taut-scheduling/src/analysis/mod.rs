//! Whether all deadlines hold, by each strategy.

mod demand;
mod earliest;
mod error;
mod fixed;
mod load;
mod notes;
mod verdict;

use crate::anomaly::Anomaly;
use crate::options::{Options, Phasing};
use crate::simulation;
use crate::task::{Task, TaskSet};

pub use error::AnalysisError;
pub(crate) use load::hyperperiod;
pub(crate) use verdict::levels;

/// The meaning of a response time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Basis {
    /// No job takes longer, whatever the first releases; with preemption anywhere and neither
    /// jitter nor blocking some job takes as long.
    WorstCase,
    /// The longest in a simulation of two hyperperiods. With [`Phasing::Offsets`] no job takes
    /// longer; else others may where the first releases fall differently.
    Simulated,
}

/// A response time: from a job's release until its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The time.
    pub worst_ns: u64,
    /// Its meaning.
    pub basis: Basis,
}

/// The outcome for one task.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskResult {
    /// The index in the set of tasks.
    pub task: usize,
    /// The level of preemption, 0 being the most urgent: rates for RMS, criticalities for MUF, one
    /// level for EDF and MLF.
    pub level: u32,
    /// The longest response time. None if it grows without end, or would take too many steps.
    pub response: Option<Response>,
    /// Whether all deadlines hold.
    pub is_feasible: bool,
    /// The time that misses: how long after its deadline a job may end, or, where the processor
    /// is asked for more than it has, what misses in each period.
    pub missing_ns: u64,
}

/// The outcome of an analysis.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Analysis {
    /// The outcome for each task, in the order of the set.
    pub tasks: Vec<TaskResult>,
    /// The share of the processor's time that all tasks take, context switches among them.
    pub utilization: f64,
    /// The bound for rate-monotonic priorities, *n*(2^(1/*n*) − 1): below it all deadlines hold
    /// that are not shorter than their periods.
    pub rate_monotonic_bound: f64,
    /// Faults and properties to know of, the gravest first.
    pub anomalies: Vec<Anomaly>,
}

impl Analysis {
    /// Whether all deadlines of all tasks hold.
    pub fn is_feasible(&self) -> bool {
        self.tasks.iter().all(|task| task.is_feasible)
    }
}

/// Decides whether all deadlines hold, and finds the longest response times.
///
/// RMS: the response time of each task by fixed-point iteration, over all jobs of a busy period,
/// so that deadlines may be longer than periods. With preemption between operations a job cannot
/// lose the processor in its last one, and waits for one operation of a less urgent task. EDF,
/// MLF and MUF: the processor's demand before each deadline; MUF for each criticality, under the
/// load of the higher ones. With [`Phasing::Offsets`] a simulation decides.
///
/// # Errors
///
/// When a limit is reached before the verdict, or options contradict the tasks; the error says
/// which, and what to do.
pub fn analyze(set: &TaskSet, options: &Options) -> Result<Analysis, AnalysisError> {
    let tasks = with_switches(set, options)?;
    let (levels, mut anomalies) = verdict::levels(&tasks, options);
    let verdicts = verdict::verdicts(&tasks, &levels, options)?;
    let responses = responses(set, &tasks, &levels, &verdicts, options)?;
    let results: Vec<_> = verdicts
        .iter()
        .zip(&levels)
        .zip(responses)
        .enumerate()
        .map(|(task, ((verdict, level), response))| TaskResult {
            task,
            level: *level,
            response,
            is_feasible: verdict.missing_ns == 0,
            missing_ns: verdict.missing_ns,
        })
        .collect();
    let utilization = tasks.iter().map(Task::utilization).sum();
    let bound = load::rate_monotonic_bound(tasks.len());
    anomalies.extend(set.anomalies.iter().cloned());
    anomalies.extend(notes::of(&tasks, &results, options, utilization, bound));
    anomalies.sort_by_key(|anomaly| std::cmp::Reverse(anomaly.severity));
    Ok(Analysis {
        tasks: results,
        utilization,
        rate_monotonic_bound: bound,
        anomalies,
    })
}

/// Whether all deadlines hold: [`analyze`] without response times.
pub(crate) fn is_feasible(set: &TaskSet, options: &Options) -> Result<bool, AnalysisError> {
    let tasks = with_switches(set, options)?;
    let (levels, _) = verdict::levels(&tasks, options);
    let verdicts = verdict::verdicts(&tasks, &levels, options)?;
    Ok(verdicts.iter().all(|verdict| verdict.missing_ns == 0))
}

/// The tasks, with the time of context switches added to each job.
pub(crate) fn with_switches(set: &TaskSet, options: &Options) -> Result<Vec<Task>, AnalysisError> {
    let mut tasks = set.tasks.clone();
    let both = options.context_switch_ns.saturating_mul(2);
    for task in &mut tasks {
        error::check(task)?;
        let mut pieces = 1;
        if both > 0 && options.strategy.depends_on_laxity() && !options.is_deferred() {
            let quantum = options.quantum_ns.filter(|quantum| *quantum > 0);
            let quantum = quantum.ok_or(AnalysisError::NoQuantum {
                strategy: options.strategy,
            })?;
            pieces = task.cost_ns().div_ceil(quantum);
        }
        if let Some(first) = task.segments_ns.first_mut() {
            *first = first.saturating_add(both.saturating_mul(pieces));
        }
        if options.phasing == Phasing::Offsets && task.jitter_ns + task.blocking_ns > 0 {
            let task = task.name.clone();
            return Err(AnalysisError::UncertainReleases { task });
        }
    }
    Ok(tasks)
}

/// The longest response time of each task.
fn responses(
    set: &TaskSet,
    tasks: &[Task],
    levels: &[u32],
    verdicts: &[verdict::Verdict],
    options: &Options,
) -> Result<Vec<Option<Response>>, AnalysisError> {
    let worst = |worst_ns: Option<u64>| {
        worst_ns.map(|worst_ns| Response {
            worst_ns,
            basis: Basis::WorstCase,
        })
    };
    if options.phasing == Phasing::Offsets {
        let simulated = verdicts.iter().map(|verdict| {
            verdict.response_ns.map(|worst_ns| Response {
                worst_ns,
                basis: Basis::Simulated,
            })
        });
        return Ok(simulated.collect());
    }
    if options.phasing == Phasing::Any {
        if options.strategy.has_fixed_priorities() {
            return Ok(verdicts.iter().map(|it| worst(it.response_ns)).collect());
        }
        if !options.strategy.depends_on_laxity() && !options.is_deferred() {
            let find = |task| earliest::response(tasks, task, options.limits.max_steps);
            let found = (0..tasks.len()).map(find);
            return Ok(found
                .map(|found| worst(found.unwrap_or_default()))
                .collect());
        }
    }
    let simulation = match simulation::of_hyperperiods(set, tasks, levels, options) {
        Ok(simulation) => simulation,
        // The verdict stands without the times.
        Err(_) => return Ok(vec![None; tasks.len()]),
    };
    let longest = (0..tasks.len()).map(|task| {
        Some(Response {
            worst_ns: simulation.worst_response_ns(task)?,
            basis: Basis::Simulated,
        })
    });
    let is_over = load::of(tasks.iter()) == load::Load::Over;
    Ok(longest.map(|one| one.filter(|_| !is_over)).collect())
}
