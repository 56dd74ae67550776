//! Thread pools of an ORB.

use std::sync::Arc;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::{Orb, ServerError};
use crate::object::ReferenceFactory;
use crate::policy::ThreadpoolId;
use crate::server::{Threadpool, ThreadpoolError};

impl Orb {
    /// Makes a thread pool; see [`RtOrb::create`](crate::real_time::RtOrb::create).
    ///
    /// # Errors
    ///
    /// Those that are told there.
    pub(crate) fn create_pool(&self, pool: &Threadpool) -> Result<ThreadpoolId, SystemException> {
        self.shared.core.lifecycle.check()?;
        let half = self.server_half();
        half.server
            .start(Arc::clone(&half.adapters))
            .map_err(|error| server_error(&error.into()))?;
        half.local.open(half.server.published());
        let id = half.server.create_pool(pool, &half.adapters)?;
        if let Some(endpoints) = half.server.pool(id.0) {
            half.local.open(endpoints.addresses());
        }
        Ok(id)
    }

    /// Destroys a thread pool; see
    /// [`RtOrb::destroy_threadpool`](crate::real_time::RtOrb::destroy_threadpool).
    ///
    /// # Errors
    ///
    /// Those that are told there.
    pub(crate) fn destroy_pool(&self, pool: ThreadpoolId) -> Result<(), ThreadpoolError> {
        self.shared.core.lifecycle.check()?;
        self.server_half().server.destroy_pool(pool)
    }
}

fn server_error(error: &ServerError) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::Initialize, minor::LANE_CANNOT_LISTEN);
    SystemException::new(kind, minor, CompletionStatus::No).because(error.to_string())
}
