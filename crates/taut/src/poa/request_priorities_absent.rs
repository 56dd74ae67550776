//! Priorities of requests in the shape `minimal`: there are none.

use taut_giop::SystemException;
use taut_giop::component::TaggedComponent;

use super::active_object_map::FoundObject;
use super::object_key::ObjectKey;
use super::{ObjectId, Poa, Shared};
use crate::priority::{AtOnce, AtPriority, Priority};
use crate::server::SentPriority;
use taut_sync::slot_table::SlotId;

/// The priorities of a POA: there are none.
pub(super) enum RequestPriorities {}

impl Poa {
    /// Leaves the calling thread as it is.
    #[allow(clippy::unnecessary_wraps, reason = "the shape `full` may fail")]
    pub(super) const fn at_priority(
        &self,
        _: &ObjectKey<'_>,
        _: SentPriority,
    ) -> Result<Option<AtPriority>, SystemException> {
        Ok(None)
    }

    /// Leaves the calling thread as it is.
    #[allow(clippy::unnecessary_wraps, reason = "the shape `full` may fail")]
    pub(super) const fn at_priority_of(
        &self,
        _: &FoundObject,
        _: &ObjectKey<'_>,
        _: SentPriority,
    ) -> Result<Option<AtPriority>, SystemException> {
        Ok(None)
    }

    /// Leaves the calling thread as it is.
    pub(super) const fn at_once(&self, _: &FoundObject) -> Option<AtOnce> {
        None
    }

    /// Leaves the calling thread as it is.
    pub(super) const fn at_once_as(&self, priority: Priority) -> Option<AtOnce> {
        match priority {}
    }

    /// Whether requests have the priorities of those who send them: no.
    pub(super) const fn has_priorities_of_clients(&self) -> bool {
        false
    }

    /// The priority that has been noted for an object with this id: none.
    pub(super) const fn announced_priority(&self, _: Option<&ObjectId>) -> Option<Priority> {
        None
    }
}

impl Shared {
    /// The component of the policies that a reference to an object tells for it alone: none.
    pub(super) const fn told_of(&self, _: SlotId, _: Option<&ObjectId>) -> Option<TaggedComponent> {
        None
    }
}
