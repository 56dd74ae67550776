//! The facts about a request that its servant may ask for.

use std::fmt;
use std::hint::cold_path;
use std::sync::Arc;

use scoped_tls::scoped_thread_local;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::active_object_map::{FoundObject, HeldObject};
use super::incarnated::Incarnated;
use super::policy::OnDemand;
use super::table::PoaEntry;
use super::{ObjectId, Poa, Servant};
use crate::object::ObjectRef;
use crate::upcall::{self, Role};
use taut_sync::primitives::Held;
use taut_sync::slot_table::{Entry, Found, SlotId};

scoped_thread_local!(static CURRENT: Upcall);

/// The request that the calling thread carries out (`PortableServer::Current`,
/// CORBA 3.3 part 1, 15.3.10): for servants that incarnate many objects, or that
/// want their own reference.
///
/// It tells the object whose servant runs, in nested calls and in each
/// [collocation strategy](crate::ClientSettings::collocation), the first as the last time. Only
/// the methods of servants have an object: in servant managers, adapter activators,
/// locators of object keys, and in the `Drop` of a servant that the ORB lets go of there
/// is none, though a servant of the same thread waits for them.
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
        with(|called| called.poa().clone())
    }

    /// The id of the object that was called.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn object_id() -> Result<ObjectId, NoContext> {
        with(|called| called.object_id())
    }

    /// A reference to the object that was called.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn reference() -> Result<ObjectRef, NoContext> {
        with(|called| called.reference())
    }

    /// The servant that carries the request out.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant.
    pub fn servant() -> Result<Arc<dyn Servant>, NoContext> {
        with(|called| Arc::clone(called.servant()))
    }
}

/// A request on its way: the object with its servant, and the POA. Both live as long
/// as this does.
pub(super) struct Upcall {
    // Dropped in this order: the end of a POA waits for its objects'.
    pub(super) target: Target,
    pub(super) entry: Found<PoaEntry>,
}

/// The servant that carries a request out.
pub(super) enum Target {
    /// The servant of an active object.
    Active(FoundObject),
    /// The default servant.
    Default {
        _by: OnDemand,
        servant: Held<Incarnated>,
        id: ObjectId,
    },
    /// One that a servant locator has found.
    Located {
        _by: OnDemand,
        servant: Incarnated,
        id: ObjectId,
    },
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
            Target::Default { servant, .. } => servant,
            Target::Located { servant, .. } => servant,
        }
    }

    pub(super) fn poa(&self) -> &Poa {
        &self.entry.value.poa
    }

    pub(super) fn object_id(&self) -> ObjectId {
        match &self.target {
            Target::Active(found) => self.poa().shared.map.id_of(found),
            Target::Default { id, .. } | Target::Located { id, .. } => id.clone(),
        }
    }

    fn reference(&self) -> ObjectRef {
        match &self.target {
            Target::Active(found) => self.poa().reference_to(found),
            Target::Default { id, .. } | Target::Located { id, .. } => {
                let type_id = self.incarnated().interface().repository_id;
                self.poa().reference_by_id(type_id, id)
            }
        }
    }
}

/// An active object, as references know it that call its servant without the POA.
pub(super) struct KeptObject {
    poa: Poa,
    slot: SlotId,
    /// The id where it is not the slot.
    chosen_id: Option<ObjectId>,
    servant: Arc<dyn Servant>,
}

impl KeptObject {
    /// An active object of this POA.
    pub(super) fn new(poa: &Poa, found: &FoundObject) -> Self {
        Self {
            poa: poa.clone(),
            slot: found.slot,
            chosen_id: found.chosen_id().cloned(),
            servant: Arc::clone(found.incarnated().servant()),
        }
    }

    /// The role in which its servant is called.
    pub(super) fn into_role(self) -> Role {
        Role::Kept(Arc::new(self))
    }
}

/// The object of a request that is answered later. As long as this is there, the request is
/// in the POA: what ends with the object, its POA, or the state of its manager, waits.
pub(super) struct HeldTarget {
    // Dropped in this order: the end of a POA waits for its objects'.
    servant: HeldServant,
    id: ObjectId,
    entry: Arc<Entry<PoaEntry>>,
}

