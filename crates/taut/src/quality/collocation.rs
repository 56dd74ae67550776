//! Which callers of its own process a POA's objects have in their threads.

use std::ops::RangeInclusive;

use crate::priority::{self, Priority};

/// The access of callers in a server's own process to the objects of a POA. A caller that has
/// none in its own thread calls by message, as those of other processes do, so that the request
/// is served at the object's priority.
///
/// Whatever [way of collocation](crate::CollocationStrategy) a reference has, `Current`,
/// interceptors, servant managers, forwards, the thread policy and the life of the object matter
/// to its calls. The one thing that `CollocationStrategy::Direct` leaves out is the state of the
/// POA's manager, and [`heeds_manager`](Self::heeds_manager) brings it back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct CollocationAccess {
    callers: Option<RangeInclusive<Priority>>,
    pub(crate) heeds_manager: bool,
}

impl CollocationAccess {
    /// All callers call in their own threads.
    pub const fn new() -> Self {
        Self {
            callers: None,
            heeds_manager: false,
        }
    }

    /// Only callers with a priority in this group call in their own threads, through the POA
    /// each time; one without a priority does not.
    pub fn callers(mut self, priorities: RangeInclusive<Priority>) -> Self {
        self.callers = Some(priorities);
        self
    }

    /// References that keep a servant let it go when the POA's manager holds or discards
    /// requests, and go through the POA from then on.
    pub fn heeds_manager(mut self) -> Self {
        self.heeds_manager = true;
        self
    }

    /// Whether some callers are to be kept out, so that each is looked at.
    pub(crate) fn is_limited(&self) -> bool {
        self.callers.is_some()
    }

    /// Whether the calling thread may call objects in its own.
    pub(crate) fn admits_caller(&self) -> bool {
        match &self.callers {
            None => true,
            Some(group) => priority::current().is_some_and(|own| group.contains(&own)),
        }
    }
}
