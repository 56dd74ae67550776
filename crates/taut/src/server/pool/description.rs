//! The description of a thread pool to be.

use std::time::Duration;

use crate::priority::Priority;
use crate::server::ListenEndpoint;
use crate::settings::FullBuffer;

/// A thread pool to be: threads that serve the requests of the POAs that are bound to it, and no
/// others (Real-time CORBA 1.2, 4.10). [`RtOrb::create`](crate::real_time::RtOrb::create) makes
/// it.
///
/// ```
/// use taut::Orb;
/// use taut::policy::ThreadpoolPolicy;
/// use taut::real_time::{Priority, RealTime, RequestBuffering, Threadpool, ThreadpoolLane};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let orb = Orb::builder().listen("127.0.0.1:0")?.real_time(RealTime::new()).build()?;
/// let (low, high) = (Priority::new(1_000)?, Priority::new(20_000)?);
/// let pool = Threadpool::with_lanes([
///     ThreadpoolLane::new(low, 2).dynamic_threads(2),
///     ThreadpoolLane::new(high, 1),
/// ])
/// .borrowing(true)
/// .buffering(RequestBuffering::new(100, 1 << 20));
/// let pool = orb.real_time()?.create(&pool)?;
///
/// let root = orb.root_poa()?;
/// let policies = [ThreadpoolPolicy(pool).into()];
/// let controls = root.create_poa("controls", Some(root.manager()), &policies)?;
/// # let _ = controls;
/// # orb.shutdown(true)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Threadpool {
    pub(crate) lanes: Vec<ThreadpoolLane>,
    /// Whether lanes were asked for. Without, the only one is that of the pool.
    pub(crate) has_lanes: bool,
    pub(crate) stack_size: Option<usize>,
    pub(crate) borrows: bool,
    pub(crate) buffering: Option<RequestBuffering>,
    pub(crate) dynamic_thread_idle_time: Option<Duration>,
}

/// A lane of a thread pool to be: threads of one priority, with endpoints of their own (the
/// standard's `RTCORBA::ThreadpoolLane`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct ThreadpoolLane {
    pub(crate) priority: Priority,
    pub(crate) static_threads: u32,
    pub(crate) dynamic_threads: u32,
    pub(crate) accept_priority: Option<Priority>,
    pub(crate) cpus: Vec<usize>,
    pub(crate) endpoints: Vec<ListenEndpoint>,
}

/// The requests that wait in a pool for one of its threads.
///
/// They wait in the order of their priorities, and those of one priority in the order in which
/// they have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct RequestBuffering {
    pub(crate) max_requests: u32,
    pub(crate) max_octets: u32,
    pub(crate) when_full: Option<FullBuffer>,
}

impl Threadpool {
    /// A pool of one lane, whose threads run each request at the priority of the request. There
    /// are so many threads from the beginning; their priority is the lowest until another
    /// [default](Self::default_priority) is given.
    pub fn new(static_threads: u32) -> Self {
        Self {
            has_lanes: false,
            ..Self::with_lanes([ThreadpoolLane::new(Priority::MIN, static_threads)])
        }
    }

    /// A pool of these lanes, each of which serves the requests of its own priority.
    pub fn with_lanes(lanes: impl IntoIterator<Item = ThreadpoolLane>) -> Self {
        Self {
            lanes: lanes.into_iter().collect(),
            has_lanes: true,
            stack_size: None,
            borrows: false,
            buffering: None,
            dynamic_thread_idle_time: None,
        }
    }

    /// Changes all lanes of a pool without lanes: its only one.
    fn change_only(mut self, change: impl Fn(ThreadpoolLane) -> ThreadpoolLane) -> Self {
        if !self.has_lanes {
            self.lanes = self.lanes.into_iter().map(change).collect();
        }
        self
    }

    /// The priority of the threads of a pool without lanes while they carry out no request.
    /// Lanes have priorities of their own.
    pub fn default_priority(self, priority: Priority) -> Self {
        self.change_only(|lane| ThreadpoolLane { priority, ..lane })
    }

