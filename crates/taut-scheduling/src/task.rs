//! Tasks: what is released again and again, with all that it calls.

use crate::info::{Criticality, Importance};
use crate::repository::Handle;

/// A periodic task: an operation with all operations that it calls and waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// The name: that of the operation, with the caller's where callers make several tasks of one
    /// operation.
    pub name: String,
    /// The operation that is released.
    pub operation: Handle,
    /// The operation that releases it by a oneway call, if it is not released by time.
    pub released_by: Option<Handle>,
    /// The least time between two releases.
    pub period_ns: u64,
    /// The time from a release to its deadline.
    pub deadline_ns: u64,
    /// The time of the first release.
    pub offset_ns: u64,
    /// How much later than its time a release may come.
    pub jitter_ns: u64,
    /// How long a job may wait for what less urgent ones hold.
    pub blocking_ns: u64,
    /// How much depends on its deadlines.
    pub criticality: Criticality,
    /// Which task goes first where all else is equal.
    pub importance: Importance,
    /// The times of the operations that a job executes, in their order: it can be preempted
    /// between two of them, whatever the strategy.
    pub segments_ns: Vec<u64>,
}

impl Task {
    /// A task with a deadline at the end of its period, whose job is one operation.
    pub fn new(name: impl Into<String>, period_ns: u64, cost_ns: u64) -> Self {
        Self {
            name: name.into(),
            operation: Handle(0),
            released_by: None,
            period_ns,
            deadline_ns: period_ns,
            offset_ns: 0,
            jitter_ns: 0,
            blocking_ns: 0,
            criticality: Criticality::default(),
            importance: Importance::default(),
            segments_ns: vec![cost_ns],
        }
    }

    /// The worst-case execution time of a job.
    pub fn cost_ns(&self) -> u64 {
        self.segments_ns
            .iter()
            .fold(0, |sum, one| sum.saturating_add(*one))
    }

    /// The share of the processor's time that it takes.
    pub fn utilization(&self) -> f64 {
        self.cost_ns() as f64 / self.period_ns as f64
    }
}

/// The tasks that come of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskSet {
    /// The tasks, those that are released by time first.
    pub tasks: Vec<Task>,
    /// The least period at which each operation of the repository runs, by its handle.
    pub periods_ns: Vec<u64>,
    /// The task at whose priority each operation runs, by the operation's handle.
    pub task_of: Vec<usize>,
    /// Properties to know of.
    pub anomalies: Vec<crate::Anomaly>,
}

impl TaskSet {
    /// A set of tasks that come of no repository: each is its own operation.
    pub fn from_tasks(mut tasks: Vec<Task>) -> Self {
        for (number, task) in (0..).zip(&mut tasks) {
            task.operation = Handle(number);
        }
        Self {
            periods_ns: tasks.iter().map(|task| task.period_ns).collect(),
            task_of: (0..tasks.len()).collect(),
            tasks,
            anomalies: Vec::new(),
        }
    }

    /// The share of the processor's time that all tasks take: 1 is all of it.
    pub fn utilization(&self) -> f64 {
        self.tasks.iter().map(Task::utilization).sum()
    }

    /// The time after which the releases repeat: the least common multiple of the periods. None
    /// where it is beyond some 36 years.
    pub fn hyperperiod_ns(&self) -> Option<u64> {
        crate::analysis::hyperperiod(self.tasks.iter().map(|task| task.period_ns))
    }
}
