//! The making of connections, memory and stacks before the first call, so that no call waits for
//! them.

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use taut_sync::hazard;
use taut_sys::memory;

use super::RtOrb;
use crate::object::ObjectRef;
use crate::policy::{PolicyType, PriorityBandedConnectionPolicy};
use crate::priority;

impl RtOrb {
    /// Prepares the process and the calling thread for calls in time: locks the memory if
    /// `real_time.lock_memory` says so, and touches the stack as far as
    /// `real_time.prepared_stack` says. Threads of lanes have done the latter when they began.
    ///
    /// # Errors
    ///
    /// NO_RESOURCES with [`minor::REAL_TIME_RESOURCES`] when the system does not allow that the
    /// memory is locked.
    pub fn prepare(&self) -> Result<(), SystemException> {
        let settings = &self.core().settings.real_time;
        hazard::prepare_thread();
        memory::touch_stack(settings.prepared_stack);
        if settings.lock_memory {
            memory::lock_all().map_err(|error| {
                let (kind, minor) = (SystemExceptionKind::NoResources, minor::REAL_TIME_RESOURCES);
                SystemException::new(kind, minor, CompletionStatus::No).because(error.to_string())
            })?;
        }
        Ok(())
    }
}

impl ObjectRef {
    /// Opens the connections for calls by this reference, and touches all that a call of the
    /// calling thread needs: its server is asked a question (`_non_existent`). With a
    /// [`PriorityBandedConnectionPolicy`] it is asked at a priority of each band, and each band has
    /// its connection afterwards.
    ///
    /// # Errors
    ///
    /// Those of [`validate_connection`](Self::validate_connection); INV_POLICY when the
    /// reference contradicts a policy of the call.
    pub fn prepare(&self) -> Result<(), SystemException> {
        let priorities = &self.core().priorities;
        let bands = self.get_policy(PolicyType::PRIORITY_BANDED_CONNECTION)?;
        let bands = bands.and_then(|policy| {
            let policy = policy.value::<PriorityBandedConnectionPolicy>()?;
            Some(policy.0.clone())
        });
        match bands.filter(|bands| !bands.is_empty() && priorities.is_real_time()) {
            None => self.open(),
            Some(bands) => bands.iter().try_for_each(|band| {
                let _at = priority::at(priorities, band.low)?;
                self.open()
            }),
        }
    }

    /// Opens the connection for calls at the priority of the calling thread.
    fn open(&self) -> Result<(), SystemException> {
        let validity = self.validate_connection()?;
        if validity.is_valid {
            // The second reply finds all that the first has made.
            return self.validate_connection().map(drop);
        }
        Err(SystemException::omg(
            SystemExceptionKind::InvPolicy,
            1,
            CompletionStatus::No,
        ))
    }
}
