//! The processor's demand before each deadline, under the load of more urgent groups.
//!
//! S. K. Baruah, A. K. Mok and L. E. Rosier 1990 for one group; L. George, N. Rivierre and M. Spuri
//! 1996 without preemption. A group under more urgent ones has what these leave, and what they
//! leave is least when all are released at once.

use super::load::{self, Load, OutOfSteps, Steps, busy_period, due_within, hyperperiod};
use crate::task::Task;
use crate::time::LONGEST_NS;

/// A set of tasks of which EDF, or the least laxity, chooses.
pub(super) struct Group<'t> {
    /// Its tasks.
    pub(super) members: Vec<&'t Task>,
    /// Those of more urgent groups.
    pub(super) more_urgent: Vec<&'t Task>,
    /// Those of less urgent groups.
    pub(super) less_urgent: Vec<&'t Task>,
}

/// A time before which more is due than can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overrun {
    /// The time since the start of a busy period. None if the processor is asked for more than it
    /// has, all the time.
    pub(super) at_ns: Option<u64>,
    /// The time that misses.
    pub(super) missing_ns: u64,
}

impl Group<'_> {
    /// Finds the first time at which more is due than can be done.
    pub(super) fn overrun(
        &self,
        is_deferred: bool,
        max_steps: u64,
    ) -> Result<Option<Overrun>, OutOfSteps> {
        let all = self.members.iter().chain(&self.more_urgent).copied();
        let load = load::of(all.clone());
        let longest_deadline = self.members.iter().map(|task| task.deadline_ns).max();
        let latest = longest_deadline.unwrap_or(0);
        if load == Load::Over {
            let period = self.members.iter().map(|task| task.period_ns).max();
            return Ok(Some(Overrun {
                at_ns: None,
                missing_ns: load::lacking(all, period.unwrap_or(1)),
            }));
        }
        let mut steps = Steps::new(max_steps);
        let blocking = self
            .blocking(is_deferred, 0)
            .max(self.blocking(is_deferred, u64::MAX));
        let jitter = all.clone().map(|task| task.jitter_ns).max().unwrap_or(0);
        // Beyond that, demand and time grow alike, so that nothing new comes.
        let longest = match hyperperiod(all.clone().map(|task| task.period_ns)) {
            Some(hyperperiod) => hyperperiod + latest + jitter,
            None => LONGEST_NS,
        };
        let horizon = busy_period(all, blocking, longest, &mut steps)?;
        let mut others = Work::of(&self.more_urgent);
        let costs: Vec<_> = self.members.iter().map(|task| task.cost_ns()).collect();
        let mut next: Vec<_> = self
            .members
            .iter()
            .map(|task| task.deadline_ns.saturating_sub(task.jitter_ns))
            .collect();
        // A job that is due at the very end of the busy period belongs to it.
        while let Some(at) = next.iter().copied().min().filter(|at| *at <= horizon) {
            steps.take(self.members.len() + self.more_urgent.len())?;
            let due = self.members.iter().zip(&costs);
            let due = due.fold(0_u64, |sum, (task, cost)| {
                sum.saturating_add(due_within(task, at).saturating_mul(*cost))
            });
            let needed = due
                .saturating_add(others.done_until(at))
                .saturating_add(self.blocking(is_deferred, at));
            if needed > at {
                return Ok(Some(Overrun {
                    at_ns: Some(at),
                    missing_ns: needed - at,
                }));
            }
            for (next, task) in next.iter_mut().zip(&self.members) {
                if *next == at {
                    let due = due_within(task, at);
                    let time = due.saturating_mul(task.period_ns) + task.deadline_ns;
                    *next = time.saturating_sub(task.jitter_ns);
                }
            }
        }
        Ok(None)
    }

    /// How long jobs that are due at `at` may be held up by others that are due later.
    fn blocking(&self, is_deferred: bool, at: u64) -> u64 {
        let members = self.members.iter();
        let resources = members.clone().filter(|task| task.deadline_ns <= at);
        let resources = resources.map(|task| task.blocking_ns).max().unwrap_or(0);
        if !is_deferred {
            return resources;
        }
        let within = members.flat_map(|task| {
            // A job that is late in its chain of calls has been there for some time.
            let mut age = 0;
            task.segments_ns.iter().filter(move |segment| {
                let is_later = task.deadline_ns.saturating_sub(age) > at;
                age = age.saturating_add(**segment);
                is_later
            })
        });
        let below = self.less_urgent.iter().flat_map(|task| &task.segments_ns);
        let longest = within.chain(below).max();
        // It begins a nanosecond before the others are released, at the latest.
        resources.saturating_add(longest.map_or(0, |longest| longest - 1))
    }
}

/// The work of tasks that are released at once and run before all others.
struct Work<'t> {
    tasks: Vec<(&'t Task, u64, u64)>,
    now: u64,
    backlog: u64,
    done: u64,
}

impl<'t> Work<'t> {
    fn of(tasks: &[&'t Task]) -> Self {
        Self {
            // Each with the number of jobs that have been released, and with its cost.
            tasks: tasks
                .iter()
                .map(|task| (*task, 0, task.cost_ns()))
                .collect(),
            now: 0,
            backlog: 0,
            done: 0,
        }
    }

    /// The time of the next release of a task of which `released` jobs have been released.
    fn next_release(task: &Task, released: u64) -> u64 {
        let time = released.saturating_mul(task.period_ns);
        time.saturating_sub(task.jitter_ns)
    }

    /// The time that these tasks have had by `until`. Times of calls may only grow.
    fn done_until(&mut self, until: u64) -> u64 {
        loop {
            let releases = self.tasks.iter();
            let releases = releases.map(|(task, released, _)| Self::next_release(task, *released));
            let next = releases.min().unwrap_or(u64::MAX).min(until);
            let worked = self.backlog.min(next - self.now);
            self.backlog -= worked;
            self.done += worked;
            self.now = next;
            if next == until {
                return self.done;
            }
            for (task, released, cost) in &mut self.tasks {
                while Self::next_release(task, *released) <= next {
                    *released += 1;
                    self.backlog = self.backlog.saturating_add(*cost);
                }
            }
        }
    }
}
