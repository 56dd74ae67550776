//! Priorities from end to end (Real-time CORBA 1.2): the handle of an ORB that has them, and the
//! values that they are made of.
//!
//! An ORB has priorities if it is asked for them ([`OrbBuilder::real_time`](crate::OrbBuilder),
//! `-ORBRealTime yes`). [`Orb::real_time`] then gives the standard's `RTORB`:
//!
//! ```
//! use taut::Orb;
//! use taut::real_time::{Priority, RealTime};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let orb = Orb::builder().real_time(RealTime::new()).build()?;
//! // All calls of this thread are as urgent as they can be, and so is the thread.
//! orb.real_time()?.current().set_the_priority(Priority::MAX.get())?;
//! # Ok(())
//! # }
//! ```
//!
//! docs/real-time.md has all of it.

mod current;
mod mutexes;
mod policies;
mod prepare;
mod protocol_properties;
mod thread_pools;

use std::fmt;

use taut_giop::SystemException;

use crate::core::OrbCore;
use crate::orb::Orb;
use crate::priority::not_real_time;

pub use crate::policy::ThreadpoolId;
pub use crate::priority::{
    DirectMapping, InvalidPriority, LinearMapping, LinearNetworkMapping, MutexNotFound,
    NativePriority, NativePriorityError, NetworkPriorityMapping, Priority, PriorityMapping,
    PriorityTransform, RealTime, RtMutex, SchedulingClass,
};
pub use crate::server::{
    InvalidThreadpool, RequestBuffering, Threadpool, ThreadpoolError, ThreadpoolLane,
};
pub use crate::settings::FullBuffer;
pub use current::RtCurrent;

/// An ORB that has priorities (the standard's `RTCORBA::RTORB`, Real-time CORBA 1.2, 4.4.1). A
/// clone is the same.
#[derive(Clone)]
pub struct RtOrb {
    orb: Orb,
}

impl Orb {
    /// Returns the ORB with what it can do for real time (the standard's initial reference
    /// `RTORB`).
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER, Taut minor 104, if the ORB was built without
    /// [`OrbBuilder::real_time`](crate::OrbBuilder::real_time) and `-ORBRealTime yes`.
    pub fn real_time(&self) -> Result<RtOrb, SystemException> {
        match self.core().priorities.is_real_time() {
            true => Ok(RtOrb { orb: self.clone() }),
            false => Err(not_real_time()),
        }
    }
}

impl RtOrb {
    /// Returns the priority of the calling thread, to read and to set (the standard's initial
    /// reference `RTCurrent`).
    pub fn current(&self) -> RtCurrent {
        RtCurrent::new(self.orb.clone())
    }

    /// Returns the native priority of threads with a priority, by the ORB's mapping (the
    /// standard's `PriorityMapping::to_native`).
    ///
    /// # Errors
    ///
    /// DATA_CONVERSION, OMG minor 2, if it has none.
    pub fn to_native(&self, priority: Priority) -> Result<NativePriority, SystemException> {
        self.core().priorities.to_native(priority)
    }

    /// Returns the CORBA priority of threads with a native one, by the ORB's mapping, if there is
    /// one (the standard's `PriorityMapping::to_CORBA`).
    pub fn to_corba(&self, native: NativePriority) -> Option<Priority> {
        self.core().priorities.to_corba(native)
    }

    /// Whether the ORB sets the native priorities of threads: false where the system did not
    /// allow it when the ORB was built.
    pub fn applies_native_priorities(&self) -> bool {
        self.core().priorities.are_applied()
    }

    /// The ORB.
    pub(crate) fn core(&self) -> &OrbCore {
        self.orb.core()
    }
}

impl fmt::Debug for RtOrb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RtOrb")
            .field("priorities", &self.core().priorities)
            .finish_non_exhaustive()
    }
}
