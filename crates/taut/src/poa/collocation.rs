//! Calls from the servant's own process, in the caller's thread.

use std::any::TypeId;
use std::sync::Arc;

use taut_giop::SystemException;

use super::active_object_map::ActiveObject;
use super::adapter::unknown_object;
use super::object_key::ObjectKey;
use super::{Adapters, Poa, PoaManagerState};
use crate::object::{DirectTarget, Interface, LocalAdapter, LocalCall, LocalOutcome, LocalServant};
use crate::server::{ObjectAdapter, Presence};
use crate::slot_table::SlotId;
use crate::upcall;

impl Poa {
    /// Runs a call with the servant of an object, once the manager lets it through.
    #[inline]
    fn call(
        &self,
        object: SlotId,
        call: &mut LocalCall<'_>,
    ) -> Result<LocalOutcome, SystemException> {
        let manager = &self.shared.manager;
        if !call.may_wait && manager.state() == PoaManagerState::Holding {
            return Ok(LocalOutcome::ByMessage);
        }
        manager.admit()?;
        self.shared
            .map
            .with_object(object, |object| object.call(call))
            .ok_or_else(unknown_object)
    }
}

impl ActiveObject {
    #[inline]
    fn call(&self, call: &mut LocalCall<'_>) -> LocalOutcome {
        if call.view == TypeId::of::<Interface>() {
            call.run.run(self.servant.interface());
            return LocalOutcome::Done;
        }
        let views = &self.local().views;
        match views.get_or_make(call.view, || self.servant.view(call.view)) {
            Some(view) => {
                call.run.run(view);
                LocalOutcome::Done
            }
            None => LocalOutcome::ByMessage,
        }
    }

    /// What is kept for callers in this process.
    #[inline]
    fn local(&self) -> &LocalServant {
        self.local.get_or_init(LocalServant::default)
    }
}

impl Adapters {
    #[inline]
    fn call_servant(
        &self,
        object_key: &[u8],
        call: &mut LocalCall<'_>,
    ) -> Result<LocalOutcome, SystemException> {
        if let Some(object) = ObjectKey::object_behind(&self.root_prefix, object_key) {
            return self.root.call(object, call);
        }
        match self.parse(object_key) {
            Some(key) => self
                .with_poa(key.poa, |poa| poa.call(key.object, call))
                .ok_or_else(unknown_object)?,
            None => match self.forward(object_key) {
                Some(target) => Ok(LocalOutcome::Forward(Box::new(target))),
                None => Err(unknown_object()),
            },
        }
    }
}

impl LocalAdapter for Adapters {
    fn knows(&self, object_key: &[u8]) -> bool {
        self.parse(object_key).is_some() || self.forward(object_key).is_some()
    }

    fn call(
        &self,
        object_key: &[u8],
        call: &mut LocalCall<'_>,
    ) -> Result<LocalOutcome, SystemException> {
        upcall::run(|| self.call_servant(object_key, call))
            .unwrap_or_else(|| Err(upcall::panicked(call)))
    }

    fn locate(&self, object_key: &[u8]) -> Result<LocalOutcome, SystemException> {
        Ok(match ObjectAdapter::locate(self, object_key)? {
            Presence::Here => LocalOutcome::Done,
            Presence::Unknown => LocalOutcome::Unknown,
            Presence::Elsewhere(target) => LocalOutcome::Forward(Box::new(target)),
        })
    }

    fn direct(&self, object_key: &[u8]) -> Option<Arc<DirectTarget>> {
        let key = self.parse(object_key)?;
        self.with_poa(key.poa, |poa| {
            poa.shared
                .map
                .with_object(key.object, |object| Arc::clone(object.local().direct()))
        })?
    }
}
