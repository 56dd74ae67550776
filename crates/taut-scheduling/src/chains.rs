//! Chains of calls: from described operations to tasks.

use std::collections::BTreeMap;
use std::fmt;

use crate::anomaly::{Anomaly, AnomalyKind, Severity};
use crate::info::{CallKind, RtInfo};
use crate::options::Limits;
use crate::repository::{Handle, Repository};
use crate::task::{Task, TaskSet};
use crate::time::{LONGEST_NS, ShownTime};

/// The faults for which no tasks come of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Anomaly>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, anomaly) in self.0.iter().enumerate() {
            let separator = if number > 0 { "\n" } else { "" };
            write!(f, "{separator}{anomaly}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

impl TaskSet {
    /// Follows the calls of all operations and returns the tasks that come of them.
    ///
    /// An operation's total is its own worst case and the totals of all operations that it calls
    /// and waits for. Its period is its own, or the least of its callers'. Each operation with a
    /// period and threads is a task; so is each operation that a task calls without waiting, at
    /// that task's rate and with its deadline.
    ///
    /// # Errors
    ///
    /// When operations call each other in a circle, are called and not described, are never
    /// released or have no execution time, when numbers are out of range or a limit is reached. All
    /// such faults are named.
    pub fn of(repository: &Repository, limits: &Limits) -> Result<Self, Faults> {
        let count = repository.len();
        if count > limits.max_operations {
            let message = format!(
                "there are {count} operations, of which `max_operations` allows {}",
                limits.max_operations
            );
            return Err(Faults(vec![limit(message)]));
        }
        let mut faults: Vec<_> = repository
            .iter()
            .flat_map(|(handle, info)| faults_of(repository, handle, info))
            .collect();
        let order = match callers_first(repository) {
            Ok(order) => order,
            Err(circle) => {
                faults.push(circle_of(repository, circle));
                return Err(Faults(faults));
            }
        };
        let periods = periods(repository, &order);
        faults.extend(never_released(repository, &periods));
        let calls = calls(repository, &order);
        let released = |handle: Handle| is_released(&repository[handle]);
        for (handle, info) in repository.iter() {
            if released(handle) && calls[handle.index()] > limits.max_calls as u64 {
                let message = format!(
                    "`{}` and all that it calls are {} executions, of which `max_calls` allows {}",
                    info.entry_point,
                    calls[handle.index()],
                    limits.max_calls
                );
                faults.push(limit(message));
            }
        }
        if !faults.is_empty() {
            return Err(Faults(faults));
        }
        let tasks = tasks(repository, &order, &calls, limits)?;
        let task_of = representatives(repository, &order, &tasks);
        Ok(Self {
            tasks,
            periods_ns: periods,
            task_of,
            anomalies: Vec::new(),
        })
    }
}

/// Whether an operation is released by time.
fn is_released(info: &RtInfo) -> bool {
    info.period_ns.is_some() && info.threads != Some(0)
}

fn limit(message: String) -> Anomaly {
    let anomaly = Anomaly::new(Severity::Fatal, AnomalyKind::Limit, [], message);
    anomaly.help("raise this limit, or describe fewer operations")
}

/// The faults that an operation's description has by itself.
fn faults_of(repository: &Repository, handle: Handle, info: &RtInfo) -> Vec<Anomaly> {
    let name = &info.entry_point;
    let fault = |kind, message: String| Anomaly::new(Severity::Fatal, kind, [handle], message);
    let mut faults = Vec::new();
    if !info.is_described {
        let calls_it = |(_, one): &(Handle, &RtInfo)| {
            one.dependencies
                .iter()
                .any(|called| called.callee == handle)
        };
        let caller = repository.iter().find(calls_it);
        let by = caller.map_or(String::new(), |(_, info)| {
            format!("by `{}`", info.entry_point)
        });
        let message = format!("`{name}` is called {by} and not described");
        let fault = fault(AnomalyKind::UnresolvedDependency, message);
        return vec![fault.help("give it a worst-case execution time, or take the call away")];
    }
    if info.threads.is_some_and(|threads| threads > 0) && info.period_ns.is_none() {
        let message = format!("`{name}` has threads of its own and no period");
        let fault = fault(AnomalyKind::ThreadSpecification, message);
        faults.push(fault.help("give it a period, or no threads"));
    }
    if info.worst_case_ns == 0 && info.dependencies.is_empty() {
        let message = format!("`{name}` has no worst-case execution time");
        let fault = fault(AnomalyKind::NoExecutionTime, message);
        faults.push(fault.help("measure it, or give an estimate, and add a margin"));
    }
    let times = [
        ("worst-case execution time", info.worst_case_ns),
        ("period", info.period_ns.unwrap_or(1)),
        ("deadline", info.deadline_ns.unwrap_or(1)),
        ("offset", info.offset_ns),
        ("jitter", info.jitter_ns),
        ("blocking", info.blocking_ns),
    ];
    for (what, time) in times {
        let is_zero = time == 0 && (what == "period" || what == "deadline");
        if is_zero || time > LONGEST_NS {
            let message = format!("the {what} of `{name}` is {}", ShownTime(time));
            let help = "it must be more than nothing and less than 36 years";
            faults.push(fault(AnomalyKind::Range, message).help(help));
        }
    }
    if info.dependencies.iter().any(|called| called.calls == 0) {
        let message = format!("`{name}` calls an operation 0 times");
        faults.push(fault(AnomalyKind::Range, message).help("take the call away"));
    }
    faults
}

/// The operations, each before those that it calls; or the members of a circle.
fn callers_first(repository: &Repository) -> Result<Vec<Handle>, Vec<Handle>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; repository.len()];
    let mut order = Vec::with_capacity(repository.len());
    // Each entry is an operation on the way down, with the number of its calls that are done.
    let mut way: Vec<(Handle, usize)> = Vec::new();
    for (start, _) in repository.iter() {
        if marks[start.index()] == Mark::New {
            marks[start.index()] = Mark::Open;
            way.push((start, 0));
        }
        while let Some((handle, done)) = way.last_mut() {
            let handle = *handle;
            let Some(next) = repository[handle].dependencies.get(*done) else {
                marks[handle.index()] = Mark::Done;
                order.push(handle);
                way.pop();
                continue;
            };
            *done += 1;
            match marks[next.callee.index()] {
                Mark::Done => {}
                Mark::New => {
                    marks[next.callee.index()] = Mark::Open;
                    way.push((next.callee, 0));
                }
                Mark::Open => {
                    let members = way.iter().map(|(handle, _)| *handle);
                    return Err(members.skip_while(|one| *one != next.callee).collect());
                }
            }
        }
    }
    order.reverse();
    Ok(order)
}

