//! The priority of the calling thread.

use std::fmt;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::policies::checked;
use crate::orb::Orb;
use crate::priority;

/// The priority of the calling thread (the standard's `RTCORBA::Current`, Real-time CORBA 1.2,
/// 4.5.4), which is that of its calls.
///
/// A servant finds the priority at which its request is carried out. The priority belongs to the
/// thread, and not to an ORB: all ORBs of the process that have priorities send it.
#[derive(Clone)]
pub struct RtCurrent {
    orb: Orb,
}

impl RtCurrent {
    pub(super) fn new(orb: Orb) -> Self {
        Self { orb }
    }

    /// Returns the priority of the calling thread.
    ///
    /// # Errors
    ///
    /// INITIALIZE, Taut minor 102, if the thread has not been given one.
    pub fn the_priority(&self) -> Result<i16, SystemException> {
        match priority::current() {
            Some(priority) => Ok(priority.get()),
            None => Err(SystemException::new(
                SystemExceptionKind::Initialize,
                minor::PRIORITY_NOT_SET,
                CompletionStatus::No,
            )),
        }
    }

    /// Gives the calling thread a priority, and the native one that the ORB maps it to. In a
    /// servant whose request has a priority, the thread gets back what it had when the request
    /// ends; elsewhere it has the priority until it is given another.
    ///
    /// # Errors
    ///
    /// BAD_PARAM, Taut minor 103, for a number below 0; DATA_CONVERSION, OMG minor 2, if the
    /// priority has no native one; NO_PERMISSION, Taut minor 100, if the system does not allow
    /// that, and `real_time.without_rights` is `error`. The thread then keeps what it had.
    pub fn set_the_priority(&self, priority: i16) -> Result<(), SystemException> {
        let priority = checked(priority)?;
        priority::set_current(&self.orb.core().priorities, priority)
    }
}

impl fmt::Debug for RtCurrent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RtCurrent")
            .field("the_priority", &priority::current())
            .finish_non_exhaustive()
    }
}
