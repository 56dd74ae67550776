//! Response times with fixed priorities.
//!
//! With preemption anywhere: M. Joseph and P. Pandya 1986; J. P. Lehoczky 1990 for deadlines beyond
//! periods; K. Tindell 1994 for jitter. With preemption between operations: R. J. Bril, J. J.
//! Lukkien and W. F. J. Verhaegh 2009, G. C. Buttazzo, M. Bertogna and G. Yao 2013.

use super::load::{
    self, Load, OutOfSteps, Steps, busy_period, hyperperiod, released_before, released_until,
};
use crate::task::Task;
use crate::time::LONGEST_NS;

/// The tasks that run before a task: those of its level and of more urgent ones.
fn before<'t>(
    tasks: &'t [Task],
    levels: &'t [u32],
    index: usize,
) -> impl Iterator<Item = &'t Task> + Clone {
    let level = levels[index];
    let each = tasks.iter().zip(levels).enumerate();
    each.filter(move |(other, (_, its))| *other != index && **its <= level)
        .map(|(_, (task, _))| task)
}

/// The time that a less urgent operation, which has just begun, may hold a task up.
fn deferral(tasks: &[Task], levels: &[u32], index: usize) -> u64 {
    let lower = tasks.iter().zip(levels);
    let lower = lower.filter(|(_, level)| **level > levels[index]);
    let segments = lower.flat_map(|(task, _)| &task.segments_ns);
    // It begins a nanosecond before the task is released, at the latest.
    segments.max().map_or(0, |longest| longest - 1)
}

/// The longest response time of a task. None if it grows without end.
pub(super) fn response(
    tasks: &[Task],
    levels: &[u32],
    index: usize,
    is_deferred: bool,
    max_steps: u64,
) -> Result<Option<u64>, OutOfSteps> {
    let task = &tasks[index];
    let more_urgent = before(tasks, levels, index);
    let with_task = more_urgent.clone().chain([task]);
    // Jobs of a busy period beyond a hyperperiod are like those before.
    let mut jobs_max = u64::MAX;
    match load::of(with_task.clone()) {
        Load::Over => return Ok(None),
        Load::Below => {}
        Load::Full => {
            let hyperperiod = hyperperiod(with_task.clone().map(|task| task.period_ns));
            jobs_max = hyperperiod.unwrap_or(LONGEST_NS) / task.period_ns;
        }
    }
    let mut steps = Steps::new(max_steps);
    let interference = Interference {
        tasks: more_urgent.map(|task| (task, task.cost_ns())).collect(),
    };
    let cost = task.cost_ns();
    if is_deferred {
        let blocking = deferral(tasks, levels, index).saturating_add(task.blocking_ns);
        let longest = jobs_max.saturating_mul(task.period_ns);
        let length = busy_period(with_task, blocking, longest, &mut steps)?;
        let jobs = released_before(task, length).clamp(1, jobs_max);
        return interference.deferred(task, cost, blocking, jobs, &mut steps);
    }
    interference.anywhere(task, cost, jobs_max, &mut steps)
}

/// The tasks that take the processor from another one, with their times.
struct Interference<'t> {
    tasks: Vec<(&'t Task, u64)>,
}

impl Interference<'_> {
    /// The work of jobs that are released before `length` is over.
    fn before(&self, length: u64) -> u64 {
        self.tasks.iter().fold(0, |sum, (task, cost)| {
            sum.saturating_add(released_before(task, length).saturating_mul(*cost))
        })
    }

    /// The work of jobs that are released until `length`, this moment included.
    fn until(&self, length: u64) -> u64 {
        self.tasks.iter().fold(0, |sum, (task, cost)| {
            sum.saturating_add(released_until(task, length).saturating_mul(*cost))
        })
    }

    fn anywhere(
        &self,
        task: &Task,
        cost: u64,
        jobs_max: u64,
        steps: &mut Steps,
    ) -> Result<Option<u64>, OutOfSteps> {
        let mut worst = 0;
        let mut end = 0;
        for job in 0..jobs_max {
            let own = (job + 1)
                .saturating_mul(cost)
                .saturating_add(task.blocking_ns);
            end = own.max(end);
            loop {
                steps.take(self.tasks.len())?;
                let next = own.saturating_add(self.before(end));
                if next == end {
                    break;
                }
                end = next;
                if end > LONGEST_NS {
                    return Ok(None);
                }
            }
            let released = job.saturating_mul(task.period_ns);
            worst = worst.max(end + task.jitter_ns - released);
            if end + task.jitter_ns <= released + task.period_ns {
                break;
            }
        }
        Ok(Some(worst))
    }

    fn deferred(
        &self,
        task: &Task,
        cost: u64,
        blocking: u64,
        jobs: u64,
        steps: &mut Steps,
    ) -> Result<Option<u64>, OutOfSteps> {
        let last = task.segments_ns.last().copied().unwrap_or(0);
        let mut worst = 0;
        let mut start = 0;
        for job in 0..jobs {
            let own = job.saturating_mul(cost).saturating_add(blocking) + (cost - last);
            start = own.max(start);
            loop {
                steps.take(self.tasks.len())?;
                let next = own.saturating_add(self.until(start));
                if next == start {
                    break;
                }
                start = next;
                if start > LONGEST_NS {
                    return Ok(None);
                }
            }
            let released = job.saturating_mul(task.period_ns);
            worst = worst.max((start + last + task.jitter_ns).saturating_sub(released));
        }
        Ok(Some(worst))
    }
}
