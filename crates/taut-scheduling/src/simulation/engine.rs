//! The execution of tasks from event to event.

use std::cmp::Reverse;

use super::Simulation;
use super::timeline::{Job, Slice, Timeline};
use crate::analysis::AnalysisError;
use crate::options::{Options, Phasing};
use crate::strategy::Strategy;
use crate::task::Task;

/// A job that has been released and has not ended.
#[derive(Debug)]
struct Ready {
    /// Its index among the jobs.
    job: usize,
    task: usize,
    release: u64,
    deadline: u64,
    remaining: u64,
    /// The operation that comes next, or is being executed, and what is left of it.
    segment: usize,
    segment_left: u64,
}

/// The state of an execution.
struct Engine<'t> {
    tasks: &'t [Task],
    levels: &'t [u32],
    strategy: Strategy,
    is_deferred: bool,
    quantum: u64,
    now: u64,
    /// The time of each task's next release.
    next: Vec<u64>,
    ready: Vec<Ready>,
    /// The job that had the processor last, unless it has ended.
    running: Option<usize>,
    jobs: Vec<Job>,
    slices: Vec<Slice>,
    preemptions: u64,
}

/// Executes tasks until `until`.
pub(super) fn run(
    tasks: &[Task],
    levels: &[u32],
    options: &Options,
    until: u64,
) -> Result<Simulation, AnalysisError> {
    let first = |task: &Task| match options.phasing {
        Phasing::Any => 0,
        Phasing::Offsets => task.offset_ns,
    };
    let next: Vec<_> = tasks.iter().map(first).collect();
    let releases = tasks.iter().zip(&next).map(|(task, first)| {
        let span = u128::from(until.saturating_sub(*first));
        span.div_ceil(u128::from(task.period_ns))
    });
    if releases.sum::<u128>() > options.limits.max_jobs as u128 {
        return Err(AnalysisError::TooManyJobs {
            max_jobs: options.limits.max_jobs,
        });
    }
    let mut engine = Engine {
        tasks,
        levels,
        strategy: options.strategy,
        is_deferred: options.is_deferred(),
        quantum: options.quantum_ns.filter(|it| *it > 0).unwrap_or(u64::MAX),
        now: 0,
        next,
        ready: Vec::new(),
        running: None,
        jobs: Vec::new(),
        slices: Vec::new(),
        preemptions: 0,
    };
    // Small quanta make many pieces of a job: their number has a limit, too.
    let pieces_max = options.limits.max_jobs.saturating_mul(64);
    let mut pieces = 0;
    while engine.now < until {
        engine.release();
        engine.step(until);
        pieces += 1;
        if pieces > pieces_max {
            return Err(AnalysisError::TooManyJobs {
                max_jobs: options.limits.max_jobs,
            });
        }
    }
    Ok(Simulation {
        timeline: Timeline {
            lanes: tasks.iter().map(|task| task.name.clone()).collect(),
            jobs: engine.jobs,
            slices: engine.slices,
            end_ns: until,
        },
        preemptions: engine.preemptions,
    })
}

impl Engine<'_> {
    /// Releases the jobs whose time has come.
    fn release(&mut self) {
        for (index, (task, next)) in self.tasks.iter().zip(&mut self.next).enumerate() {
            while *next <= self.now {
                let (release, deadline) = (*next, next.saturating_add(task.deadline_ns));
                self.ready.push(Ready {
                    job: self.jobs.len(),
                    task: index,
                    release,
                    deadline,
                    remaining: task.cost_ns(),
                    segment: 0,
                    segment_left: task.segments_ns.first().copied().unwrap_or(0),
                });
                self.jobs.push(Job {
                    task: index,
                    release_ns: release,
                    deadline_ns: deadline,
                    start_ns: None,
                    end_ns: None,
                });
                *next = next.saturating_add(task.period_ns);
            }
        }
    }

    /// The place of a job among those that are ready: the least one runs. The dispatcher has the
    /// same order.
    fn urgency(&self, ready: &Ready) -> impl Ord + use<> {
        let task = &self.tasks[ready.task];
        let level = self.levels[ready.task];
        let laxity =
            i128::from(ready.deadline) - i128::from(self.now) - i128::from(ready.remaining);
        let waits = self.running != Some(ready.job);
        let order = (ready.release, ready.task);
        let importance = Reverse(task.importance);
        match self.strategy {
            Strategy::RateMonotonic => (level, 0, Reverse(Default::default()), false, order),
            Strategy::DeferredRateMonotonic => (level, 0, importance, false, order),
            Strategy::EarliestDeadlineFirst => {
                (0, i128::from(ready.deadline), importance, false, order)
            }
            Strategy::MinimumLaxityFirst | Strategy::MaximumUrgencyFirst => {
                (level, laxity, importance, waits, order)
            }
        }
    }

    /// Gives the processor to the most urgent job until the next event.
    fn step(&mut self, until: u64) {
        let coming = self.next.iter().copied().min().unwrap_or(u64::MAX);
        let goes_on = |ready: &Ready| {
            let full = self.tasks[ready.task].segments_ns[ready.segment];
            self.is_deferred && self.running == Some(ready.job) && ready.segment_left < full
        };
        let chosen = match self.ready.iter().position(goes_on) {
            Some(held) => Some(held),
            None => {
                let all = 0..self.ready.len();
                all.min_by_key(|index| self.urgency(&self.ready[*index]))
            }
        };
        let Some(chosen) = chosen else {
            self.now = coming.min(until);
            return;
        };
        let job = self.ready[chosen].job;
        if self.running.is_some_and(|last| last != job) {
            self.preemptions += 1;
        }
        self.running = Some(job);
        let competes = self.ready.len() > 1;
        let ready = &mut self.ready[chosen];
        let mut length = match self.is_deferred {
            true => ready.segment_left,
            false => ready.remaining.min(coming - self.now),
        };
        if self.strategy.depends_on_laxity() && competes && !self.is_deferred {
            length = length.min(self.quantum);
        }
        length = length.min(until - self.now);
        let end = self.now + length;
        self.jobs[job].start_ns.get_or_insert(self.now);
        ready.remaining -= length;
        let mut left = length;
        while left > 0 {
            let part = left.min(ready.segment_left);
            ready.segment_left -= part;
            left -= part;
            if ready.segment_left == 0 {
                ready.segment += 1;
                let segments = &self.tasks[ready.task].segments_ns;
                ready.segment_left = segments.get(ready.segment).copied().unwrap_or(0);
            }
        }
        let task = ready.task;
        if ready.remaining == 0 {
            self.jobs[job].end_ns = Some(end);
            self.ready.swap_remove(chosen);
            self.running = None;
        }
        self.note(task, job, end);
        self.now = end;
    }

    /// Notes that a job has had the processor from now until `end`.
    fn note(&mut self, task: usize, job: usize, end: u64) {
        match self.slices.last_mut() {
            Some(last) if last.job == job && last.end_ns == self.now => last.end_ns = end,
            _ => self.slices.push(Slice {
                task,
                job,
                start_ns: self.now,
                end_ns: end,
            }),
        }
    }
}
