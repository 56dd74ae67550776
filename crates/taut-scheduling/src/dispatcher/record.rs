//! The record of what a dispatcher did.

use crate::measured::Measurements;
use crate::repository::Handle;
use crate::schedule::Entry;
use crate::simulation::{Job, Slice, Timeline};

/// The fate of an operation's jobs, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationReport {
    /// The operation's name.
    pub name: String,
    /// The number of jobs that were released.
    pub released: u64,
    /// The number of jobs that were executed to their end.
    pub completed: u64,
    /// The number of jobs that ended after their deadline.
    pub missed: u64,
    /// The number of releases that were left out, for too many jobs waited.
    pub skipped: u64,
    /// The number of jobs whose code panicked.
    pub panicked: u64,
    /// The longest time from a release until its job's end.
    pub longest_response_ns: u64,
    /// The longest time for which a job had a processor.
    pub longest_execution_ns: u64,
}

/// The record of a dispatcher's work.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The fate of each operation's jobs, by its handle.
    pub operations: Vec<OperationReport>,
    /// The first jobs, with their times since the start. A slice reaches from a job's start to its
    /// end; breaks by preemption are not in it.
    pub timeline: Timeline,
    /// The reason why threads did not get the priorities of the schedule, if they did not.
    pub priorities_refused: Option<String>,
}

impl Report {
    /// Returns the fate of an operation's jobs.
    pub fn operation(&self, operation: Handle) -> Option<&OperationReport> {
        self.operations.get(operation.index())
    }

    /// The number of jobs that ended after their deadlines.
    pub fn missed(&self) -> u64 {
        self.operations.iter().map(|one| one.missed).sum()
    }

    /// The execution times, to be fed back into the description. They are those of operations
    /// with all that they call and wait for.
    pub fn measurements(&self) -> Measurements {
        let mut measurements = Measurements::default();
        let executed = self.operations.iter().filter(|one| one.completed > 0);
        for one in executed {
            measurements.note(&one.name, one.longest_execution_ns);
        }
        measurements
    }
}

/// A job that has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    pub(super) operation: usize,
    pub(super) release_ns: u64,
    pub(super) deadline_ns: u64,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) execution_ns: u64,
    pub(super) has_panicked: bool,
}

/// The record that grows while a dispatcher runs, within memory that it has from the start.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) operations: Vec<OperationReport>,
    pub(super) refused: Option<String>,
    ended: Vec<Ended>,
    max: usize,
}

impl Record {
    pub(super) fn new(entries: &[Entry], max: usize) -> Self {
        let operation = |entry: &Entry| OperationReport {
            name: entry.name.clone().into_owned(),
            ..OperationReport::default()
        };
        Self {
            operations: entries.iter().map(operation).collect(),
            refused: None,
            ended: Vec::with_capacity(max),
            max,
        }
    }

    /// Notes a job that has ended.
    pub(super) fn note(&mut self, job: Ended) {
        let operation = &mut self.operations[job.operation];
        operation.completed += 1;
        operation.missed += u64::from(job.end_ns > job.deadline_ns);
        operation.panicked += u64::from(job.has_panicked);
        let response = job.end_ns.saturating_sub(job.release_ns);
        operation.longest_response_ns = operation.longest_response_ns.max(response);
        let execution = job.execution_ns;
        operation.longest_execution_ns = operation.longest_execution_ns.max(execution);
        if self.ended.len() < self.max {
            self.ended.push(job);
        }
    }

    /// The report of all that has been noted.
    pub(super) fn report(&self, now_ns: u64) -> Report {
        let names = self.operations.iter().map(|one| one.name.clone());
        let mut timeline = Timeline::new(names.collect());
        timeline.end_ns = now_ns;
        let mut ended = self.ended.clone();
        ended.sort_by_key(|job| (job.release_ns, job.operation));
        for (number, ended) in ended.iter().enumerate() {
            let mut job = Job::new(ended.operation, ended.release_ns, ended.deadline_ns);
            job.start_ns = Some(ended.start_ns);
            job.end_ns = Some(ended.end_ns);
            timeline.jobs.push(job);
            let slice = Slice::new(ended.operation, number, ended.start_ns, ended.end_ns);
            timeline.slices.push(slice);
        }
        timeline.slices.sort_by_key(|slice| slice.start_ns);
        Report {
            operations: self.operations.clone(),
            timeline,
            priorities_refused: self.refused.clone(),
        }
    }
}
