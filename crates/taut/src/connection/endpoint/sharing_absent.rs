//! The connection of the shared strategy in the shape `minimal`: there is none.

use std::sync::Arc;
use std::time::Instant;

use taut_giop::Version;
use taut_sync::lock::MutexGuard;

use super::{Endpoint, LeaseError};
use crate::connection::patience::Patience;
use crate::connection::queue::Queue;
use crate::connection::roles::BidirectionalServer;
use crate::connection::shared::Sending;
use crate::connection::{ConnectionFault, SharedConnection};
use crate::settings::Settings;

/// Calls share no connection.
pub(super) struct Sharing;

impl Endpoint {
    #[inline(always)]
    pub(crate) fn is_shared(&self) -> bool {
        false
    }

    pub(crate) fn share(
        &self,
        _: Patience,
        _: Version,
    ) -> Result<(Arc<SharedConnection>, bool), LeaseError> {
        Err(LeaseError::TooMany)
    }

    pub(in crate::connection) fn offer(&self, _: &Arc<SharedConnection>) {}

    pub(super) fn try_flush_shared(&self, _: &Queue) -> bool {
        true
    }

    pub(super) fn deliver_shared(&self, _: &Queue, _: &dyn Fn() -> bool) {}

    pub(crate) fn sending<'c>(
        &self,
        _: &'c SharedConnection,
        _: Option<Instant>,
    ) -> Result<MutexGuard<'c, Sending>, ConnectionFault> {
        Err(ConnectionFault::Closed)
    }

    pub(crate) fn note_sent(&self, _: &Sending) {}
}

impl Sharing {
    pub(super) fn new(_: &Settings, _: &Arc<BidirectionalServer>) -> Self {
        Self
    }

    pub(super) fn is_offered(&self) -> bool {
        false
    }

    pub(super) fn is_empty(&self) -> bool {
        true
    }

    pub(super) fn close_unused(&self) {}

    pub(super) fn close_idle(&self) {}

    pub(super) fn give_way(&self) -> bool {
        false
    }
}
