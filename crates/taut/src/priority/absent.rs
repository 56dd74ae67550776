//! Priorities in the shape `minimal`: there are none.

use taut_giop::SystemException;
pub(crate) use taut_sync::lock::{Mutex as SharedMutex, ReentrantMutex as SharedReentrantMutex};

/// A CORBA priority, which no call has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Priority {}

impl Priority {
    /// Returns an error: no number is a priority.
    pub(crate) const fn new(number: i16) -> Result<Self, i16> {
        Err(number)
    }
}

/// The priority of a call: none.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CallPriority {}

impl CallPriority {
    pub(crate) const fn sent(self) -> Result<Priority, SystemException> {
        match self {}
    }
}

/// The priorities of an ORB: none.
#[derive(Debug, Default)]
pub(crate) struct Priorities {}

/// The mutexes of an ORB that have names: none.
#[derive(Debug, Default)]
pub(crate) struct NamedMutexes {}

/// A priority of the calling thread: none.
#[derive(Debug)]
pub(crate) struct AtPriority {}

impl Priorities {
    /// Whether the ORB has priorities: it has none.
    #[inline]
    pub(crate) const fn is_real_time(&self) -> bool {
        false
    }

    /// Returns the priority of a call: it has none.
    #[inline]
    pub(crate) const fn of_call(&self) -> Option<CallPriority> {
        None
    }

    /// Does nothing: the ORB's threads have no priorities.
    pub(crate) const fn begin_internal_thread(&self) {}
}

/// Returns the priority of the calling thread: it has none.
#[inline]
pub(crate) const fn current() -> Option<Priority> {
    None
}

/// A priority of the calling thread that changes nothing else: none.
#[derive(Debug)]
pub(crate) enum AtOnce {}

/// Gives the calling thread no priority.
pub(crate) const fn at(_: &Priorities, priority: Priority) -> Result<AtPriority, SystemException> {
    match priority {}
}
