//! A servant in its place.

#[cfg(feature = "collocation")]
use std::any::TypeId;
use std::mem;
use std::ops::Deref;
#[cfg(feature = "collocation")]
use std::sync::OnceLock;
use std::sync::{Arc, LazyLock};

use taut_giop::SystemException;

use super::error::object_not_active;
use super::{Servant, ServantIdentity};
#[cfg(feature = "collocation")]
use crate::core::OrbCore;
use crate::object::Interface;
#[cfg(feature = "collocation")]
use crate::object::{DirectTarget, Found, LocalCall, LocalOutcome, LocalServant};
use crate::server::ServerRequest;
use crate::upcall;
#[cfg(feature = "collocation")]
use crate::upcall::Role;

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

impl Drop for Incarnated {
    /// This may be the last that has the servant.
    fn drop(&mut self) {
        let servant = mem::replace(&mut self.servant, no_servant());
        let interface = servant.interface().repository_id;
        #[cfg(feature = "collocation")]
        let servant = (servant, self.local.take());
        upcall::let_go("Drop of a servant", &interface, servant);
    }
}

/// The servant of no object, which takes the place of one that is let go of.
struct Nobody;

fn no_servant() -> Arc<dyn Servant> {
    static NOBODY: LazyLock<Arc<dyn Servant>> = LazyLock::new(|| Arc::new(Nobody));
    Arc::clone(&NOBODY)
}

impl Servant for Nobody {
    fn interface(&self) -> &'static Interface {
        const NONE: Interface = Interface::new("", &[], &[]);
        &NONE
    }

    fn identity(&self) -> ServantIdentity {
        ServantIdentity::NONE
    }

    fn dispatch(&self, _: &mut ServerRequest<'_>) -> Result<(), SystemException> {
        Err(object_not_active())
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
    /// stops, to call the servant of `server` most often as this view, in the role that
    /// `make_role` makes.
    pub(super) fn direct(
        &self,
        view: TypeId,
        caller: &Arc<OrbCore>,
        server: &Arc<OrbCore>,
        make_role: impl FnOnce() -> Role,
    ) -> Option<Arc<DirectTarget>> {
        self.local().direct(view, caller, server, make_role)
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
