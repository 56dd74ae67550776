//! Thread pools, by the names that the standard gives their operations.

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::{Priority, RtOrb};
use crate::policy::{ThreadpoolId, ThreadpoolPolicy};
use crate::server::{RequestBuffering, Threadpool, ThreadpoolError, ThreadpoolLane};

impl RtOrb {
    /// Makes a thread pool. Its lanes listen and its static threads are there, with their
    /// priorities, when this returns; the ORB becomes a server.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with [`minor::INVALID_THREADPOOL`] for a description that contradicts itself;
    /// IMP_LIMIT with [`minor::THREADPOOL_LIMIT`]; INITIALIZE with
    /// [`minor::LANE_CANNOT_LISTEN`]; NO_RESOURCES with [`minor::NO_THREAD`] or
    /// [`minor::REAL_TIME_RESOURCES`]; DATA_CONVERSION, OMG minor 2, for a priority without a native one;
    /// NO_PERMISSION with [`minor::NATIVE_PRIORITY_REFUSED`]; BAD_INV_ORDER, OMG minor 4, once
    /// the ORB has been shut down. Then there is no pool.
    pub fn create(&self, pool: &Threadpool) -> Result<ThreadpoolId, SystemException> {
        self.orb.create_pool(pool)
    }

    /// Makes a thread pool without lanes, whose threads run requests at the requests' priorities
    /// (the standard's operation of this name, Real-time CORBA 1.2, 4.10.3). A stack size of 0 is
    /// the usual one; of the two limits of the buffer, 0 does not matter.
    ///
    /// # Errors
    ///
    /// Those of [`create`](Self::create); BAD_PARAM with [`minor::PRIORITY_OUT_OF_RANGE`].
    #[expect(clippy::too_many_arguments, reason = "the standard has so many")]
    pub fn create_threadpool(
        &self,
        stack_size: u32,
        static_threads: u32,
        dynamic_threads: u32,
        default_priority: i16,
        allow_request_buffering: bool,
        max_buffered_requests: u32,
        max_request_buffer_size: u32,
    ) -> Result<ThreadpoolId, SystemException> {
        let pool = Threadpool::new(static_threads)
            .dynamic_threads(dynamic_threads)
            .default_priority(priority(default_priority)?)
            .stack_size(octets(stack_size));
        self.create(&with_buffer(
            pool,
            allow_request_buffering,
            RequestBuffering::new(max_buffered_requests, max_request_buffer_size),
        ))
    }

    /// Makes a thread pool with lanes (the standard's operation of this name, Real-time CORBA
    /// 1.2, 4.10.3).
    ///
    /// # Errors
    ///
    /// Those of [`create`](Self::create).
    pub fn create_threadpool_with_lanes(
        &self,
        stack_size: u32,
        lanes: &[ThreadpoolLane],
        allow_borrowing: bool,
        allow_request_buffering: bool,
        max_buffered_requests: u32,
        max_request_buffer_size: u32,
    ) -> Result<ThreadpoolId, SystemException> {
        let pool = Threadpool::with_lanes(lanes.iter().cloned())
            .borrowing(allow_borrowing)
            .stack_size(octets(stack_size));
        self.create(&with_buffer(
            pool,
            allow_request_buffering,
            RequestBuffering::new(max_buffered_requests, max_request_buffer_size),
        ))
    }

    /// Destroys a thread pool: the requests under way are answered, its connections are closed,
    /// and its threads end. It waits for that.
    ///
    /// # Errors
    ///
    /// [`InvalidThreadpool`](super::InvalidThreadpool) when there is no such pool; BAD_INV_ORDER
    /// with [`minor::THREADPOOL_IN_USE`] while POAs are bound to it, and with OMG minor 3 in an
    /// up-call, which would wait for itself.
    pub fn destroy_threadpool(&self, pool: ThreadpoolId) -> Result<(), ThreadpoolError> {
        self.orb.destroy_pool(pool)
    }

    /// Makes the policy that binds POAs to a thread pool (the standard's operation of this
    /// name). Programs may as well write [`ThreadpoolPolicy`] itself.
    pub fn create_threadpool_policy(&self, pool: ThreadpoolId) -> ThreadpoolPolicy {
        ThreadpoolPolicy(pool)
    }
}

fn with_buffer(pool: Threadpool, is_allowed: bool, buffering: RequestBuffering) -> Threadpool {
    match is_allowed {
        true => pool.buffering(buffering),
        false => pool,
    }
}

fn octets(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn priority(number: i16) -> Result<Priority, SystemException> {
    Priority::new(number).map_err(|error| {
        let (kind, minor) = (SystemExceptionKind::BadParam, minor::PRIORITY_OUT_OF_RANGE);
        SystemException::new(kind, minor, CompletionStatus::No).because(error.to_string())
    })
}
