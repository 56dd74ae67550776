//! The record of what a dispatcher did.

use std::collections::BTreeSet;

use crate::measured::Measurements;
use crate::repository::Handle;
use crate::schedule::Entry;
use crate::simulation::Timeline;

use super::distribution::Distribution;

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
    /// How long jobs took from their releases until their ends.
    pub responses: Distribution,
    /// For how long jobs had a processor.
    pub executions: Distribution,
}

/// The record of a dispatcher's work.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The fate of each operation's jobs, by its handle.
    pub operations: Vec<OperationReport>,
    /// The last jobs of each thread, with their times since the start. Where all threads are bound
    /// to one CPU and have their priorities, slices have breaks where other jobs preempted; else
    /// they reach from a job's start to its end.
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

    /// Returns the operations that missed deadlines, or whose releases were left out, and that are
    /// not among those that [may](crate::may_miss).
    pub fn unexpected_misses(&self, may_miss: &BTreeSet<Handle>) -> Vec<&OperationReport> {
        let numbered = (0..).map(Handle).zip(&self.operations);
        let unexpected = numbered
            .filter(|(handle, one)| one.missed + one.skipped > 0 && !may_miss.contains(handle));
        unexpected.map(|(_, one)| one).collect()
    }

    /// The execution times, to be fed back into the description. They are those of operations
    /// with all that they call and wait for.
    pub fn measurements(&self) -> Measurements {
        let mut measurements = Measurements::default();
        let executed = self.operations.iter().filter(|one| one.completed > 0);
        for one in executed {
            measurements.note(&one.name, one.longest_execution_ns);
            if let Some(typical) = one.executions.percentile_ns(50.0) {
                measurements.typical_ns.insert(one.name.clone(), typical);
            }
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
    pub(super) end_ns: u64,
    pub(super) execution_ns: u64,
    pub(super) has_panicked: bool,
}

/// The counts of a dispatcher's jobs, within memory that they have from the start.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) operations: Vec<OperationReport>,
    pub(super) refused: Option<String>,
}

impl Record {
    pub(super) fn new(entries: &[Entry]) -> Self {
        let operation = |entry: &Entry| OperationReport {
            name: entry.name.clone().into_owned(),
            ..OperationReport::default()
        };
        Self {
            operations: entries.iter().map(operation).collect(),
            refused: None,
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
        operation.responses.add(response);
        operation.executions.add(execution);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_counted_by_its_deadline_and_its_times() {
        let mut record = Record {
            operations: vec![OperationReport::default()],
            refused: None,
        };
        for (release_ns, end_ns, execution_ns) in [(0, 90, 30), (100, 200, 10), (200, 301, 20)] {
            record.note(Ended {
                operation: 0,
                release_ns,
                deadline_ns: release_ns + 100,
                end_ns,
                execution_ns,
                has_panicked: end_ns == 90,
            });
        }
        let one = &record.operations[0];
        assert_eq!((one.completed, one.missed, one.panicked), (3, 1, 1));
        assert_eq!(
            (one.longest_response_ns, one.longest_execution_ns),
            (101, 30)
        );
        assert_eq!(one.executions.percentile_ns(50.0), Some(20));
        assert_eq!(one.responses.count(), 3);
    }
}
