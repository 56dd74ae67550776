//! The reasons for which an analysis has no verdict.

use std::fmt;

use crate::chains::Faults;
use crate::strategy::Strategy;
use crate::task::Task;
use crate::time::LONGEST_NS;

/// The reason for which an analysis has no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The analysis of a task would take more steps than the limit allows.
    TooManySteps {
        /// The task's name.
        task: String,
    },
    /// The simulation that has to decide would release more jobs than the limit allows.
    TooManyJobs {
        /// The limit.
        max_jobs: usize,
    },
    /// A task has no time to execute, no period or deadline, or one that is too long.
    Range {
        /// The task's name.
        task: String,
    },
    /// No tasks come of the operations.
    NoTasks(Faults),
    /// Switches between jobs cost time, and laxities are compared all the time.
    NoQuantum {
        /// The strategy that compares laxities.
        strategy: Strategy,
    },
    /// The verdict is to hold for given offsets, and a task has jitter or blocking.
    UncertainReleases {
        /// The task's name.
        task: String,
    },
}

impl fmt::Display for AnalysisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManySteps { task } => write!(
                f,
                "the analysis of `{task}` takes more steps than `max_steps` allows; raise this \
                 limit, or choose periods that have a smaller common multiple"
            ),
            Self::TooManyJobs { max_jobs } => write!(
                f,
                "the simulation releases more than {max_jobs} jobs, which `max_jobs` allows; \
                 raise this limit, simulate a shorter time, or choose periods that have a smaller \
                 common multiple"
            ),
            Self::Range { task } => write!(
                f,
                "the task `{task}` needs an execution time, a period and a deadline of more than \
                 nothing and less than 36 years"
            ),
            Self::NoTasks(faults) => faults.fmt(f),
            Self::NoQuantum { strategy } => write!(
                f,
                "context switches take time, and {strategy} without a quantum may switch without \
                 end; set a quantum"
            ),
            Self::UncertainReleases { task } => write!(
                f,
                "`{task}` has jitter or blocking, so that its offset does not tell when it runs; \
                 analyze for any first releases"
            ),
        }
    }
}

impl std::error::Error for AnalysisError {}

/// Fails for a task with times that no analysis can reckon with.
pub(super) fn check(task: &Task) -> Result<(), AnalysisError> {
    let positive = [task.cost_ns(), task.period_ns, task.deadline_ns];
    let others = [task.offset_ns, task.jitter_ns, task.blocking_ns];
    let is_sound = positive.iter().all(|time| *time > 0)
        && task.segments_ns.iter().all(|time| *time > 0)
        && positive
            .iter()
            .chain(&others)
            .all(|time| *time <= LONGEST_NS);
    match is_sound {
        true => Ok(()),
        false => Err(AnalysisError::Range {
            task: task.name.clone(),
        }),
    }
}
