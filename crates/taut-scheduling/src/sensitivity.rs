//! By how much operations may grow.

use crate::analysis::{self, AnalysisError};
use crate::options::Options;
use crate::repository::{Handle, Repository};
use crate::task::TaskSet;

/// By how much an operation may grow until a deadline is missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Growth {
    /// The operation.
    pub operation: Handle,
    /// Its worst-case execution time.
    pub worst_case_ns: u64,
    /// The longest execution time with which all deadlines hold. None if they do not hold with
    /// any, so that others are too long.
    pub longest_ns: Option<u64>,
}

/// Finds the longest execution time of an operation with which all deadlines hold, all other
/// times staying as they are.
///
/// # Errors
///
/// Those of [`analyze`](crate::analyze), and [`AnalysisError::NoTasks`].
pub fn growth(
    repository: &Repository,
    options: &Options,
    operation: Handle,
) -> Result<Growth, AnalysisError> {
    let mut changed = repository.clone();
    let worst_case_ns = repository[operation].worst_case_ns;
    let mut holds = |time: u64| {
        changed[operation].worst_case_ns = time;
        let set = TaskSet::of(&changed, &options.limits).map_err(AnalysisError::NoTasks)?;
        analysis::is_feasible(&set, options)
    };
    let periods = repository
        .iter()
        .filter_map(|(_, info)| Some(info.deadline_ns.unwrap_or(0).max(info.period_ns?)));
    // No operation can take longer than the longest deadline.
    let mut too_long = periods.max().unwrap_or(0).max(worst_case_ns) + 1;
    let mut longest = match holds(worst_case_ns)? {
        true => worst_case_ns,
        false if holds(1)? => {
            too_long = worst_case_ns;
            1
        }
        false => {
            return Ok(Growth {
                operation,
                worst_case_ns,
                longest_ns: None,
            });
        }
    };
    while too_long - longest > 1 {
        let middle = longest + (too_long - longest) / 2;
        match holds(middle)? {
            true => longest = middle,
            false => too_long = middle,
        }
    }
    Ok(Growth {
        operation,
        worst_case_ns,
        longest_ns: Some(longest),
    })
}
