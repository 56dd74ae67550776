//! What a servant may ask of the request that it carries out.

use std::fmt;
#[cfg(feature = "servant-managers")]
use std::hint::cold_path;
use std::sync::Arc;

use scoped_tls::scoped_thread_local;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::active_object_map::FoundObject;
use super::incarnated::Incarnated;
use super::table::PoaEntry;
use super::{ObjectId, Poa, Servant};
use crate::object::ObjectRef;
use crate::slot_table::Found;
#[cfg(feature = "servant-managers")]
use crate::sync::Held;

scoped_thread_local!(static CURRENT: Upcall);

/// The request that the calling thread carries out (`PortableServer::Current`,
/// CORBA 3.3 part 1, 15.3.10): for servants that incarnate many objects, or that
/// want their own reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Current;

/// The calling thread carries out no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoContext;

impl Current {
    /// The POA through which the request came.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn poa() -> Result<Poa, NoContext> {
        with(|upcall| upcall.poa().clone())
    }

    /// The id of the object that was called.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn object_id() -> Result<ObjectId, NoContext> {
        with(Upcall::object_id)
    }

    /// A reference to the object that was called.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn reference() -> Result<ObjectRef, NoContext> {
        with(Upcall::reference)
    }

    /// The servant that carries the request out.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn servant() -> Result<Arc<dyn Servant>, NoContext> {
        with(|upcall| Arc::clone(upcall.incarnated().servant()))
    }
}

/// A request on its way: the object with its servant, and the POA. Both live as long
/// as this does.
pub(super) struct Upcall {
    // Dropped in this order: the end of a POA waits for its objects'.
    pub(super) target: Target,
    pub(super) entry: Found<PoaEntry>,
}

/// Who carries a request out.
pub(super) enum Target {
    /// The servant of an active object.
    Active(FoundObject),
    /// The default servant.
    #[cfg(feature = "servant-managers")]
    Default {
        servant: Held<Incarnated>,
        id: ObjectId,
    },
    /// One that a servant locator has found.
    #[cfg(feature = "servant-managers")]
    Located { servant: Incarnated, id: ObjectId },
}

impl Upcall {
    /// Runs `action` as part of this request.
    #[inline]
    pub(super) fn run<R>(&self, action: impl FnOnce(&Incarnated) -> R) -> R {
        CURRENT.set(self, || action(self.incarnated()))
    }

    /// Lets go of the object, and then of its POA: what dropping it does, without what
    /// other targets than active objects need.
    #[inline(always)]
    pub(super) fn end(self) {
        let Self { target, entry } = self;
        match target {
            Target::Active(found) => drop(found),
            #[cfg(feature = "servant-managers")]
            target => {
                cold_path();
                drop(target);
            }
        }
        drop(entry);
    }

    #[inline]
    pub(super) fn incarnated(&self) -> &Incarnated {
        match &self.target {
            Target::Active(found) => found.incarnated(),
            #[cfg(feature = "servant-managers")]
            Target::Default { servant, .. } => servant,
            #[cfg(feature = "servant-managers")]
            Target::Located { servant, .. } => servant,
        }
    }

    pub(super) fn poa(&self) -> &Poa {
        &self.entry.value.poa
    }

    pub(super) fn object_id(&self) -> ObjectId {
        match &self.target {
            Target::Active(found) => self.poa().shared.map.id_of(found),
            #[cfg(feature = "servant-managers")]
            Target::Default { id, .. } | Target::Located { id, .. } => id.clone(),
        }
    }

    fn reference(&self) -> ObjectRef {
        match &self.target {
            Target::Active(found) => self.poa().reference_to(found),
            #[cfg(feature = "servant-managers")]
            Target::Default { id, .. } | Target::Located { id, .. } => {
                let type_id = self.incarnated().interface().repository_id;
                self.poa().reference_by_id(type_id, id)
            }
        }
    }
}

/// Runs `action` with the request that the calling thread carries out.
pub(super) fn with<R>(action: impl FnOnce(&Upcall) -> R) -> Result<R, NoContext> {
    if !CURRENT.is_set() {
        return Err(NoContext);
    }
    Ok(CURRENT.with(action))
}

impl fmt::Display for NoContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this thread carries out no request")
    }
}

impl std::error::Error for NoContext {}

/// BAD_INV_ORDER, so that `?` works where there should be a request.
impl From<NoContext> for SystemException {
    fn from(_: NoContext) -> Self {
        Self::new(SystemExceptionKind::BadInvOrder, 0, CompletionStatus::No)
    }
}