fn circle_of(repository: &Repository, members: Vec<Handle>) -> Anomaly {
    let names = members.iter().chain(members.first());
    let names: Vec<_> = names
        .map(|handle| format!("`{}`", repository[*handle].entry_point))
        .collect();
    let message = format!(
        "operations call each other in a circle: {}",
        names.join(" → ")
    );
    let anomaly = Anomaly::new(
        Severity::Fatal,
        AnomalyKind::CyclicDependencies,
        members,
        message,
    );
    anomaly.help("take one of the calls away")
}

/// The period of each operation: its own, or the least of its callers'; 0 if there is none.
fn periods(repository: &Repository, order: &[Handle]) -> Vec<u64> {
    let mut periods: Vec<_> = repository
        .iter()
        .map(|(_, info)| info.period_ns.unwrap_or(0))
        .collect();
    for handle in order {
        let period = periods[handle.index()];
        for called in &repository[*handle].dependencies {
            let callee = &mut periods[called.callee.index()];
            let has_own = repository[called.callee].period_ns.is_some();
            if !has_own && period > 0 && (*callee == 0 || period < *callee) {
                *callee = period;
            }
        }
    }
    periods
}

/// One fault for each operation that has neither a period nor a caller with one.
fn never_released(repository: &Repository, periods: &[u64]) -> Vec<Anomaly> {
    let mut is_reached = vec![false; repository.len()];
    for (_, info) in repository.iter() {
        for called in &info.dependencies {
            is_reached[called.callee.index()] = true;
        }
    }
    let described = repository.iter().filter(|(_, info)| info.is_described);
    let never = described.filter(|(handle, info)| {
        let index = handle.index();
        periods[index] == 0 || (!is_reached[index] && !is_released(info))
    });
    never
        .map(|(handle, info)| {
            let message = format!(
                "`{}` is never released: it has neither a period nor a caller that has one",
                info.entry_point
            );
            Anomaly::new(
                Severity::Fatal,
                AnomalyKind::NeverReleased,
                [handle],
                message,
            )
            .help("give it a period, or name it among the calls of another operation")
        })
        .collect()
}

/// How many executions each operation is, with all that it calls and waits for.
fn calls(repository: &Repository, order: &[Handle]) -> Vec<u64> {
    let mut calls = vec![1_u64; repository.len()];
    for handle in order.iter().rev() {
        let waited = repository[*handle].dependencies.iter();
        let waited = waited.filter(|called| called.kind == CallKind::TwoWay);
        calls[handle.index()] = waited.fold(1, |sum, called| {
            let more = calls[called.callee.index()].saturating_mul(u64::from(called.calls));
            sum.saturating_add(more)
        });
    }
    calls
}

/// The time of each operation, with those that it calls and waits for. In a circle of calls, which
/// has no totals, it is the operation's own.
pub(crate) fn totals_ns(repository: &Repository) -> Vec<u64> {
    let own = repository.iter().map(|(_, info)| info.worst_case_ns);
    let mut totals: Vec<_> = own.collect();
    for handle in callees_first(repository) {
        let waited = waited_ns(repository, handle, &totals);
        totals[handle.index()] = totals[handle.index()].saturating_add(waited);
    }
    totals
}

/// The operations, each behind those that it calls. None in a circle of calls.
pub(crate) fn callees_first(repository: &Repository) -> Vec<Handle> {
    let mut order = callers_first(repository).unwrap_or_default();
    order.reverse();
    order
}

/// The time of all that an operation calls and waits for, with these totals of operations.
pub(crate) fn waited_ns(repository: &Repository, handle: Handle, totals: &[u64]) -> u64 {
    let waited = repository[handle].dependencies.iter();
    let waited = waited.filter(|called| called.kind == CallKind::TwoWay);
    waited.fold(0, |sum, called| {
        let more = totals[called.callee.index()].saturating_mul(u64::from(called.calls));
        sum.saturating_add(more)
    })
}

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
fn tasks(
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
fn representatives(repository: &Repository, order: &[Handle], tasks: &[Task]) -> Vec<usize> {
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
