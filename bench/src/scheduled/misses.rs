//! Missed deadlines, beside the times in which the CPU was away.

use std::time::{Duration, Instant};

use taut_scheduling::{Handle, Job, TaskSet, Timeline, analyze, may_miss};

use super::set::{Rule, Set};
use super::watch::{Lost, Pauses};
use crate::error::BenchError;

/// A job that missed its deadline although the analysis says that it keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Miss {
    pub(super) operation: Handle,
    /// The release, since the first.
    pub(super) release_ns: u64,
    /// From the deadline until the end.
    pub(super) late_ns: u64,
    /// The time that the CPU lost since it was idle last, until the job's end.
    pub(super) lost: Lost,
    /// Whether the analysis lets the operation miss its deadline on a CPU that loses so much.
    pub(super) is_of_the_machine: bool,
}

/// The jobs of a set that missed their deadlines, but for the operations that may. `start` is when the
/// timeline begins.
///
/// # Errors
///
/// Those of the analysis.
pub(super) fn unexpected(
    (set, rule): (Set, Rule),
    timeline: &Timeline,
    start: Instant,
    pauses: &Pauses,
    may_miss: impl Fn(Handle) -> bool,
) -> Result<Vec<Miss>, BenchError> {
    let mut misses = Vec::new();
    let all = timeline.jobs.iter().enumerate();
    let missed = all.filter(|(_, job)| job.is_missed(timeline.end_ns));
    for (number, job) in missed {
        let operation = Handle(u32::try_from(job.task).unwrap_or(u32::MAX));
        if may_miss(operation) {
            continue;
        }
        let end_ns = job.end_ns.unwrap_or(timeline.end_ns);
        let at = |ns| start + Duration::from_nanos(ns);
        let lost = pauses.between(at(busy_since(&timeline.jobs[..=number])), at(end_ns));
        misses.push(Miss {
            operation,
            release_ns: job.release_ns,
            late_ns: end_ns.saturating_sub(job.deadline_ns),
            lost,
            is_of_the_machine: is_late_without(set, rule, operation, lost)?,
        });
    }
    Ok(misses)
}

/// The time since when a processor has had work, at the release of the last of these jobs, which
/// are in the order of their releases.
fn busy_since(jobs: &[Job]) -> u64 {
    let mut since = jobs.last().map_or(0, |job| job.release_ns);
    for job in jobs.iter().rev() {
        let is_running = job.end_ns.is_none_or(|end| end > since);
        if is_running {
            since = since.min(job.release_ns);
        }
    }
    since
}

/// Whether an operation may miss its deadline where the CPU is away for so long.
fn is_late_without(
    set: Set,
    rule: Rule,
    operation: Handle,
    lost: Lost,
) -> Result<bool, BenchError> {
    let (mut repository, options) = (set.repository(), rule.options());
    let lost_ns = u64::try_from(lost.time.as_nanos()).unwrap_or(u64::MAX);
    // A job waits for as long as it would for a lock that somebody else has.
    let handles: Vec<_> = repository.iter().map(|(handle, _)| handle).collect();
    for handle in handles {
        repository[handle].blocking_ns = lost_ns;
    }
    let tasks = TaskSet::of(&repository, &options.limits).map_err(BenchError::orb)?;
    let analysis = analyze(&tasks, &options).map_err(BenchError::orb)?;
    let late = may_miss(&tasks, &analysis, &options).map_err(BenchError::orb)?;
    Ok(late.contains(&operation))
}

#[cfg(test)]
mod tests {
    use super::super::watch::Pause;
    use super::*;

    const MS: u64 = 1_000_000;

    fn job(task: usize, release_ms: u64, end_ms: u64, deadline_ms: u64) -> Job {
        let mut job = Job::new(task, release_ms * MS, deadline_ms * MS);
        job.start_ns = Some(release_ms * MS);
        job.end_ns = Some(end_ms * MS);
        job
    }

    #[test]
    fn work_is_looked_for_until_the_processor_had_none() {
        let jobs = [
            job(0, 0, 10, 25),
            job(1, 20, 45, 70),
            job(0, 25, 30, 50),
            job(0, 40, 60, 65),
        ];
        assert_eq!(busy_since(&jobs[..1]), 0);
        assert_eq!(busy_since(&jobs[..3]), 20 * MS);
        assert_eq!(busy_since(&jobs), 20 * MS);
    }

    #[test]
    fn a_miss_is_of_the_machine_where_it_was_away_for_longer_than_the_schedule_has_room() {
        for rule in [Rule::Rms, Rule::Edf] {
            let start = Instant::now();
            // The jobs of the sensors take 5 of 25 ms, and one is late by 3.
            let mut timeline = Timeline::new(vec!["sensors".to_owned()]);
            timeline.jobs = vec![job(0, 0, 5, 25), job(0, 25, 53, 50)];
            timeline.end_ns = 60 * MS;
            let misses = |away_ms: u64| {
                let at = |ms| start + Duration::from_millis(ms);
                let pause = Pause {
                    start: at(26),
                    end: at(26 + away_ms),
                    stolen: Duration::from_millis(away_ms),
                };
                let pauses = Pauses {
                    all: vec![pause],
                    stolen: pause.stolen,
                };
                let set = (Set::Feasible, rule);
                unexpected(set, &timeline, start, &pauses, |_| false).unwrap()
            };
            let [explained, not] = [misses(23), misses(1)].map(|mut misses| {
                assert_eq!((misses.len(), misses[0].late_ns), (1, 3 * MS));
                misses.remove(0)
            });
            assert!(explained.is_of_the_machine, "{explained:?}");
            assert_eq!(explained.lost.stolen, Duration::from_millis(23));
            assert!(!not.is_of_the_machine, "{not:?}");
        }
    }
}
