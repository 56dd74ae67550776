//! Servants on demand: default servants, activators and locators.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use taut_giop::{Ior, SystemException, SystemExceptionKind};

use super::active_object_map::{ActiveObjectMap, Etherealizer, FoundObject, Incarnation};
use super::current::{Target, Upcall};
use super::error::{object_not_active, refusal};
use super::incarnated::Incarnated;
use super::object_key::ObjectKey;
use super::served::Served;
use super::table::PoaEntry;
use super::{
    Cookie, ObjectId, Poa, PoaError, Servant, ServantActivator, ServantLocator, ServantManager,
    ServantManagerError, Shared,
};
use crate::upcall;
use taut_sync::primitives::{AtomicArc, end_with};
use taut_sync::slot_table::Found;

/// The source of the servants of a POA.
#[derive(Default)]
pub(super) struct Demand {
    default_servant: AtomicArc<Incarnated>,
    servant_manager: OnceLock<ServantManager>,
    /// Whether the servant activator does not learn of the objects' end.
    is_silent: AtomicBool,
}

impl Demand {
    /// Before all objects are deactivated for good.
    pub(super) fn begin_end(&self, etherealizes: bool) {
        self.is_silent.store(!etherealizes, Ordering::Release);
    }

    /// After all objects have been deactivated for good.
    pub(super) fn end(&self) {
        self.default_servant.store(None);
    }
}

/// Why a request gets no servant.
enum Diversion {
    Forward(Box<Ior>),
    Refusal(SystemException),
}

impl From<SystemException> for Diversion {
    fn from(exception: SystemException) -> Self {
        Self::Refusal(exception)
    }
}

impl From<ServantManagerError> for Diversion {
    fn from(error: ServantManagerError) -> Self {
        match error {
            ServantManagerError::ForwardRequest(target) => {
                Self::Forward(Box::new(target.ior().clone()))
            }
            ServantManagerError::System(exception) => Self::Refusal(exception),
        }
    }
}

/// A locator's servant, to be given back.
struct Visit<'a> {
    locator: &'a dyn ServantLocator,
    operation: Cow<'a, str>,
    cookie: Cookie,
}

/// Runs `run` with the servant that somebody provides for an object which is not
/// active.
///
/// # Errors
///
/// Why there is no servant; or what `run` ends with.
pub(super) fn serve<R>(
    poa: &Poa,
    entry: Found<PoaEntry>,
    key: &ObjectKey<'_>,
    operation: &[u8],
    run: impl FnOnce(&Incarnated) -> Result<R, SystemException>,
) -> Result<Served<R>, SystemException> {
    let mut visit = None;
    let target = match poa.target(key, operation, &mut visit) {
        Ok(target) => target,
        Err(Diversion::Forward(ior)) => return Ok(Served::Forward(ior)),
        Err(Diversion::Refusal(exception)) => return Err(exception),
    };
    let upcall = Upcall { target, entry };
    let Some(visit) = visit else {
        return upcall.run(run).map(Served::Done);
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| upcall.run(run)));
    let end = visit.end(poa, &upcall);
    match outcome {
        Ok(outcome) => end.and(outcome).map(Served::Done),
        Err(panic) => resume_unwind(panic),
    }
}

impl Visit<'_> {
    /// Gives the servant back.
    ///
    /// # Errors
    ///
    /// UNKNOWN when the locator panics.
    fn end(self, poa: &Poa, upcall: &Upcall) -> Result<(), SystemException> {
        let id = upcall.object_id();
        let Self {
            locator,
            operation,
            cookie,
        } = self;
        let servant = upcall.incarnated().servant();
        upcall::outside("postinvoke", &id, || {
            locator.postinvoke(&id, poa, &operation, cookie, servant);
        })
    }
}

impl Poa {
    /// Returns the manager that provides servants on demand, if one has been set.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without USE_SERVANT_MANAGER.
    pub fn servant_manager(&self) -> Result<Option<ServantManager>, PoaError> {
        self.require(self.policies().uses_servant_manager())?;
        Ok(self.shared.demand.servant_manager.get().cloned())
    }

    /// Sets who provides servants on demand, once: an activator with RETAIN, a
    /// locator with NON_RETAIN.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without USE_SERVANT_MANAGER; OBJ_ADAPTER with OMG
    /// minor 4 for one of the wrong kind; BAD_INV_ORDER with OMG minor 6 the second
    /// time.
    pub fn set_servant_manager(&self, manager: ServantManager) -> Result<(), PoaError> {
        self.require(self.policies().uses_servant_manager())?;
        let is_activator = matches!(manager, ServantManager::Activator(_));
        if is_activator != self.policies().retains() {
            return Err(refusal(SystemExceptionKind::ObjAdapter, 4).into());
        }
        let set = self.shared.demand.servant_manager.set(manager);
        set.map_err(|_| refusal(SystemExceptionKind::BadInvOrder, 6).into())
    }

