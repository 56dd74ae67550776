//! A servant in its place.

#[cfg(feature = "collocation")]
use std::any::TypeId;
use std::ops::Deref;
use std::sync::Arc;
#[cfg(feature = "collocation")]
use std::sync::OnceLock;

use super::Servant;
#[cfg(feature = "collocation")]
use crate::core::OrbCore;
#[cfg(feature = "collocation")]
use crate::object::{DirectTarget, Found, Interface, LocalCall, LocalOutcome, LocalServant};

/// A servant that incarnates objects, with what callers in its own process need.
#[repr(C)]
pub(super) struct Incarnated {
    servant: Arc<dyn Servant>,
    /// There once somebody in this process has called.
    #[cfg(feature = "collocation")]
    local: OnceLock<LocalServant>,
}

impl Incarnated {
    pub(super) fn new(servant: Arc<dyn Servant>) -> Self {
        Self {
            servant,
            #[cfg(feature = "collocation")]
            local: OnceLock::new(),
        }
    }

    pub(super) fn servant(&self) -> &Arc<dyn Servant> {
        &self.servant
    }
}

/// For callers in its own process.
#[cfg(feature = "collocation")]
impl Incarnated {
    /// Runs a call of this process with the servant.
    #[inline]
    pub(super) fn call(&self, call: &mut LocalCall<'_>) -> LocalOutcome {
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

    /// What references of `caller` may keep until it is released, or one of the ORBs
    /// stops, to call the servant of `server` most often as this view.
    pub(super) fn direct(
        &self,
        view: TypeId,
        caller: &Arc<OrbCore>,
        server: &Arc<OrbCore>,
    ) -> Option<Arc<DirectTarget>> {
        self.local().direct(view, caller, server)
    }

    /// Takes the servant from references that keep it.
    pub(super) fn release(&self) {
        if let Some(local) = self.local.get() {
            local.release();
        }
    }

    #[inline]
    fn local(&self) -> &LocalServant {
        self.local.get_or_init(LocalServant::default)
    }
}

impl Deref for Incarnated {
    type Target = dyn Servant;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &*self.servant
    }
}
