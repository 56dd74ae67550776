//! The run-time dispatcher: threads that execute operations by a [`Schedule`].
//!
//! RMS has a thread for each rate, at the rate's priority, MUF one for each criticality; the system
//! preempts among them where it allows real-time priorities. RMS with deferred preemption, EDF and
//! MLF have one thread, which chooses anew after each operation: analyze these with
//! [`Preemption::BetweenOperations`]. With [`Settings::preemption`] EDF has a thread for each
//! operation, and the one whose job has the earliest deadline has a higher priority than the others.
//! One more thread, above all others, releases operations when their periods begin.
//!
//! The dispatcher counts deadlines that were missed, measures execution times, and keeps a
//! [`Timeline`](crate::Timeline). Queues, records and counters are made at the start; afterwards it
//! needs no memory.
//!
//! All operations are released together once all threads are there, whatever their offsets: analyze
//! with [`Phasing::Any`](crate::Phasing::Any).
//!
//! ```
//! use taut_scheduling::dispatcher::Dispatcher;
//! use taut_scheduling::{Options, Repository, Schedule, TaskSet, analyze};
//! use std::sync::mpsc;
//!
//! let mut repository = Repository::default();
//! let sweep = repository.describe("Radar::sweep");
//! repository[sweep].period_ns = Some(2_000_000);
//! repository[sweep].worst_case_ns = 500_000;
//! let options = Options::default();
//! let tasks = TaskSet::of(&repository, &options.limits)?;
//! let schedule = Schedule::new(&repository, &tasks, &analyze(&tasks, &options)?, &options);
//!
//! let (done, ends) = mpsc::channel();
//! let mut dispatcher = Dispatcher::new(&schedule);
//! dispatcher.execute(sweep, move || done.send(()).unwrap_or(()))?;
//! let running = dispatcher.start()?;
//! ends.recv()?;
//! let report = running.stop();
//! assert!(report.operation(sweep).unwrap().completed >= 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod distribution;
mod events;
mod queue;
mod record;
mod threads;
mod urged;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use crate::options::Preemption;
use crate::repository::Handle;
use crate::schedule::Schedule;
use crate::strategy::Strategy;

pub use distribution::Distribution;
use queue::{Division, Queues, Rule};
pub use record::{OperationReport, Report};

/// Whether the dispatcher's threads get the priorities of the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Priorities {
    /// They get them where the process may give them; [`Report::priorities_refused`] tells.
    #[default]
    IfAllowed,
    /// They get them, or the start fails.
    Required,
    /// They get none: the system shares the processor among them.
    Unset,
}

/// The settings of a dispatcher.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Whether threads get the priorities of the schedule.
    pub priorities: Priorities,
    /// The CPU that all threads run on: the analysis reckons with one. None leaves it to the
    /// system.
    pub cpu: Option<usize>,
    /// How many jobs of one operation may wait, 8. Further releases are left out, and counted.
    pub max_pending_jobs: usize,
    /// Where a job loses the processor to a more urgent one under EDF, between operations: other
    /// strategies do not look at it. Anywhere needs priorities, of which the schedule's and the one
    /// below it are used; where they are refused, the system shares the processor.
    pub preemption: Preemption,
    /// How many jobs the timeline has, 10,000: the last ones of each thread, which have equal
    /// shares.
    pub max_recorded_jobs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            priorities: Priorities::default(),
            cpu: None,
            max_pending_jobs: 8,
            preemption: Preemption::BetweenOperations,
            max_recorded_jobs: 10_000,
        }
    }
}

/// The reason why a dispatcher does not start, or does not take an operation.
#[derive(Debug)]
#[non_exhaustive]
pub enum DispatchError {
    /// The schedule has no operation with this handle.
    UnknownOperation(Handle),
    /// The operation has its code already.
    TwiceGiven(Handle),
    /// The schedule releases an operation for which there is no code: its name.
    NoCode(String),
    /// A thread cannot be started.
    Thread(io::Error),
    /// The process may not give this priority to its threads.
    Priority {
        /// The priority.
        priority: i32,
        /// The system's answer.
        source: io::Error,
    },
    /// The process may not use this CPU.
    Cpu {
        /// The CPU.
        cpu: usize,
        /// The system's answer.
        source: io::Error,
    },
}

impl fmt::Display for DispatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOperation(handle) => write!(
                f,
                "the schedule has no operation {}; take handles from this schedule",
                handle.0
            ),
            Self::TwiceGiven(handle) => {
                write!(f, "the operation {} has its code already", handle.0)
            }
            Self::NoCode(name) => write!(
                f,
                "the schedule releases `{name}`, for which there is no code; give it with \
                 `Dispatcher::execute`"
            ),
            Self::Thread(source) => write!(
                f,
                "a thread cannot be started: {source}; raise the number of threads that the \
                 process may have (ulimit -u)"
            ),
            Self::Priority { priority, source } => write!(
                f,
                "no thread may have the priority {priority}: {source}; give the process \
                 CAP_SYS_NICE or raise `ulimit -r`, or choose `Priorities::IfAllowed`"
            ),
            Self::Cpu { cpu, source } => write!(
                f,
                "threads cannot be bound to CPU {cpu}: {source}; choose one that the process may \
                 use"
            ),
        }
    }
}