    /// The default servant.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without USE_DEFAULT_SERVANT, [`PoaError::NoServant`].
    pub fn servant(&self) -> Result<Arc<dyn Servant>, PoaError> {
        self.require(self.policies().uses_default_servant())?;
        let servant = self.shared.demand.default_servant.load();
        let servant = servant.map(|servant| Arc::clone(servant.servant()));
        servant.ok_or(PoaError::NoServant)
    }

    /// Sets the servant of all objects that have none of their own. Requests that run
    /// go on with the one before.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without USE_DEFAULT_SERVANT.
    pub fn set_servant(&self, servant: impl Servant) -> Result<(), PoaError> {
        self.require(self.policies().uses_default_servant())?;
        self.require_unsealed()?;
        let servant = Arc::new(Incarnated::new(Arc::new(servant)));
        if let Some(before) = self.shared.demand.default_servant.swap(Some(servant)) {
            // Requests that run may have it.
            end_with(before, self.postpone_end());
        }
        Ok(())
    }

    /// Returns the receiver of notices of the end of objects.
    pub(super) fn etherealizer(&self) -> Option<Arc<dyn Etherealizer>> {
        let has_activator = self.policies().uses_servant_manager();
        has_activator.then(|| Arc::clone(&self.shared) as _)
    }

    /// Finds the servant that carries the request out.
    fn target<'a>(
        &'a self,
        key: &ObjectKey<'_>,
        operation: &'a [u8],
        visit: &mut Option<Visit<'a>>,
    ) -> Result<Target, Diversion> {
        let policies = self.policies();
        let id = match key.name.id() {
            Some(id) => ObjectId::new(id),
            None => self.shared.map.assigned_id(key.object),
        };
        let Some(_by) = policies.on_demand() else {
            return Err(object_not_active().into());
        };
        if policies.uses_default_servant() {
            let servant = self.shared.demand.default_servant.load();
            let servant = servant.ok_or_else(|| refusal(SystemExceptionKind::ObjAdapter, 3))?;
            return Ok(Target::Default { _by, servant, id });
        }
        let manager = self.shared.demand.servant_manager.get();
        match manager.ok_or_else(|| refusal(SystemExceptionKind::ObjAdapter, 4))? {
            ServantManager::Activator(activator) => {
                self.incarnate(&**activator, id).map(Target::Active)
            }
            ServantManager::Locator(locator) => {
                let operation = String::from_utf8_lossy(operation);
                let preinvoke = || locator.preinvoke(&id, self, &operation);
                let (servant, cookie) = upcall::outside("preinvoke", &id, preinvoke)??;
                *visit = Some(Visit {
                    locator: &**locator,
                    operation,
                    cookie,
                });
                let servant = Incarnated::new(servant);
                Ok(Target::Located { _by, servant, id })
            }
        }
    }

    /// Lets an activator activate an object, unless another request has done so.
    #[cold]
    fn incarnate(
        &self,
        activator: &dyn ServantActivator,
        id: ObjectId,
    ) -> Result<FoundObject, Diversion> {
        let map = &self.shared.map;
        if let Incarnation::Active(found) = map.begin_incarnation(&id)? {
            return Ok(found);
        }
        let _pending = Pending { map, id: &id };
        self.incarnate_begun(activator, &id)
    }

    /// Lets an activator activate an object whose incarnation has begun.
    fn incarnate_begun(
        &self,
        activator: &dyn ServantActivator,
        id: &ObjectId,
    ) -> Result<FoundObject, Diversion> {
        let servant = upcall::outside("incarnate", id, || activator.incarnate(id, self))??;
        let activation = self.activation(Arc::clone(&servant), Some(id.clone()));
        let found = self.shared.map.end_incarnation(activation);
        // A refused servant ends outside of the map's lock.
        upcall::let_go("Drop of a servant", id, servant);
        Ok(found.map_err(|error| match error {
            PoaError::ServantAlreadyActive => refusal(SystemExceptionKind::ObjAdapter, 5),
            error => error.into(),
        })?)
    }
}

impl Etherealizer for Shared {
    fn etherealize(
        self: Arc<Self>,
        id: &ObjectId,
        servant: &Arc<dyn Servant>,
        is_cleaning_up: bool,
    ) {
        let poa = Poa { shared: self };
        let shared = &poa.shared;
        let map = &shared.map;
        let _pending = Pending { map, id };
        if let Some(ServantManager::Activator(activator)) = shared.demand.servant_manager.get()
            && !shared.demand.is_silent.load(Ordering::Acquire)
        {
            map.begin_etherealization(id);
            // A panic has been reported, and the object has ended all the same.
            let _ = upcall::outside("etherealize", id, || {
                let remains = map.is_active(servant.identity());
                activator.etherealize(id, &poa, servant, is_cleaning_up, remains);
            });
        }
    }
}

/// An object that is pending, until this is dropped.
struct Pending<'a> {
    map: &'a ActiveObjectMap,
    id: &'a ObjectId,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.map.settle(self.id);
    }
}

impl Drop for Demand {
    fn drop(&mut self) {
        let manager = self.servant_manager.take();
        upcall::let_go("Drop of a servant manager", &"a POA", manager);
    }
}