    /// The most threads that a pool without lanes gets beyond its first ones while these are all
    /// at work. Lanes have numbers of their own.
    pub fn dynamic_threads(self, most: u32) -> Self {
        self.change_only(|lane| lane.dynamic_threads(most))
    }

    /// The CPUs on which the threads of a pool without lanes may run. Lanes have CPUs of their
    /// own.
    pub fn cpus(self, cpus: impl IntoIterator<Item = usize>) -> Self {
        let cpus: Vec<usize> = cpus.into_iter().collect();
        self.change_only(|lane| lane.cpus(cpus.iter().copied()))
    }

    /// Listens at this endpoint, which may be asked for several times, with a pool without lanes.
    /// Lanes have endpoints of their own.
    pub fn listen_at(self, endpoint: &ListenEndpoint) -> Self {
        self.change_only(|lane| lane.listen_at(endpoint.clone()))
    }

    /// The octets that the stack of each thread has at least. Without it, and with 0, threads
    /// have as many as the standard library gives.
    pub fn stack_size(mut self, octets: usize) -> Self {
        self.stack_size = (octets > 0).then_some(octets);
        self
    }

    /// Whether a lane whose threads are all at work takes threads of lanes with lower priorities
    /// that are not. Such a thread has the priority of the lane that borrows it until the
    /// request is answered. Without lanes there is nothing to borrow.
    pub fn borrowing(mut self, borrows: bool) -> Self {
        self.borrows = borrows;
        self
    }

    /// Lets requests wait while all threads of a lane are at work and there may be no more.
    /// Without it they are refused with TRANSIENT
    /// ([`minor::THREADS_EXHAUSTED`](crate::minor::THREADS_EXHAUSTED)).
    pub fn buffering(mut self, buffering: RequestBuffering) -> Self {
        self.buffering = Some(buffering);
        self
    }

    /// The time that there must have been nothing to do for a thread before one that was added
    /// ends. Default: the setting `real_time.dynamic_thread_idle_time`.
    pub fn dynamic_thread_idle_time(mut self, time: Duration) -> Self {
        self.dynamic_thread_idle_time = Some(time);
        self
    }
}

impl ThreadpoolLane {
    /// A lane for requests of this priority, with so many threads from the beginning.
    pub fn new(priority: Priority, static_threads: u32) -> Self {
        Self {
            priority,
            static_threads,
            dynamic_threads: 0,
            accept_priority: None,
            cpus: Vec::new(),
            endpoints: Vec::new(),
        }
    }

    /// The most threads that are added while all are at work. Default 0.
    pub fn dynamic_threads(mut self, most: u32) -> Self {
        self.dynamic_threads = most;
        self
    }

    /// The CPUs on which the threads may run. Default: those of the thread that creates the
    /// pool.
    pub fn cpus(mut self, cpus: impl IntoIterator<Item = usize>) -> Self {
        self.cpus = cpus.into_iter().collect();
        self
    }

    /// The priority of the thread that accepts the lane's connections. Default: that of the ORB's
    /// internal threads, `real_time.internal_priority`.
    pub fn accept_priority(mut self, priority: Priority) -> Self {
        self.accept_priority = Some(priority);
        self
    }

    /// Listens at this endpoint, which may be asked for several times. The argument
    /// `-ORBLaneListenEndpoints` replaces them. Without any, the lane listens at free ports of the
    /// addresses, and at new Unix-domain sockets if there are such, at which the ORB does.
    pub fn listen_at(mut self, endpoint: ListenEndpoint) -> Self {
        self.endpoints.push(endpoint);
        self
    }
}

impl RequestBuffering {
    /// At most so many requests wait in each lane, which have so many octets in all. 0: the one
    /// number or the other does not matter; one of them has to.
    pub const fn new(max_requests: u32, max_octets: u32) -> Self {
        Self {
            max_requests,
            max_octets,
            when_full: None,
        }
    }

    /// The request that is refused where no further one may wait. Default: the setting
    /// `real_time.when_buffer_full`.
    pub const fn when_full(mut self, when_full: FullBuffer) -> Self {
        self.when_full = Some(when_full);
        self
    }
}
