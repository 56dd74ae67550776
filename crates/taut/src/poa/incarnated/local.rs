//! A servant for callers in its own process.

use std::any::TypeId;
use std::sync::Arc;

use super::Incarnated;
use crate::core::OrbCore;
use crate::object::{DirectTarget, Found, Interface, LocalCall, LocalOutcome, LocalServant};
use crate::upcall::Role;

impl Incarnated {
    /// Runs a call of this process with the servant.
    #[inline]
    pub(in crate::poa) fn call(&self, call: &mut LocalCall<'_>) -> LocalOutcome {
        if call.view == TypeId::of::<Interface>() {
            call.run.run(Found::Interface(self.servant.interface()));
            return LocalOutcome::Done;
        }
        let views = &self.local().views;
        match views.get_or_make(call.view, || self.servant.view(call.view)) {
            Some(view) => {
                call.run.run(Found::Servant(view));
                LocalOutcome::Done
            }
            None => LocalOutcome::ByMessage,
        }
    }

    /// Returns the target that references of `caller` may keep until it is released, or one
    /// of the ORBs stops, to call the servant of `server` most often as this view, in the
    /// role that `make_role` makes.
    pub(in crate::poa) fn direct(
        &self,
        view: TypeId,
        caller: &Arc<OrbCore>,
        server: &Arc<OrbCore>,
        make_role: impl FnOnce() -> Role,
    ) -> Option<Arc<DirectTarget>> {
        self.local().direct(view, caller, server, make_role)
    }

    #[inline]
    fn local(&self) -> &LocalServant {
        self.local.get_or_init(LocalServant::default)
    }
}
