//! The rules of a lane of a thread pool.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use taut_giop::SystemException;
use taut_sys::cpu;
use taut_sys::memory::touch_stack;

use super::Backlog;
use crate::core::OrbCore;
use crate::policy::ThreadpoolId;
use crate::priority::{self, Priority};
use crate::server::request_in_progress::Buffered;

/// The rules of a lane of a thread pool.
#[derive(Debug)]
pub(in crate::server) struct LaneRules {
    pub(in crate::server) pool: ThreadpoolId,
    /// The lane's place in its pool.
    pub(in crate::server) place: usize,
    pub(in crate::server) priority: Priority,
    /// The priority of threads that accept connections; none: that of internal threads.
    accept_priority: Option<Priority>,
    pub(in crate::server) static_threads: usize,
    /// The dynamic ones included.
    pub(in crate::server) most_threads: usize,
    pub(in crate::server) stack_size: Option<usize>,
    /// Empty: those of the thread that creates the pool.
    pub(in crate::server) cpus: Box<[usize]>,
    /// How long there must have been nothing to do for a dynamic thread before one ends.
    pub(in crate::server) idle_time: Duration,
    /// Where requests wait for a thread, if they may.
    pub(in crate::server) backlog: Option<Backlog<Buffered>>,
    /// How many threads there are.
    threads: AtomicUsize,
}

/// The numbers by which a lane is made beside what the description says.
#[derive(Debug)]
pub(super) struct LanePlace {
    pub(super) pool: ThreadpoolId,
    pub(super) place: usize,
    pub(super) idle_time: Duration,
    pub(super) stack_size: Option<usize>,
    pub(super) backlog: Option<Backlog<Buffered>>,
}

impl LaneRules {
    /// The rules of the lane that is described so.
    pub(super) fn new(described: &super::ThreadpoolLane, at: LanePlace) -> Self {
        let count = |threads: u32| usize::try_from(threads).unwrap_or(usize::MAX);
        let static_threads = count(described.static_threads);
        Self {
            pool: at.pool,
            place: at.place,
            priority: described.priority,
            accept_priority: described.accept_priority,
            static_threads,
            most_threads: static_threads.saturating_add(count(described.dynamic_threads)),
            stack_size: at.stack_size,
            cpus: described.cpus.clone().into(),
            idle_time: at.idle_time,
            backlog: at.backlog,
            threads: AtomicUsize::new(0),
        }
    }

    /// Gives the calling thread the priority and the CPUs of the lane.
    ///
    /// # Errors
    ///
    /// Those of [`priority::set_current`]; NO_RESOURCES for CPUs that the system refuses.
    pub(in crate::server) fn begin_thread(&self, core: &OrbCore) -> Result<(), SystemException> {
        priority::set_current(&core.priorities, self.priority)?;
        if !self.cpus.is_empty() {
            cpu::pin_to(&self.cpus).map_err(|error| super::error::no_such_cpus(&error))?;
        }
        // Of a stack that may be small, no more than what surely is left.
        let most = self.stack_size.map_or(usize::MAX, |octets| octets / 2);
        touch_stack(core.settings.real_time.prepared_stack.min(most));
        Ok(())
    }

    /// Gives the calling thread, which accepts connections, its priority, and the CPUs of the
    /// lane.
    pub(super) fn begin_acceptor(&self, core: &OrbCore) {
        core.priorities.begin_internal_thread();
        let begun = match self.accept_priority {
            Some(priority) => priority::set_current(&core.priorities, priority),
            None => Ok(()),
        };
        if let Err(error) = begun {
            tracing::warn!(lane = %self, %error, "a thread that accepts has no priority of its own");
        }
        if !self.cpus.is_empty()
            && let Err(error) = cpu::pin_to(&self.cpus)
        {
            tracing::warn!(lane = %self, %error, "a thread that accepts has no CPUs of its own");
        }
    }

    /// Notes that a thread begins or ends.
    pub(in crate::server) fn note_threads(&self, change: isize) {
        match usize::try_from(change) {
            Ok(more) => self.threads.fetch_add(more, Ordering::Relaxed),
            Err(_) => self
                .threads
                .fetch_sub(change.unsigned_abs(), Ordering::Relaxed),
        };
    }

    /// How many threads there are.
    pub(super) fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// The name of the lane's threads, by the numbers of pool and lane.
    pub(in crate::server) fn thread_name(&self) -> String {
        format!("taut lane {self}")
    }
}

/// Writes the numbers of pool and lane: `1:0`.
impl fmt::Display for LaneRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.pool, self.place)
    }
}
