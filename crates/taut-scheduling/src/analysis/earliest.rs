//! Response times with EDF, whatever the first releases: M. Spuri 1996.

use super::load::{self, Load, OutOfSteps, Steps, busy_period, hyperperiod, released_before};
use crate::task::Task;
use crate::time::LONGEST_NS;

/// The longest response time of a task. None if it grows without end.
///
/// The longest one is found in a busy period in which all other tasks are released at the
/// start, and a job of the task is due together with a job of one of them, or starts it.
pub(super) fn response(
    tasks: &[Task],
    index: usize,
    max_steps: u64,
) -> Result<Option<u64>, OutOfSteps> {
    let task = &tasks[index];
    if load::of(tasks.iter()) == Load::Over {
        return Ok(None);
    }
    let mut steps = Steps::new(max_steps);
    let blocking = tasks.iter().map(|task| task.blocking_ns).max().unwrap_or(0);
    let periods = tasks.iter().map(|task| task.period_ns);
    let jitter = tasks.iter().map(|task| task.jitter_ns).max().unwrap_or(0);
    let longest = hyperperiod(periods).map_or(LONGEST_NS, |it| it + jitter + blocking);
    let horizon = busy_period(tasks.iter(), blocking, longest, &mut steps)?;
    let each = tasks.iter().enumerate();
    let others: Vec<_> = each
        .filter(|(other, _)| *other != index)
        .map(|(_, task)| (task, task.cost_ns()))
        .collect();
    let cost = task.cost_ns();
    let mut worst = cost + task.jitter_ns;
    for at in tasks {
        // Releases of the task at which it is due together with a job of `at`.
        let mut job = 0_u64;
        loop {
            let due = job
                .saturating_mul(at.period_ns)
                .saturating_add(at.deadline_ns);
            let due = due.saturating_sub(at.jitter_ns);
            job += 1;
            let own = task.deadline_ns.saturating_sub(task.jitter_ns);
            let Some(released) = due.checked_sub(own) else {
                continue;
            };
            if released >= horizon.max(1) {
                break;
            }
            let end = end(task, cost, &others, released, blocking, &mut steps)?;
            worst = worst.max(end.saturating_sub(released) + task.jitter_ns);
        }
    }
    Ok(Some(worst))
}

/// The end of the task's job that is released at `released` in a busy period.
fn end(
    task: &Task,
    cost: u64,
    others: &[(&Task, u64)],
    released: u64,
    blocking: u64,
    steps: &mut Steps,
) -> Result<u64, OutOfSteps> {
    let due = released + task.deadline_ns.saturating_sub(task.jitter_ns);
    let first = released % task.period_ns;
    let jobs = released / task.period_ns + 1;
    let work = |length: u64| {
        let own = length
            .saturating_sub(first)
            .div_ceil(task.period_ns)
            .min(jobs);
        others.iter().fold(
            blocking.saturating_add(own.saturating_mul(cost)),
            |sum, (other, cost)| {
                let due = load::due_within(other, due);
                let jobs = released_before(other, length).min(due);
                sum.saturating_add(jobs.saturating_mul(*cost))
            },
        )
    };
    let mut length = 1;
    loop {
        steps.take(others.len())?;
        let next = work(length);
        if next <= length {
            return Ok(length.max(released + cost));
        }
        length = next;
    }
}
