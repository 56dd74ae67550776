//! Chains of calls: from described operations to tasks.

mod faults;
mod tasks;

use std::fmt;

use crate::anomaly::Anomaly;
use crate::info::{CallKind, RtInfo};
use crate::options::Limits;
use crate::repository::{Handle, Repository};
use crate::task::TaskSet;

use faults::{circle_of, faults_of, limit, never_released};
use tasks::{representatives, tasks};

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
