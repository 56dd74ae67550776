//! The verdict for each task: levels, and the time that misses.

use super::demand::Group;
use super::error::AnalysisError;
use super::fixed;
use super::load::{self, OutOfSteps};
use crate::anomaly::{Anomaly, AnomalyKind, Severity};
use crate::options::{Options, Phasing};
use crate::simulation;
use crate::strategy::Strategy;
use crate::task::{Task, TaskSet};

/// The verdict for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The longest response time, if the verdict comes of it.
    pub(super) response_ns: Option<u64>,
    /// The time that misses; 0 if all deadlines hold.
    pub(super) missing_ns: u64,
}

/// The level of each task, 0 being the most urgent. Where there are more rates than priorities,
/// the slowest ones share the last level.
pub(crate) fn levels(tasks: &[Task], options: &Options) -> (Vec<u32>, Vec<Anomaly>) {
    let ranks: Vec<u64> = match options.strategy {
        Strategy::RateMonotonic | Strategy::DeferredRateMonotonic => {
            tasks.iter().map(|task| task.period_ns).collect()
        }
        Strategy::MaximumUrgencyFirst => {
            let rank = |task: &Task| task.criticality as u64;
            tasks.iter().map(|task| 4 - rank(task)).collect()
        }
        Strategy::EarliestDeadlineFirst | Strategy::MinimumLaxityFirst => vec![0; tasks.len()],
    };
    let mut distinct = ranks.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let last = options.levels().saturating_sub(1);
    let level = |rank: &u64| {
        let place = distinct.binary_search(rank).unwrap_or(0);
        u32::try_from(place).unwrap_or(u32::MAX).min(last)
    };
    let levels: Vec<_> = ranks.iter().map(level).collect();
    let mut anomalies = Vec::new();
    if distinct.len() > options.levels() as usize {
        let sharing = tasks
            .iter()
            .zip(&levels)
            .filter(|(_, level)| **level == last);
        let what = match options.strategy {
            Strategy::MaximumUrgencyFirst => "criticalities",
            _ => "rates",
        };
        let (low, high) = (options.priorities.start(), options.priorities.end());
        let message = format!(
            "{} {what} have only the priorities from {low} to {high}: the least urgent ones share \
             {low}",
            distinct.len(),
        );
        let anomaly = Anomaly::new(
            Severity::Warning,
            AnomalyKind::InsufficientPriorityLevels,
            sharing.map(|(task, _)| task.operation),
            message,
        );
        anomalies.push(anomaly.help("give more priorities, or choose periods that are alike"));
    }
    (levels, anomalies)
}

/// The verdict for each task.
pub(super) fn verdicts(
    tasks: &[Task],
    levels: &[u32],
    options: &Options,
) -> Result<Vec<Verdict>, AnalysisError> {
    if options.phasing == Phasing::Offsets {
        return by_simulation(tasks, levels, options);
    }
    if !options.strategy.has_fixed_priorities() {
        return by_demand(tasks, levels, options);
    }
    let verdict = |(index, task): (usize, &Task)| {
        let max_steps = options.limits.max_steps;
        let response = fixed::response(tasks, levels, index, options.is_deferred(), max_steps);
        let response_ns = response.map_err(|OutOfSteps| too_many_steps(task))?;
        let missing_ns = match response_ns {
            Some(response) => response.saturating_sub(task.deadline_ns),
            None => {
                let each = tasks.iter().zip(levels);
                let before = each.filter(|(_, level)| **level <= levels[index]);
                load::lacking(before.map(|(task, _)| task), task.period_ns)
            }
        };
        Ok(Verdict {
            response_ns,
            missing_ns,
        })
    };
    tasks.iter().enumerate().map(verdict).collect()
}

fn too_many_steps(task: &Task) -> AnalysisError {
    AnalysisError::TooManySteps {
        task: task.name.clone(),
    }
}

/// The verdict by the demand of each level.
fn by_demand(
    tasks: &[Task],
    levels: &[u32],
    options: &Options,
) -> Result<Vec<Verdict>, AnalysisError> {
    let mut verdicts = vec![
        Verdict {
            response_ns: None,
            missing_ns: 0,
        };
        tasks.len()
    ];
    for level in 0..=levels.iter().copied().max().unwrap_or(0) {
        let of = |is_in: &dyn Fn(u32) -> bool| {
            let each = tasks.iter().zip(levels);
            let inside = each.filter(|(_, level)| is_in(**level));
            inside.map(|(task, _)| task).collect::<Vec<_>>()
        };
        let group = Group {
            members: of(&|its| its == level),
            more_urgent: of(&|its| its < level),
            less_urgent: of(&|its| its > level),
        };
        let Some(first) = group.members.first() else {
            continue;
        };
        let overrun = group.overrun(options.is_deferred(), options.limits.max_steps);
        let Some(overrun) = overrun.map_err(|OutOfSteps| too_many_steps(first))? else {
            continue;
        };
        for ((task, its), verdict) in tasks.iter().zip(levels).zip(&mut verdicts) {
            let is_due = overrun.at_ns.is_none_or(|at| {
                let at = at + task.jitter_ns;
                at >= task.deadline_ns && (at - task.deadline_ns) % task.period_ns == 0
            });
            if *its == level && is_due {
                verdict.missing_ns = overrun.missing_ns;
            }
        }
    }
    Ok(verdicts)
}

/// The verdict for given offsets.
fn by_simulation(
    tasks: &[Task],
    levels: &[u32],
    options: &Options,
) -> Result<Vec<Verdict>, AnalysisError> {
    let set = TaskSet::from_tasks(tasks.to_vec());
    let simulation = simulation::of_hyperperiods(&set, tasks, levels, options)?;
    let is_over = load::of(tasks.iter()) == load::Load::Over;
    let each = tasks.iter().enumerate();
    let mut verdicts: Vec<_> = each
        .map(|(index, task)| {
            let response = simulation.worst_response_ns(index);
            let missing = response.unwrap_or(0).saturating_sub(task.deadline_ns);
            // Jobs that have not ended may be late, too.
            let is_late = simulation.misses(index) > 0;
            Verdict {
                response_ns: response,
                missing_ns: missing.max(u64::from(is_late)),
            }
        })
        .collect();
    // Long deadlines may hold that long, though they will not for ever.
    if is_over && verdicts.iter().all(|verdict| verdict.missing_ns == 0) {
        for (task, verdict) in tasks.iter().zip(&mut verdicts) {
            verdict.missing_ns = load::lacking(tasks.iter(), task.period_ns);
        }
    }
    Ok(verdicts)
}
