//! The quality of service of a call in the shape `minimal`: as settings, references and
//! contexts say it.

use taut_giop::SystemException;

use super::CallContext;
use super::request::DeadlineData;
use crate::connection::{Batching, Patience};
use crate::core::OrbCore;
use crate::deadline::Deadline;
use crate::object::{Binding, Bound, ObjectRef};
use crate::priority::CallPriority;
use crate::settings::{SyncScope, WaitStrategy};

/// The policies of a call: none.
#[derive(Debug, Clone, Default)]
pub(super) struct Qos;

/// False: there are no policies.
#[inline(always)]
pub(super) const fn may_be_governed(_: &OrbCore) -> bool {
    false
}

/// None: as the reference says.
#[inline(always)]
pub(super) const fn sync_scope(_: &ObjectRef) -> Option<SyncScope> {
    None
}

#[allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "as in the shape `full`"
)]
impl Qos {
    pub(super) const fn of(_: &ObjectRef, _: Option<&CallContext>) -> Self {
        Self
    }

    pub(super) const fn call_deadline(&self, _: &ObjectRef) -> Option<Option<Deadline>> {
        None
    }

    pub(super) const fn reply_by(&self, deadline: Option<Deadline>) -> Option<Deadline> {
        deadline
    }

    pub(super) const fn request_by(&self, deadline: Option<Deadline>) -> Option<Deadline> {
        deadline
    }

    /// None: no reference asks for it.
    pub(super) const fn deadline_to_tell(&self, _: Deadline) -> Option<DeadlineData> {
        None
    }

    pub(super) const fn wait_to_send(
        &self,
        _: &OrbCore,
        _: Option<Deadline>,
    ) -> Result<(), SystemException> {
        Ok(())
    }

    pub(super) const fn wait_to_deliver(
        &self,
        _: &OrbCore,
        _: Option<Deadline>,
    ) -> Result<(), SystemException> {
        Ok(())
    }

    pub(super) fn patience(&self, _: &ObjectRef, until: Option<Deadline>) -> Patience {
        until.map(|deadline| deadline.at).into()
    }

    pub(super) const fn check_rebinding(
        &self,
        _: &ObjectRef,
        _: &Binding,
        _: &Binding,
    ) -> Result<(), SystemException> {
        Ok(())
    }

    pub(super) const fn may_go_back(&self, _: &ObjectRef) -> bool {
        true
    }

    pub(super) fn max_forwards(&self, core: &OrbCore) -> (usize, &'static str) {
        (core.settings.client.max_forwards, "client.max_forwards")
    }

    pub(super) const fn wait_strategy(&self, _: &ObjectRef) -> Option<WaitStrategy> {
        None
    }

    pub(super) const fn check(&self, _: &ObjectRef, _: &Binding) -> Result<(), SystemException> {
        Ok(())
    }

    pub(super) const fn route_order(
        &self,
        _: &OrbCore,
        _: &Binding,
    ) -> Result<Option<[usize; 0]>, SystemException> {
        Ok(None)
    }

    pub(super) const fn way<'b>(
        &self,
        _: &OrbCore,
        binding: &'b Binding,
        _: Option<CallPriority>,
    ) -> Result<Bound<'b>, SystemException> {
        Ok(Bound::Lent(binding))
    }

    pub(super) const fn batching(&self) -> Option<Batching> {
        None
    }
}
