//! The Portable Object Adapter (CORBA 3.3 part 1, 15): makes references, and
//! brings requests to servants in constant time.

mod active_object_map;
mod adapter;
mod collocation;
mod error;
mod manager;
mod object_id;
mod object_key;
mod servant;

use std::fmt;
use std::sync::Arc;

use taut_giop::ior::IiopProfile;
use taut_giop::{Ior, SystemException};

use crate::object::{ObjectRef, Reference, ReferenceFactory};
use crate::server::{Disposition, ServerRequest};
use crate::slot_table::SlotId;
use active_object_map::{Activation, ActiveObjectMap};
use object_key::{Incarnation, ObjectKey};

pub(crate) use adapter::Adapters;
pub use error::PoaError;
pub use manager::{AdapterInactive, PoaManager, PoaManagerState};
pub use object_id::ObjectId;
pub use servant::{Servant, ServantIdentity, Skeleton};

/// A POA. A clone is the same POA.
///
/// The root POA has the standard's policies: references are transient, ids are
/// assigned by the POA (SYSTEM_ID), a servant incarnates one object at a time
/// (UNIQUE_ID), and asking for the reference of an inactive servant activates
/// it (IMPLICIT_ACTIVATION). Its manager holds requests until it is told to
/// [activate](PoaManager::activate).
#[derive(Clone)]
pub struct Poa {
    shared: Arc<Shared>,
}

struct Shared {
    incarnation: Incarnation,
    place: SlotId,
    manager: PoaManager,
    map: ActiveObjectMap,
    references: Arc<dyn ReferenceFactory>,
}

