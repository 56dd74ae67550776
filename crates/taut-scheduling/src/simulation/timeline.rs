//! Timelines: jobs, and who had the processor when.

use std::collections::BTreeSet;

/// A job: one execution of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Job {
    /// The lane of its task.
    pub task: usize,
    /// The time of its release.
    pub release_ns: u64,
    /// The time at which it is due.
    pub deadline_ns: u64,
    /// The time at which it had the processor first, if it had it.
    pub start_ns: Option<u64>,
    /// The time at which it ended, if it has.
    pub end_ns: Option<u64>,
}

impl Job {
    /// A job that has been released.
    pub fn new(task: usize, release_ns: u64, deadline_ns: u64) -> Self {
        Self {
            task,
            release_ns,
            deadline_ns,
            start_ns: None,
            end_ns: None,
        }
    }

    /// The time from its release until its end, if it has ended.
    pub fn response_ns(&self) -> Option<u64> {
        Some(self.end_ns?.saturating_sub(self.release_ns))
    }

    /// Whether it missed its deadline, as seen at `now_ns`.
    pub fn is_missed(&self, now_ns: u64) -> bool {
        match self.end_ns {
            Some(end) => end > self.deadline_ns,
            None => now_ns >= self.deadline_ns,
        }
    }
}

/// A time in which a job has the processor without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Slice {
    /// The lane of its task.
    pub task: usize,
    /// The index of the job.
    pub job: usize,
    /// The start.
    pub start_ns: u64,
    /// The end.
    pub end_ns: u64,
}

impl Slice {
    /// A time in which a job has the processor.
    pub fn new(task: usize, job: usize, start_ns: u64, end_ns: u64) -> Self {
        Self {
            task,
            job,
            start_ns,
            end_ns,
        }
    }
}

/// Jobs, and who had the processor when: of a simulation, or of a dispatcher.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeline {
    /// The names of the tasks.
    pub lanes: Vec<String>,
    /// The jobs, in the order of their releases.
    pub jobs: Vec<Job>,
    /// The times in which jobs had the processor, in their order.
    pub slices: Vec<Slice>,
    /// The end of the time that is shown.
    pub end_ns: u64,
}

impl Timeline {
    /// An empty timeline with these tasks.
    pub fn new(lanes: Vec<String>) -> Self {
        Self {
            lanes,
            ..Self::default()
        }
    }

    /// Returns the part between two times, which begins at 0: the jobs that are released in it, or
    /// have the processor in it, and their times on the processor within. Earlier times are at 0.
    pub fn between(&self, start_ns: u64, end_ns: u64) -> Self {
        let mut part = Self::new(self.lanes.clone());
        part.end_ns = end_ns.saturating_sub(start_ns);
        let mut numbers = vec![None; self.jobs.len()];
        let has_slice: BTreeSet<_> = self
            .slices
            .iter()
            .filter(|slice| slice.start_ns < end_ns && slice.end_ns > start_ns)
            .map(|slice| slice.job)
            .collect();
        for (number, job) in self.jobs.iter().enumerate() {
            let is_released = (start_ns..end_ns).contains(&job.release_ns);
            if !is_released && !has_slice.contains(&number) {
                continue;
            }
            numbers[number] = Some(part.jobs.len());
            let shifted = |time: u64| time.saturating_sub(start_ns);
            part.jobs.push(Job {
                task: job.task,
                release_ns: shifted(job.release_ns),
                deadline_ns: shifted(job.deadline_ns),
                start_ns: job.start_ns.map(shifted),
                end_ns: job.end_ns.map(shifted),
            });
        }
        for slice in &self.slices {
            let (from, to) = (slice.start_ns.max(start_ns), slice.end_ns.min(end_ns));
            let job = numbers.get(slice.job).copied().flatten();
            if let (Some(job), true) = (job, from < to) {
                let slice = Slice::new(slice.task, job, from - start_ns, to - start_ns);
                part.slices.push(slice);
            }
        }
        part
    }

    /// The number of times at which a job lost the processor before its end.
    pub fn preemptions(&self) -> usize {
        self.slices
            .iter()
            .filter(|slice| self.is_preempted(slice))
            .count()
    }

    /// Whether a slice ends before its job does.
    pub(crate) fn is_preempted(&self, slice: &Slice) -> bool {
        let job = self.jobs.get(slice.job);
        job.is_some_and(|job| job.end_ns.unwrap_or(self.end_ns) > slice.end_ns)
    }

    /// The number of jobs that missed their deadlines.
    pub fn misses(&self) -> usize {
        let missed = self.jobs.iter().filter(|job| job.is_missed(self.end_ns));
        missed.count()
    }
}
