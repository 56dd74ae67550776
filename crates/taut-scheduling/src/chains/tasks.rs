//! The tasks of operations that are released by time, and of those that they call without waiting.

use std::collections::BTreeMap;

use super::faults::limit;
use super::{Faults, is_released};
use crate::info::{CallKind, RtInfo};
use crate::options::Limits;
use crate::repository::{Handle, Repository};
use crate::task::Task;

/// The times of an operation and of those that it waits for, in the order of execution.
fn segments(repository: &Repository, handle: Handle, times: u64) -> Vec<u64> {
    let mut once = Vec::new();
    let mut push = |handle: Handle| {
        let time = repository[handle].worst_case_ns;
        once.extend((time > 0).then_some(time));
    };
    push(handle);
    // Each entry is an operation, the number of its calls that are done, and the times that the
    // next one has been called already.
    let mut way = vec![(handle, 0, 0)];
    while let Some((handle, done, repeated)) = way.last_mut() {
        let Some(called) = repository[*handle].dependencies.get(*done) else {
            way.pop();
            continue;
        };
        if called.kind == CallKind::OneWay || *repeated == called.calls {
            *done += 1;
            *repeated = 0;
            continue;
        }
        *repeated += 1;
        let callee = called.callee;
        push(callee);
        way.push((callee, 0, 0));
    }
    let length = once.len() * usize::try_from(times).unwrap_or(usize::MAX);
    once.iter().copied().cycle().take(length).collect()
}

/// The tasks of all operations that are released by time, and of those that they call without
/// waiting.
pub(super) fn tasks(
    repository: &Repository,
    order: &[Handle],
    calls: &[u64],
    limits: &Limits,
) -> Result<Vec<Task>, Faults> {
    let mut place = vec![0; repository.len()];
    for (number, handle) in order.iter().enumerate() {
        place[handle.index()] = number;
    }
    let mut tasks = Vec::new();
    let mut called_tasks = Vec::new();
    for (root, info) in repository.iter().filter(|(_, info)| is_released(info)) {
        let called = called_without_waiting(repository, order, &place, root);
        let threads = info.threads.unwrap_or(1) as usize;
        let more = threads.saturating_mul(1 + called.len());
        let count = more.saturating_add(tasks.len() + called_tasks.len());
        if count > limits.max_tasks {
            let message = format!(
                "with the {threads} threads of `{}` there are {count} tasks, of which \
                 `max_tasks` allows {}",
                info.entry_point, limits.max_tasks
            );
            return Err(Faults(vec![limit(message)]));
        }
        for (callee, times) in &called {
            let executions = calls[callee.index()].saturating_mul(*times);
            if executions > limits.max_calls as u64 {
                let message = format!(
                    "`{}` leads to {executions} executions in each period of `{}`, of which \
                     `max_calls` allows {}",
                    repository[*callee].entry_point, info.entry_point, limits.max_calls
                );
                return Err(Faults(vec![limit(message)]));
            }
        }
        for thread in 0..threads {
            let number = match threads {
                1 => String::new(),
                _ => format!(" #{}", thread + 1),
            };
            let name = format!("{}{number}", info.entry_point);
            tasks.push(task(info, name, root, segments(repository, root, 1)));
            for (callee, times) in &called {
                let name = &repository[*callee].entry_point;
                let name = format!("{name} (called by {}{number})", info.entry_point);
                let segments = segments(repository, *callee, *times);
                let mut task = task(info, name, *callee, segments);
                task.released_by = Some(root);
                called_tasks.push(task);
            }
        }
    }
    tasks.append(&mut called_tasks);
    Ok(tasks)
}

/// A task that is released with an operation.
fn task(root: &RtInfo, name: String, operation: Handle, segments_ns: Vec<u64>) -> Task {
    let period_ns = root.period_ns.unwrap_or(1);
    Task {
        name,
        operation,
        released_by: None,
        period_ns,
        deadline_ns: root.deadline_ns.unwrap_or(period_ns),
        offset_ns: root.offset_ns,
        jitter_ns: root.jitter_ns,
        blocking_ns: root.blocking_ns,
        criticality: root.criticality,
        importance: root.importance,
        segments_ns,
    }
}

/// The operations that one release of `root` calls without waiting, directly and by those that it
/// calls, each with the number of its executions. Those that are released by time are not among
/// them.
fn called_without_waiting(
    repository: &Repository,
    order: &[Handle],
    place: &[usize],
    root: Handle,
) -> Vec<(Handle, u64)> {
    let mut found = BTreeMap::new();
    // Executions by place, so that all callers of an operation are dealt with before it.
    let mut executions = BTreeMap::from([(place[root.index()], 1_u64)]);
    while let Some((at, times)) = executions.pop_first() {
        for called in &repository[order[at]].dependencies {
            let more = times.saturating_mul(u64::from(called.calls));
            let callee = place[called.callee.index()];
            if called.kind == CallKind::OneWay {
                if is_released(&repository[called.callee]) {
                    continue;
                }
                let count = found.entry(callee).or_insert(0_u64);
                *count = count.saturating_add(more);
            }
            let count = executions.entry(callee).or_insert(0);
            *count = count.saturating_add(more);
        }
    }
    found
        .into_iter()
        .map(|(at, times)| (order[at], times))
        .collect()
}

/// The task whose priority each operation has: its own, or the most frequent one that calls it.
pub(super) fn representatives(
    repository: &Repository,
    order: &[Handle],
    tasks: &[Task],
) -> Vec<usize> {
    let mut best: Vec<Option<usize>> = vec![None; repository.len()];
    let period = |task: usize| tasks[task].period_ns;
    let better = |one: Option<usize>, other: usize| match one {
        Some(one) if period(one) <= period(other) => one,
        _ => other,
    };
    for (number, task) in tasks.iter().enumerate() {
        let slot = &mut best[task.operation.index()];
        *slot = Some(better(*slot, number));
    }
    for handle in order {
        let Some(task) = best[handle.index()] else {
            continue;
        };
        for called in &repository[*handle].dependencies {
            let has_own = is_released(&repository[called.callee]);
            if called.kind == CallKind::TwoWay && !has_own {
                let slot = &mut best[called.callee.index()];
                *slot = Some(better(*slot, task));
            }
        }
    }
    best.into_iter().map(Option::unwrap_or_default).collect()
}
