//! Why a thread pool is not made, or not destroyed.

use std::fmt;
use std::io;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::LaneRules;
use crate::policy::ThreadpoolId;

/// The exception of operations on a thread pool that is not there (the standard's
/// `RTCORBA::RTORB::InvalidThreadpool`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidThreadpool(pub ThreadpoolId);

/// Why a thread pool has not been destroyed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThreadpoolError {
    /// There is no such pool.
    Invalid(InvalidThreadpool),
    /// The system exception that any operation may end with.
    System(SystemException),
}

/// Why a pool, or a lane of it, has not been made.
#[derive(Debug)]
pub(in crate::server) enum PoolError {
    /// A thread or another resource of the system is missing.
    Resources(io::Error),
    /// The exception for all else.
    System(SystemException),
}

impl From<io::Error> for PoolError {
    fn from(error: io::Error) -> Self {
        Self::Resources(error)
    }
}

impl From<SystemException> for PoolError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl From<PoolError> for SystemException {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Resources(error) => {
                let (kind, minor) = (SystemExceptionKind::NoResources, minor::NO_THREAD);
                Self::new(kind, minor, CompletionStatus::No).because(error.to_string())
            }
            PoolError::System(exception) => exception,
        }
    }
}

impl From<InvalidThreadpool> for ThreadpoolError {
    fn from(error: InvalidThreadpool) -> Self {
        Self::Invalid(error)
    }
}

impl From<SystemException> for ThreadpoolError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl fmt::Display for InvalidThreadpool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the ORB has no thread pool {}", self.0)
    }
}

impl fmt::Display for ThreadpoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) => error.fmt(f),
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl std::error::Error for InvalidThreadpool {}
impl std::error::Error for ThreadpoolError {}

fn own(kind: SystemExceptionKind, minor: u32, why: impl Into<String>) -> SystemException {
    SystemException::new(kind, minor, CompletionStatus::No).because(why.into())
}

/// BAD_PARAM: the description of a pool contradicts itself.
#[cold]
pub(super) fn invalid(why: impl Into<String>) -> SystemException {
    own(
        SystemExceptionKind::BadParam,
        minor::INVALID_THREADPOOL,
        why,
    )
}

/// IMP_LIMIT: the pool would have more threads than a setting allows.
#[cold]
pub(super) fn too_many_threads(threads: u64, limit: usize) -> SystemException {
    let why = format!(
        "the pool would have {threads} threads, and real_time.max_threadpool_threads is {limit}"
    );
    own(SystemExceptionKind::ImpLimit, minor::THREADPOOL_LIMIT, why)
}

/// INITIALIZE: a lane cannot listen.
#[cold]
pub(super) fn cannot_listen(error: &io::Error) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::Initialize, minor::LANE_CANNOT_LISTEN);
    own(kind, minor, error.to_string())
}

/// NO_RESOURCES: the system does not let a thread run on the CPUs of its lane.
#[cold]
pub(super) fn no_such_cpus(error: &io::Error) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::NoResources, minor::REAL_TIME_RESOURCES);
    own(kind, minor, error.to_string())
}

/// BAD_INV_ORDER: POAs are bound to the pool.
#[cold]
pub(super) fn in_use(pool: ThreadpoolId, poas: usize) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::BadInvOrder, minor::THREADPOOL_IN_USE);
    own(
        kind,
        minor,
        format!("the thread pool {pool} has POAs that are bound to it: {poas}"),
    )
}

/// TRANSIENT: every thread of a lane is at work, and requests do not wait.
#[cold]
pub(super) fn threads_exhausted(lane: Option<&LaneRules>) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::Transient, minor::THREADS_EXHAUSTED);
    match lane {
        Some(lane) => {
            let why = format!(
                "all {} threads of the lane {lane} are at work",
                lane.threads()
            );
            own(kind, minor, why)
        }
        None => SystemException::new(kind, minor, CompletionStatus::No),
    }
}

/// TRANSIENT: as many requests wait in a lane as may.
#[cold]
pub(super) fn buffer_full(lane: &LaneRules) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::Transient, minor::REQUEST_BUFFER_FULL);
    own(
        kind,
        minor,
        format!("as many requests wait in the lane {lane} as may"),
    )
}

/// BAD_INV_ORDER: a servant asks to wait for the end of a pool that may be its own.
#[cold]
pub(super) fn would_wait_for_itself() -> SystemException {
    SystemException::omg(SystemExceptionKind::BadInvOrder, 3, CompletionStatus::No)
}