/// A share in a servant that carries a request out.
enum HeldServant {
    /// The servant of an active object, which lies in this slot.
    Active(HeldObject, SlotId),
    /// One that was found on demand.
    OnDemand(Arc<Incarnated>),
}

impl HeldTarget {
    /// The object of the request that the calling thread carries out.
    ///
    /// # Errors
    ///
    /// [`NoContext`] outside of a servant, and in one that a reference calls by itself.
    pub(super) fn of_this_thread() -> Result<Self, NoContext> {
        with(|called| match called {
            Called::Request(upcall) => Ok(Self {
                servant: match &upcall.target {
                    Target::Active(found) => HeldServant::Active(found.hold(), found.slot),
                    Target::Default { servant, .. } => HeldServant::OnDemand(servant.to_arc()),
                    Target::Located { servant, .. } => {
                        let servant = Incarnated::new(Arc::clone(servant.servant()));
                        HeldServant::OnDemand(Arc::new(servant))
                    }
                },
                id: upcall.object_id(),
                entry: upcall.entry.to_arc(),
            }),
            Called::Kept(_) | Called::Later(_) => Err(NoContext),
        })?
    }

    pub(super) fn poa(&self) -> &Poa {
        &self.entry.value.poa
    }

    pub(super) fn object_id(&self) -> ObjectId {
        self.id.clone()
    }

    pub(super) fn servant(&self) -> &Arc<dyn Servant> {
        match &self.servant {
            HeldServant::Active(object, _) => object.incarnated().servant(),
            HeldServant::OnDemand(incarnated) => incarnated.servant(),
        }
    }

    pub(super) fn reference(&self) -> ObjectRef {
        let (poa, interface) = (self.poa(), self.servant().interface());
        match &self.servant {
            HeldServant::Active(object, slot) => {
                poa.reference_as(interface, *slot, object.chosen_id())
            }
            HeldServant::OnDemand(_) => poa.reference_by_id(interface.repository_id, &self.id),
        }
    }

    /// The object as people know it.
    #[cold]
    pub(super) fn describe(&self) -> String {
        format!("{} of the POA {}", self.id, self.poa().name())
    }
}

/// The object whose servant runs.
pub(super) enum Called<'a> {
    /// By a request.
    Request(&'a Upcall),
    /// By a reference that keeps the servant.
    Kept(&'a KeptObject),
    /// By a request that is answered later.
    Later(&'a HeldTarget),
}

impl Called<'_> {
    pub(super) fn poa(&self) -> &Poa {
        match self {
            Self::Request(upcall) => upcall.poa(),
            Self::Kept(object) => &object.poa,
            Self::Later(object) => object.poa(),
        }
    }

    pub(super) fn object_id(&self) -> ObjectId {
        match self {
            Self::Request(upcall) => upcall.object_id(),
            Self::Kept(object) => {
                let id = object.chosen_id.clone();
                id.unwrap_or_else(|| object.poa.shared.map.assigned_id(object.slot))
            }
            Self::Later(object) => object.object_id(),
        }
    }

    pub(super) fn servant(&self) -> &Arc<dyn Servant> {
        match self {
            Self::Request(upcall) => upcall.incarnated().servant(),
            Self::Kept(object) => &object.servant,
            Self::Later(object) => object.servant(),
        }
    }

    fn reference(&self) -> ObjectRef {
        match self {
            Self::Request(upcall) => upcall.reference(),
            Self::Kept(object) => {
                let interface = object.servant.interface();
                let id = object.chosen_id.as_ref();
                object.poa.reference_as(interface, object.slot, id)
            }
            Self::Later(object) => object.reference(),
        }
    }
}

/// Runs `action` with the object whose servant the calling thread runs.
pub(super) fn with<R>(action: impl FnOnce(Called<'_>) -> R) -> Result<R, NoContext> {
    upcall::with_role(|role| match role {
        Some(Role::Outside) => Err(NoContext),
        Some(Role::Kept(object)) => match object.downcast_ref() {
            Some(object) => Ok(action(Called::Kept(object))),
            None => match object.downcast_ref() {
                Some(object) => Ok(action(Called::Later(object))),
                None => Err(NoContext),
            },
        },
        None if CURRENT.is_set() => Ok(CURRENT.with(|upcall| action(Called::Request(upcall)))),
        None => Err(NoContext),
    })
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