impl std::error::Error for DispatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Thread(source) | Self::Priority { source, .. } | Self::Cpu { source, .. } => {
                Some(source)
            }
            _ => None,
        }
    }
}

/// The code of an operation.
type Code = Box<dyn FnMut() + Send>;

/// A dispatcher that has not started yet.
pub struct Dispatcher<'s> {
    schedule: &'s Schedule,
    settings: Settings,
    codes: Vec<Option<Code>>,
}

impl fmt::Debug for Dispatcher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl<'s> Dispatcher<'s> {
    /// A dispatcher of the operations of a schedule, with the default settings.
    pub fn new(schedule: &'s Schedule) -> Self {
        let codes = schedule.entries().iter().map(|_| None).collect();
        Self {
            schedule,
            settings: Settings::default(),
            codes,
        }
    }

    /// Changes settings.
    pub fn settings(&mut self, change: impl FnOnce(&mut Settings)) -> &mut Self {
        change(&mut self.settings);
        self
    }

    /// Gives an operation its code. It executes, by itself, the operations that it calls and waits
    /// for; those that it calls without waiting are released with [`Releaser::release`].
    ///
    /// # Errors
    ///
    /// When the schedule has no such operation, or it has its code already.
    pub fn execute(
        &mut self,
        operation: Handle,
        code: impl FnMut() + Send + 'static,
    ) -> Result<(), DispatchError> {
        let place = self.codes.get_mut(operation.index());
        let place = place.ok_or(DispatchError::UnknownOperation(operation))?;
        if place.is_some() {
            return Err(DispatchError::TwiceGiven(operation));
        }
        *place = Some(Box::new(code));
        Ok(())
    }

    /// Starts the threads. The first releases are when all of them are there.
    ///
    /// # Errors
    ///
    /// When code is missing, or threads, their CPU or their priorities are not to be had.
    pub fn start(self) -> Result<Running, DispatchError> {
        let entries = self.schedule.entries();
        let mut all = entries.iter().zip(&self.codes);
        if let Some((entry, _)) = all.find(|(entry, code)| entry.is_released && code.is_none()) {
            return Err(DispatchError::NoCode(entry.name.clone().into_owned()));
        }
        let rule = match self.schedule.strategy() {
            Strategy::RateMonotonic => Rule::Release,
            Strategy::DeferredRateMonotonic => Rule::Level,
            Strategy::EarliestDeadlineFirst => Rule::Deadline,
            Strategy::MinimumLaxityFirst | Strategy::MaximumUrgencyFirst => Rule::Laxity,
        };
        let is_preemptive = self.settings.preemption == Preemption::Anywhere;
        let division = match self.schedule.strategy() {
            Strategy::RateMonotonic | Strategy::MaximumUrgencyFirst => Division::Levels,
            Strategy::EarliestDeadlineFirst if is_preemptive => Division::Operations,
            _ => Division::None,
        };
        let has_code = |index: usize| self.codes[index].is_some();
        let (queues, recorders) = Queues::new(entries, has_code, rule, division, &self.settings);
        let queues = Arc::new(queues);
        let shared = (&queues, recorders);
        let threads = threads::start(entries, self.codes, shared, division, &self.settings)?;
        Ok(Running { queues, threads })
    }
}

/// The right to release operations of a running dispatcher.
#[derive(Debug, Clone)]
pub struct Releaser {
    queues: Arc<Queues>,
}

impl Releaser {
    /// Releases a job of an operation now. Returns whether it was: not, if too many of its jobs
    /// wait, it has no code, or the dispatcher has stopped.
    pub fn release(&self, operation: Handle) -> bool {
        self.queues.release_now(operation)
    }
}

/// A dispatcher that executes operations. It stops when this value is dropped.
#[derive(Debug)]
pub struct Running {
    queues: Arc<Queues>,
    threads: Vec<JoinHandle<()>>,
}

impl Running {
    /// Returns the right to release operations, for other threads.
    pub fn releaser(&self) -> Releaser {
        Releaser {
            queues: Arc::clone(&self.queues),
        }
    }

    /// Returns the time of the first releases, from which the times of reports count. None until
    /// then, which may be a moment after the start.
    pub fn first_release(&self) -> Option<Instant> {
        self.queues.start()
    }

    /// Returns what has happened so far. Threads are not held up but for the time in which the
    /// counts are copied.
    pub fn report(&self) -> Report {
        self.queues.report()
    }

    /// Stops: operations that run are executed to the end, jobs that wait are not. Returns what
    /// has happened.
    pub fn stop(mut self) -> Report {
        self.end();
        self.queues.report()
    }

    fn end(&mut self) {
        self.queues.stop();
        for thread in self.threads.drain(..) {
            // A thread does not panic: operations' panics are caught.
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