impl Poa {
    fn new(incarnation: Incarnation, place: SlotId, references: Arc<dyn ReferenceFactory>) -> Self {
        let shared = Shared {
            incarnation,
            place,
            manager: PoaManager::new(),
            map: ActiveObjectMap::new(),
            references,
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The manager that lets requests through to this POA.
    pub fn manager(&self) -> &PoaManager {
        &self.shared.manager
    }

    /// Activates a servant and gives the reference to its object: what most
    /// servers need.
    ///
    /// # Errors
    ///
    /// As [`activate_object`](Self::activate_object).
    pub fn activate<S: Skeleton>(&self, servant: S) -> Result<S::Reference, PoaError> {
        let type_id = servant.interface().repository_id;
        let slot = self.activate_slot(Arc::new(servant))?;
        Ok(S::Reference::from_object(self.reference(type_id, slot)))
    }

    /// Activates a servant under an id that the POA assigns.
    ///
    /// # Errors
    ///
    /// [`PoaError::ServantAlreadyActive`], [`PoaError::Full`].
    pub fn activate_object(&self, servant: impl Servant) -> Result<ObjectId, PoaError> {
        self.activate_slot(Arc::new(servant)).map(ObjectId::of_slot)
    }

    /// Deactivates an object: requests for it are answered with
    /// OBJECT_NOT_EXIST from now on. Requests that run go on to their end, and
    /// then the servant is dropped.
    ///
    /// # Errors
    ///
    /// [`PoaError::ObjectNotActive`].
    pub fn deactivate_object(&self, id: &ObjectId) -> Result<(), PoaError> {
        self.shared.map.deactivate(active_slot(id)?)
    }

    /// The id of the object that the servant incarnates; activates it if need be.
    ///
    /// # Errors
    ///
    /// [`PoaError::Full`].
    pub fn servant_to_id(&self, servant: impl Servant) -> Result<ObjectId, PoaError> {
        self.slot_of(servant).map(ObjectId::of_slot)
    }

    /// The reference to the object that the servant incarnates; activates it
    /// if need be.
    ///
    /// # Errors
    ///
    /// [`PoaError::Full`].
    pub fn servant_to_reference<S: Skeleton>(&self, servant: S) -> Result<S::Reference, PoaError> {
        let type_id = servant.interface().repository_id;
        let slot = self.slot_of(servant)?;
        Ok(S::Reference::from_object(self.reference(type_id, slot)))
    }

    /// The servant of the object to which a reference leads.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongAdapter`], [`PoaError::ObjectNotActive`].
    pub fn reference_to_servant(
        &self,
        reference: &ObjectRef,
    ) -> Result<Arc<dyn Servant>, PoaError> {
        self.id_to_servant(&self.reference_to_id(reference)?)
    }

    /// The id of the object to which a reference leads; it need not be active.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongAdapter`].
    pub fn reference_to_id(&self, reference: &ObjectRef) -> Result<ObjectId, PoaError> {
        let slot = self
            .own_slot(reference.ior())
            .ok_or(PoaError::WrongAdapter)?;
        Ok(ObjectId::of_slot(slot))
    }

    /// The servant of an active object.
    ///
    /// # Errors
    ///
    /// [`PoaError::ObjectNotActive`].
    pub fn id_to_servant(&self, id: &ObjectId) -> Result<Arc<dyn Servant>, PoaError> {
        self.shared
            .map
            .with(active_slot(id)?, Arc::clone)
            .ok_or(PoaError::ObjectNotActive)
    }

    /// The reference to an active object.
    ///
    /// # Errors
    ///
    /// [`PoaError::ObjectNotActive`].
    pub fn id_to_reference(&self, id: &ObjectId) -> Result<ObjectRef, PoaError> {
        let slot = active_slot(id)?;
        let interface = self
            .shared
            .map
            .with(slot, |servant| servant.interface())
            .ok_or(PoaError::ObjectNotActive)?;
        Ok(self.reference(interface.repository_id, slot))
    }

    fn activate_slot(&self, servant: Arc<dyn Servant>) -> Result<SlotId, PoaError> {
        match self.shared.map.activate(servant)? {
            Activation::Now(slot) => Ok(slot),
            Activation::Before(_) => Err(PoaError::ServantAlreadyActive),
        }
    }

    /// The slot of a servant, active or activated now.
    fn slot_of(&self, servant: impl Servant) -> Result<SlotId, PoaError> {
        if let Some(slot) = self.shared.map.id_of(servant.identity()) {
            return Ok(slot);
        }
        match self.shared.map.activate(Arc::new(servant))? {
            Activation::Now(slot) | Activation::Before(slot) => Ok(slot),
        }
    }

    /// Gives a request to the servant of an object, once the manager lets it
    /// through.
    #[inline]
    fn dispatch(
        &self,
        object: SlotId,
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        self.shared.manager.admit()?;
        self.shared
            .map
            .with(object, |servant| servant.dispatch(request))
            .ok_or_else(adapter::unknown_object)??;
        Ok(Disposition::Done)
    }

    /// The POA's place in the table of POAs.
    fn place(&self) -> SlotId {
        self.shared.place
    }

    fn reference(&self, type_id: &str, object: SlotId) -> ObjectRef {
        let Shared {
            incarnation,
            place,
            ref references,
            ..
        } = *self.shared;
        let key = ObjectKey {
            incarnation,
            poa: place,
            object,
        };
        references.reference(type_id, &key.to_octets())
    }

    /// The slot that a reference names, if this POA made it.
    fn own_slot(&self, ior: &Ior) -> Option<SlotId> {
        ior.profiles.iter().find_map(|profile| {
            let profile = IiopProfile::parse(&profile.data).ok()?;
            let key = ObjectKey::parse(&profile.object_key)?;
            let own = key.incarnation == self.shared.incarnation && key.poa == self.shared.place;
            own.then_some(key.object)
        })
    }
}

/// The slot of an id that can only be active if the POA assigned it.
fn active_slot(id: &ObjectId) -> Result<SlotId, PoaError> {
    id.slot().ok_or(PoaError::ObjectNotActive)
}

impl fmt::Debug for Poa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poa")
            .field("manager", &self.shared.manager.state())
            .finish_non_exhaustive()
    }
}
