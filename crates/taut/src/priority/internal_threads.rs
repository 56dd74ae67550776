//! The beginning of the ORB's threads that belong to no lane.

use taut_sys::cpu;
use taut_sys::priority::{self as system, Scheduling};

/// The priority and the CPUs that the ORB's threads have from their beginning which belong to no
/// lane.
#[derive(Debug, Clone)]
pub(crate) struct InternalBeginning {
    /// The CPUs; empty: those of the thread that starts one.
    pub(super) cpus: Vec<usize>,
    /// How the system schedules them; none: as the thread that starts one.
    pub(super) scheduling: Option<Scheduling>,
}

impl InternalBeginning {
    /// Gives the calling thread, which begins, its priority and CPUs. An event tells what the
    /// system refuses.
    pub(crate) fn begin(&self) {
        if !self.cpus.is_empty()
            && let Err(error) = cpu::pin_to(&self.cpus)
        {
            let cpus = &self.cpus;
            tracing::warn!(%error, ?cpus, "a thread may not run on the CPUs of real_time.internal_cpus");
        }
        if let Some(scheduling) = self.scheduling
            && let Err(error) = system::set(scheduling)
        {
            tracing::warn!(%error, ?scheduling, "a thread may not have real_time.internal_priority");
        }
    }
}
