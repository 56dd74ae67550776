//! From a POA to the servant of one of its objects.

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use taut_giop::{Ior, SystemException, SystemExceptionKind};

use super::active_object_map::{FoundObject, Incarnation};
use super::current::{Target, Upcall};
use super::error::{refusal, unknown_object};
use super::incarnated::Incarnated;
use super::object_key::{KeyName, ObjectKey};
use super::table::PoaEntry;
use super::{
    Cookie, ObjectId, Poa, PoaError, ServantActivator, ServantLocator, ServantManager,
    ServantManagerError, Shared,
};
use crate::slot_table::Found;

/// What became of a request.
pub(super) enum Served<R> {
    /// A servant has carried it out.
    Done(R),
    /// Nobody has yet: the thread that runs the ORB shall, and this is another.
    ForMainThread,
    /// The caller shall ask there.
    Forward(Box<Ior>),
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

impl PoaEntry {
    /// The object that a key names, where that is no more than a look at its place.
    #[inline(always)]
    pub(super) fn find_at_once(&self, key: &ObjectKey<'_>) -> Option<FoundObject> {
        let map = &self.poa.shared.map;
        match self.is_direct {
            true => map.find_hinted(key.object, key.name.id()),
            false => None,
        }
    }
}

/// Runs `run` with the servant of the object that a key names, as a request for this
/// operation. The POA has let the request in.
///
/// # Errors
///
/// Why there is no servant; or what `run` ends with.
pub(super) fn serve<R>(
    entry: Found<PoaEntry>,
    key: &ObjectKey<'_>,
    operation: &[u8],
    run: impl FnOnce(&Incarnated) -> Result<R, SystemException>,
) -> Result<Served<R>, SystemException> {
    let poa = entry.value.poa.clone();
    if poa.needs_main_thread() {
        return Ok(Served::ForMainThread);
    }
    let _turn = poa.shared.one_at_a_time.as_ref().map(|turn| turn.lock());
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
    let outcome: Result<_, Box<dyn Any + Send>> =
        catch_unwind(AssertUnwindSafe(|| upcall.run(run)));
    visit.locator.postinvoke(
        &upcall.object_id(),
        &poa,
        &visit.operation,
        visit.cookie,
        upcall.incarnated().servant(),
    );
    match outcome {
        Ok(outcome) => outcome.map(Served::Done),
        Err(panic) => resume_unwind(panic),
    }
}

impl Poa {
    /// Whether there may be an object with this key: it is active, or somebody
    /// provides servants on demand.
    pub(super) fn may_have(&self, key: &ObjectKey<'_>) -> bool {
        let policies = self.policies();
        policies.uses_default_servant()
            || policies.uses_servant_manager()
            || self.shared.map.find(key.object, key.name.id()).is_some()
    }

    /// Who carries the request out.
    fn target<'a>(
        &'a self,
        key: &ObjectKey<'_>,
        operation: &'a [u8],
        visit: &mut Option<Visit<'a>>,
    ) -> Result<Target, Diversion> {
        let Shared { policies, map, .. } = &*self.shared;
        if policies.retains()
            && let Some(found) = map.find(key.object, key.name.id())
        {
            return Ok(Target::Active(found));
        }
        let id = match key.name.id() {
            Some(id) => ObjectId::new(id),
            None => map.assigned_id(key.object),
        };
        if policies.uses_default_servant() {
            let servant = self.shared.default_servant.load();
            let servant = servant.ok_or_else(|| refusal(SystemExceptionKind::ObjAdapter, 3))?;
            return Ok(Target::Default { servant, id });
        }
        if !policies.uses_servant_manager() {
            return Err(unknown_object().into());
        }
        let manager = self.shared.servant_manager.get();
        match manager.ok_or_else(|| refusal(SystemExceptionKind::ObjAdapter, 4))? {
            ServantManager::Activator(activator) => {
                self.incarnate(&**activator, id).map(Target::Active)
            }
            ServantManager::Locator(locator) => {
                let operation = String::from_utf8_lossy(operation);
                let (servant, cookie) = locator.preinvoke(&id, self, &operation)?;
                *visit = Some(Visit {
                    locator: &**locator,
                    operation,
                    cookie,
                });
                let servant = Incarnated::new(servant);
                Ok(Target::Located { servant, id })
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
        if let Incarnation::Active(found) = map.begin_incarnation(&id) {
            return Ok(found);
        }
        let incarnate = || -> Result<FoundObject, Diversion> {
            let servant = activator.incarnate(&id, self)?;
            let activation = self.activation(servant, Some(id.clone()));
            let found = map.end_incarnation(activation);
            Ok(found.map_err(|error| match error {
                PoaError::ServantAlreadyActive => refusal(SystemExceptionKind::ObjAdapter, 5),
                error => error.into(),
            })?)
        };
        let outcome = catch_unwind(AssertUnwindSafe(incarnate));
        map.settle(&id);
        outcome.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl<'k> KeyName<'k> {
    /// The POA's path, if it is persistent.
    pub(super) fn path(&self) -> Option<&'k [u8]> {
        match *self {
            Self::Persistent { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The object's id, if it is not its slot.
    #[inline]
    pub(super) fn id(&self) -> Option<&'k [u8]> {
        match *self {
            Self::Slot => None,
            Self::Id(id) | Self::Persistent { id, .. } => Some(id),
        }
    }
}
