//! The settings of an ORB with priorities.

use std::time::Duration;

use crate::priority::{NativePriority, Priority, PriorityOptions, SchedulingClass};

/// The settings of an ORB with priorities (docs/real-time.md).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RealTimeSettings {
    /// Whether the ORB has priorities: those of threads and POAs travel with calls and are
    /// applied. [`OrbBuilder::real_time`](crate::OrbBuilder::real_time) sets it. Without it the
    /// settings of this group do nothing. Default: no.
    pub enabled: bool,
    /// The way in which the system schedules threads with priorities. Default: first in, first
    /// out.
    pub scheduling_class: SchedulingClass,
    /// The way in which CORBA priorities are mapped to native ones, unless the program has a
    /// [mapping](crate::real_time::RealTime::mapping) of its own. Default: linear.
    pub priority_mapping: PriorityMappingKind,
    /// The native priority of the least urgent threads, which the least CORBA priority stands
    /// for. None, the default: the least urgent of the scheduling class.
    pub lowest_native: Option<i32>,
    /// The native priority of the most urgent threads, which the largest CORBA priority stands
    /// for. None, the default: the most urgent of the scheduling class.
    pub highest_native: Option<i32>,
    /// The consequence where the system does not allow native priorities. Default: the ORB goes
    /// on without them, and an event says so.
    pub without_rights: WithoutRights,
    /// Whether each connection of a band is bound to it before it carries calls, by the operation
    /// `_bind_priority_band` (Real-time CORBA 1.2, 4.12.1). A server may then prepare for it, or
    /// refuse it by INV_POLICY. TAO does not know the operation. Default: no.
    pub bind_priority_bands: bool,
    /// The CORBA priority of the ORB's threads that belong to no lane of a thread pool. None, the
    /// default: they have that of the thread that starts them.
    pub internal_priority: Option<Priority>,
    /// The CPUs on which these may run. Empty, the default: those of the thread that starts
    /// them.
    pub internal_cpus: Vec<usize>,
    /// The most threads, static and dynamic ones together, that a thread pool may have. Default
    /// 1,024.
    pub max_threadpool_threads: usize,
    /// How long there must have been nothing to do for a thread of a lane before a dynamic one
    /// ends, unless the pool says otherwise. Default 1 s.
    pub dynamic_thread_idle_time: Duration,
    /// Whether [`RtOrb::prepare`](crate::real_time::RtOrb::prepare) locks the memory of the process.
    /// Default: no.
    pub lock_memory: bool,
    /// How many octets of a stack are touched before a thread needs them: those of the threads of
    /// lanes when they begin, at most half of their stacks, and of one that prepares, whose stack
    /// must have them. Default 128 KiB.
    pub prepared_stack: usize,
    /// The request that is refused where as many wait in a lane as may, unless the pool says
    /// otherwise. Default: the newest.
    pub when_buffer_full: FullBuffer,
}

/// The request that is refused where no further one may wait in a lane. Its client gets
/// TRANSIENT with [`minor::REQUEST_BUFFER_FULL`](crate::minor::REQUEST_BUFFER_FULL).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum FullBuffer {
    /// The one that has come last.
    #[default]
    RefuseNewest,
    /// The one of the lowest priority, and of these the one that has come last.
    RefuseLowest,
}

impl Default for RealTimeSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            scheduling_class: SchedulingClass::default(),
            priority_mapping: PriorityMappingKind::default(),
            lowest_native: None,
            highest_native: None,
            without_rights: WithoutRights::default(),
            bind_priority_bands: false,
            internal_priority: None,
            internal_cpus: Vec::new(),
            max_threadpool_threads: 1_024,
            dynamic_thread_idle_time: Duration::from_secs(1),
            lock_memory: false,
            prepared_stack: 128 << 10,
            when_buffer_full: FullBuffer::default(),
        }
    }
}

/// A way in which CORBA priorities are mapped to native ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum PriorityMappingKind {
    /// [`LinearMapping`](crate::real_time::LinearMapping): all CORBA priorities are divided among
    /// the native ones.
    #[default]
    Linear,
    /// [`DirectMapping`](crate::real_time::DirectMapping): the numbers are the same, and other
    /// CORBA priorities are DATA_CONVERSION, OMG minor 2.
    Direct,
}

/// The consequence where the system does not allow native priorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum WithoutRights {
    /// Threads keep the native priorities that they have, and one event tells it. CORBA
    /// priorities are sent, and decide among lanes and bands.
    #[default]
    Continue,
    /// The ORB cannot be built; where the right is lost later, NO_PERMISSION, Taut minor 100.
    Error,
}

impl RealTimeSettings {
    /// The same for the priorities of an ORB.
    pub(crate) fn options(&self) -> PriorityOptions {
        PriorityOptions {
            class: self.scheduling_class,
            is_direct: self.priority_mapping == PriorityMappingKind::Direct,
            lowest: self.lowest_native.map(NativePriority),
            highest: self.highest_native.map(NativePriority),
            needs_rights: self.without_rights == WithoutRights::Error,
            internal_priority: self.internal_priority,
            internal_cpus: self.internal_cpus.clone(),
        }
    }
}
