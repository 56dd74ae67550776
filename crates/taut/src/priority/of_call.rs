//! The priority of a call.

use taut_giop::SystemException;

use super::of_orb::untransformed;
use super::{Priorities, Priority, of_thread};

/// The priority of a call that begins: that of its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallPriority {
    pub(crate) own: Priority,
    /// The answer of the transform to it, if there is one.
    sent: Option<Priority>,
}

impl CallPriority {
    /// Returns the priority that goes with the request.
    ///
    /// # Errors
    ///
    /// DATA_CONVERSION, OMG minor 2, if the transform has none.
    pub(crate) fn sent(self) -> Result<Priority, SystemException> {
        self.sent
            .ok_or_else(|| untransformed(self.own, "is to be sent"))
    }
}

impl Priorities {
    /// Returns the priority of a call that the calling thread begins; none if the ORB has no
    /// priorities, or the thread has none.
    #[inline]
    pub(crate) fn of_call(&self) -> Option<CallPriority> {
        let own = of_thread::current().filter(|_| self.is_real_time())?;
        let sent = match self.transform() {
            None => Some(own),
            Some(transform) => of_thread::with_object(|id| transform.outbound(own, id)),
        };
        Some(CallPriority { own, sent })
    }
}
