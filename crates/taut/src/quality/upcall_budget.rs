//! How long a servant may take for one request.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use taut_sync::lock::Mutex;
use taut_sys::cpu;
use taut_sys::priority::{self, Scheduling};

use super::watch;
use crate::counters;

/// The time that a servant has for one request.
///
/// A thread cannot be ended from outside. A servant that takes longer is told
/// ([`Current::is_over_budget`](crate::Current::is_over_budget)), so that it can end by itself;
/// there is an event and a count; and if the ORB has priorities, the thread goes on at the lowest
/// one until the servant returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct UpcallBudget {
    limit: Duration,
    measure: Measure,
}

/// The time that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Elapsed,
    CpuTime,
}

impl UpcallBudget {
    /// A servant has so much time from its call to its return.
    pub const fn elapsed(limit: Duration) -> Self {
        Self {
            limit,
            measure: Measure::Elapsed,
        }
    }

    /// A servant has so much time of a CPU; while it waits it uses none.
    pub const fn cpu_time(limit: Duration) -> Self {
        Self {
            limit,
            measure: Measure::CpuTime,
        }
    }

    /// Runs an up-call within the budget. `lowest` is how a thread is scheduled that is over
    /// it; `name` tells what is called.
    pub(crate) fn run<R>(
        self,
        lowest: Option<Scheduling>,
        name: impl FnOnce() -> String,
        run: impl FnOnce() -> R,
    ) -> R {
        let upcall = Arc::new(RunningUpcall {
            budget: self,
            thread: cpu::thread_id(),
            begun: Instant::now(),
            cpu_time_before: match self.measure {
                Measure::Elapsed => Duration::ZERO,
                Measure::CpuTime => cpu::thread_time(),
            },
            is_over: AtomicBool::new(false),
            lowest,
            lowering: Mutex::default(),
            name: name(),
        });
        RUNNING.with_borrow_mut(|running| running.push(Arc::clone(&upcall)));
        watch::begin(&upcall, Instant::now() + self.limit);
        let _end = End(upcall);
        run()
    }
}

/// An up-call that has a budget, while it runs.
#[derive(Debug)]
pub(super) struct RunningUpcall {
    budget: UpcallBudget,
    thread: i32,
    begun: Instant,
    cpu_time_before: Duration,
    is_over: AtomicBool,
    lowest: Option<Scheduling>,
    lowering: Mutex<Lowering>,
    name: String,
}

/// The state of the priority of an up-call's thread.
#[derive(Debug, Default)]
struct Lowering {
    /// How the thread was scheduled before its priority was lowered.
    before: Option<Scheduling>,
    /// Whether the up-call has ended, so that its thread keeps its priority.
    has_ended: bool,
}

thread_local! {
    /// The up-calls of this thread that have budgets, the innermost last.
    static RUNNING: RefCell<Vec<Arc<RunningUpcall>>> = const { RefCell::new(Vec::new()) };
}

/// Whether an up-call that the calling thread is in is over its budget.
pub(crate) fn is_over_budget() -> bool {
    RUNNING.with_borrow(|running| {
        running
            .iter()
            .any(|upcall| upcall.is_over.load(Ordering::Acquire) || upcall.left().is_zero())
    })
}

impl RunningUpcall {
    /// Returns the time that is left, as far as it is known.
    fn left(&self) -> Duration {
        let UpcallBudget { limit, measure } = self.budget;
        let used = match measure {
            Measure::Elapsed => self.begun.elapsed(),
            Measure::CpuTime => {
                let now = priority::thread_time(self.thread).unwrap_or_default();
                now.saturating_sub(self.cpu_time_before)
            }
        };
        limit.saturating_sub(used)
    }

    /// Looks after the up-call. Returns when to look again; none if it is over its budget.
    pub(super) fn look(&self) -> Option<Instant> {
        let left = self.left();
        if !left.is_zero() {
            return Some(Instant::now() + left);
        }
        self.note_over();
        None
    }

    /// Notes that it is over its budget.
    fn note_over(&self) {
        if self.is_over.swap(true, Ordering::AcqRel) {
            return;
        }
        let kind = match self.budget.measure {
            Measure::Elapsed => "elapsed",
            Measure::CpuTime => "cpu_time",
        };
        counters::server::over_budget(kind);
        tracing::warn!(
            object = self.name,
            kind,
            limit = ?self.budget.limit,
            "a servant is over the budget of its request"
        );
        let mut lowering = self.lowering.lock();
        if let Some(lowest) = self.lowest.filter(|_| !lowering.has_ended) {
            lowering.before = priority::get_of(self.thread).ok();
            if let Err(error) = priority::set_of(self.thread, lowest) {
                lowering.before = None;
                drop(lowering);
                tracing::warn!(%error, "the priority of a servant over its budget stays");
            }
        }
    }

    /// Gives the calling thread the priority back that it had before, unless it has got another
    /// since.
    fn restore(&self) {
        let before = {
            let mut lowering = self.lowering.lock();
            lowering.has_ended = true;
            lowering.before.take()
        };
        if let Some(before) = before
            && priority::get().ok() == self.lowest
            && let Err(error) = priority::set(before)
        {
            tracing::warn!(%error, "a thread does not get back its native priority");
        }
    }
}

/// The end of an up-call.
struct End(Arc<RunningUpcall>);

impl Drop for End {
    fn drop(&mut self) {
        watch::end(&self.0);
        RUNNING.with_borrow_mut(Vec::pop);
        self.0.restore();
        // It may end before the watch has looked.
        if self.0.left().is_zero() {
            self.0.note_over();
        }
    }
}
