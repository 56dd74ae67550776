//! Tasks executed on paper: who has the processor when.

mod chrome;
mod engine;
mod svg;
mod timeline;

use std::collections::BTreeSet;

use crate::analysis::{self, Analysis, AnalysisError, hyperperiod};
use crate::options::{Options, Phasing};
use crate::repository::Handle;
use crate::task::{Task, TaskSet};

pub use timeline::{Job, Slice, Timeline};

/// The outcome of a simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Simulation {
    /// The jobs, and who had the processor when.
    pub timeline: Timeline,
    /// How often a job lost the processor before its end.
    pub preemptions: u64,
}

impl Simulation {
    /// The longest response time of a task's jobs that have ended. None if none has.
    pub fn worst_response_ns(&self, task: usize) -> Option<u64> {
        let jobs = self.timeline.jobs.iter().filter(|job| job.task == task);
        jobs.filter_map(Job::response_ns).max()
    }

    /// The number of jobs of a task that missed their deadlines.
    pub fn misses(&self, task: usize) -> usize {
        let jobs = self.timeline.jobs.iter().filter(|job| job.task == task);
        jobs.filter(|job| job.is_missed(self.timeline.end_ns))
            .count()
    }
}

/// Executes tasks on paper until `until_ns`, or over two hyperperiods from the last first release.
///
/// Each job takes its worst-case time, with two context switches. With [`Phasing::Any`] all tasks
/// are released at 0, else at their offsets; nothing is blocked, and no release is late. Jobs that
/// miss their deadlines are executed to the end.
///
/// # Errors
///
/// [`AnalysisError::TooManyJobs`], and the others of [`analyze`](crate::analyze).
pub fn simulate(
    set: &TaskSet,
    options: &Options,
    until_ns: Option<u64>,
) -> Result<Simulation, AnalysisError> {
    let mut relaxed = options.clone();
    if until_ns.is_some() {
        // Jitter and blocking are left out, whatever the phasing.
        relaxed.phasing = Phasing::Any;
    }
    let tasks = analysis::with_switches(set, &relaxed)?;
    let (levels, _) = analysis::levels(&tasks, options);
    match until_ns {
        Some(until) => engine::run(&tasks, &levels, options, until),
        None => of_hyperperiods(set, &tasks, &levels, options),
    }
}

/// Returns the operations that may miss deadlines by an analysis of these tasks: those that it says
/// so of, and, where priorities are not fixed, those that are late because others are, in a
/// simulation of two hyperperiods. Operations miss no other deadline by the schedule, unless
/// executions take longer than their worst case, or others have the processor.
///
/// # Errors
///
/// As [`simulate`].
pub fn may_miss(
    set: &TaskSet,
    analysis: &Analysis,
    options: &Options,
) -> Result<BTreeSet<Handle>, AnalysisError> {
    let operation = |task: usize| set.tasks[task].operation;
    let late = analysis.tasks.iter().filter(|one| !one.is_feasible);
    let mut operations: BTreeSet<_> = late.map(|one| operation(one.task)).collect();
    if !options.strategy.has_fixed_priorities() && !operations.is_empty() {
        let simulation = simulate(set, options, None)?;
        let all = 0..set.tasks.len();
        operations.extend(
            all.filter(|task| simulation.misses(*task) > 0)
                .map(operation),
        );
    }
    Ok(operations)
}

/// Simulates two hyperperiods from the last first release on: all that can happen happens in
/// them.
pub(crate) fn of_hyperperiods(
    set: &TaskSet,
    tasks: &[Task],
    levels: &[u32],
    options: &Options,
) -> Result<Simulation, AnalysisError> {
    let too_many = AnalysisError::TooManyJobs {
        max_jobs: options.limits.max_jobs,
    };
    let hyperperiod = hyperperiod(set.tasks.iter().map(|task| task.period_ns));
    let hyperperiod = hyperperiod.ok_or(too_many)?;
    let last = match options.phasing {
        Phasing::Any => 0,
        Phasing::Offsets => tasks.iter().map(|task| task.offset_ns).max().unwrap_or(0),
    };
    engine::run(tasks, levels, options, last + 2 * hyperperiod)
}
