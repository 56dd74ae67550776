//! Priorities of calls and of threads (Real-time CORBA 1.2, chapter 4).
//!
//! A [`Priority`] is a number from 0 to 32,767 that means the same on all machines. A
//! [`PriorityMapping`] turns it into the [`NativePriority`] of an operating system, by which
//! threads are scheduled, and a [`PriorityTransform`] may change it on its way from machine to
//! machine.
//!
//! Nothing of this is in force unless an ORB is asked for it by [`RealTime`] or
//! `-ORBRealTime yes`; docs/real-time.md.

mod mapping;
mod mutexes;
mod network;
mod of_call;
mod of_orb;
mod of_thread;
mod transform;
mod trial;

use std::fmt;

pub use mapping::{DirectMapping, LinearMapping, PriorityMapping, SchedulingClass};
pub(crate) use mutexes::NamedMutexes;
pub use mutexes::{MutexNotFound, RtMutex};
pub use network::{LinearNetworkMapping, NetworkPriorityMapping};
pub(crate) use of_call::CallPriority;
pub(crate) use of_orb::Priorities;
pub use of_orb::{NativePriorityError, RealTime};
pub(crate) use of_orb::{PriorityOptions, not_real_time};
pub(crate) use of_thread::{AtOnce, AtPriority, at, at_once};
pub(crate) use of_thread::{current, set_current};
pub(crate) use taut_sync::lock::{
    PriorityInheritanceMutex as SharedMutex,
    PriorityInheritanceReentrantMutex as SharedReentrantMutex,
};
pub use transform::PriorityTransform;

/// A CORBA priority, from 0 to 32,767; a larger one is more urgent (the standard's
/// `RTCORBA::Priority`, Real-time CORBA 1.2, 4.5).
///
/// ```
/// use taut::real_time::Priority;
///
/// let urgent = Priority::new(30_000)?;
/// assert!(urgent > Priority::MIN && urgent < Priority::MAX);
/// assert!(Priority::new(-1).is_err());
/// # Ok::<(), taut::real_time::InvalidPriority>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Priority(i16);

/// A priority of the operating system, by which it schedules a thread (the standard's
/// `RTCORBA::NativePriority`, Real-time CORBA 1.2, 4.5). Its meaning is told by the
/// [`SchedulingClass`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NativePriority(pub i32);

/// The error of a number that is no CORBA priority: it is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidPriority(pub i16);

impl Priority {
    /// The least urgent priority (the standard's `minPriority`).
    pub const MIN: Self = Self(0);

    /// The most urgent priority (the standard's `maxPriority`).
    pub const MAX: Self = Self(i16::MAX);

    /// Returns the priority with this number.
    ///
    /// # Errors
    ///
    /// [`InvalidPriority`] for a negative number.
    pub const fn new(number: i16) -> Result<Self, InvalidPriority> {
        match number < 0 {
            true => Err(InvalidPriority(number)),
            false => Ok(Self(number)),
        }
    }

    /// Returns the number.
    pub const fn get(self) -> i16 {
        self.0
    }
}

impl TryFrom<i16> for Priority {
    type Error = InvalidPriority;

    fn try_from(number: i16) -> Result<Self, InvalidPriority> {
        Self::new(number)
    }
}

impl From<Priority> for i16 {
    fn from(priority: Priority) -> Self {
        priority.0
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for NativePriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for InvalidPriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no priority: write 0 to 32767", self.0)
    }
}

impl std::error::Error for InvalidPriority {}
