//! A servant in its place.

#[cfg(feature = "full")]
mod local;

use std::mem;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::{Arc, LazyLock};

use taut_giop::SystemException;

use super::error::object_not_active;
use super::{Servant, ServantIdentity};
use crate::object::Interface;
use crate::object::LocalServant;
use crate::server::ServerRequest;
use crate::upcall;

/// A servant that incarnates objects, with what callers in its own process need.
#[repr(C)]
pub(super) struct Incarnated {
    servant: Arc<dyn Servant>,
    /// There once somebody in this process has called.
    local: OnceLock<LocalServant>,
}

impl Incarnated {
    pub(super) fn new(servant: Arc<dyn Servant>) -> Self {
        Self {
            servant,
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
impl Incarnated {
    /// Takes the servant from references that keep it.
    pub(super) fn release(&self) {
        if let Some(local) = self.local.get() {
            local.release();
        }
    }
}

impl Deref for Incarnated {
    type Target = dyn Servant;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &*self.servant
    }
}
