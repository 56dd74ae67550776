//! References to objects, and back.

use std::sync::Arc;

use taut_giop::Ior;
use taut_giop::ior::profile;

use super::active_object_map::FoundObject;
use super::object_key::{KeyName, ObjectKey};
use super::{ObjectId, Poa, PoaError, Servant, Skeleton, current};
use crate::object::{Interface, ObjectRef, Reference, Told};
use taut_sync::slot_table::SlotId;

impl Poa {
    /// A reference to an object that need not be active yet, under an id that the POA
    /// assigns.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without SYSTEM_ID, [`PoaError::Full`]; BAD_INV_ORDER with
    /// [`minor::ADAPTER_SEALED`](crate::minor::ADAPTER_SEALED) when the POA is sealed.
    pub fn create_reference(&self, repository_id: &str) -> Result<ObjectRef, PoaError> {
        let id = self.promise_new()?;
        Ok(self.reference_by_id(repository_id, &id))
    }

    /// A reference to an object that need not be active yet.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with OMG minor 14 for an id that the POA should have assigned and has
    /// not; BAD_INV_ORDER with [`minor::ADAPTER_SEALED`](crate::minor::ADAPTER_SEALED) when the
    /// POA is sealed and the object not active.
    pub fn create_reference_with_id(
        &self,
        id: &ObjectId,
        repository_id: &str,
    ) -> Result<ObjectRef, PoaError> {
        self.check_id(id)?;
        self.promise(id)?;
        Ok(self.reference_by_id(repository_id, id))
    }

    /// Assigns the id of an object to which a reference is made, and which need not be active yet.
    ///
    /// # Errors
    ///
    /// Those of [`create_reference`](Self::create_reference).
    pub(super) fn promise_new(&self) -> Result<ObjectId, PoaError> {
        self.require(self.policies().assigns_ids())?;
        self.require_unsealed()?;
        let id = self.shared.map.reserve()?;
        self.promise(&id)?;
        Ok(id)
    }

    /// The id of the object that the servant incarnates: of the one that is called,
    /// if a default servant asks for its own; of the active one; or of one that is
    /// activated for it.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without USE_DEFAULT_SERVANT, and without RETAIN and
    /// one of UNIQUE_ID and IMPLICIT_ACTIVATION; [`PoaError::ServantNotActive`];
    /// [`PoaError::Full`].
    pub fn servant_to_id(&self, servant: impl Servant) -> Result<ObjectId, PoaError> {
        let policies = self.policies();
        let is_kept = policies.has_unique_ids() || policies.activates_implicitly();
        self.require(policies.uses_default_servant() || policies.retains() && is_kept)?;
        self.id_of(Arc::new(servant), policies.uses_default_servant())
    }

    /// The reference to the object that the servant incarnates, as
    /// [`servant_to_id`](Self::servant_to_id); to the object that is called, if the
    /// servant that carries the request out asks for its own.
    ///
    /// # Errors
    ///
    /// As [`servant_to_id`](Self::servant_to_id).
    pub fn servant_to_reference<S: Skeleton>(&self, servant: S) -> Result<S::Reference, PoaError> {
        let type_id = servant.interface().repository_id;
        let id = match self.called_id(&servant) {
            Some(id) => id,
            None => self.servant_to_id(servant)?,
        };
        let found = self.shared.map.find_id(&id);
        let interface = found.map(|found| found.incarnated().interface());
        let object = self.made_reference(type_id, interface, &id);
        Ok(S::Reference::from_object(object))
    }

    /// The servant of the object to which a reference leads.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without RETAIN and USE_DEFAULT_SERVANT,
    /// [`PoaError::WrongAdapter`], [`PoaError::ObjectNotActive`].
    pub fn reference_to_servant(
        &self,
        reference: &ObjectRef,
    ) -> Result<Arc<dyn Servant>, PoaError> {
        self.require(self.policies().retains() || self.policies().uses_default_servant())?;
        self.id_to_servant(&self.reference_to_id(reference)?)
    }

    /// The id of the object to which a reference leads; it need not be active.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongAdapter`].
    pub fn reference_to_id(&self, reference: &ObjectRef) -> Result<ObjectId, PoaError> {
        self.own_id(reference.ior()).ok_or(PoaError::WrongAdapter)
    }

    /// The servant of an active object; of any other, the default servant if there is
    /// one.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without RETAIN and USE_DEFAULT_SERVANT,
    /// [`PoaError::ObjectNotActive`].
    pub fn id_to_servant(&self, id: &ObjectId) -> Result<Arc<dyn Servant>, PoaError> {
        let policies = self.policies();
        self.require(policies.retains() || policies.uses_default_servant())?;
        if let Some(found) = self.shared.map.find_id(id) {
            return Ok(Arc::clone(found.incarnated().servant()));
        }
        if policies.uses_default_servant() {
            return self.servant().map_err(|_| PoaError::ObjectNotActive);
        }
        Err(PoaError::ObjectNotActive)
    }

    /// The reference to an active object.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without RETAIN, [`PoaError::ObjectNotActive`].
    pub fn id_to_reference(&self, id: &ObjectId) -> Result<ObjectRef, PoaError> {
        self.require(self.policies().retains())?;
        let found = self.shared.map.find_id(id);
        let found = found.ok_or(PoaError::ObjectNotActive)?;
        Ok(self.reference_to(&found))
    }

    /// The reference to an active object.
    pub(super) fn reference_to(&self, found: &FoundObject) -> ObjectRef {
        let interface = found.incarnated().interface();
        self.reference_as(interface, found.slot, found.chosen_id())
    }

    /// The reference to an object that is active under this interface.
    pub(super) fn reference_as(
        &self,
        interface: &Interface,
        slot: SlotId,
        id: Option<&ObjectId>,
    ) -> ObjectRef {
        self.reference(interface.repository_id, Some(interface), slot, id)
    }

    /// The reference to an object, active or not.
    pub(super) fn reference_by_id(&self, type_id: &str, id: &ObjectId) -> ObjectRef {
        self.made_reference(type_id, None, id)
    }

    /// The same; the interface is known if the object is active.
    fn made_reference(
        &self,
        type_id: &str,
        interface: Option<&Interface>,
        id: &ObjectId,
    ) -> ObjectRef {
        let assigned = self.shared.map.assigned_slot(id.as_octets());
        match assigned.filter(|_| self.policies().assigns_ids()) {
            Some(slot) => self.reference(type_id, interface, slot, None),
            None => {
                let found = self.shared.map.find_id(id);
                let slot = found.map_or(SlotId::NONE, |found| found.slot);
                self.reference(type_id, interface, slot, Some(id))
            }
        }
    }

    /// The reference to the object with this id, or whose id is the slot. The slot is
    /// a hint where there is an id; the interface is known if the object is active.
    pub(super) fn reference(
        &self,
        type_id: &str,
        interface: Option<&Interface>,
        slot: SlotId,
        id: Option<&ObjectId>,
    ) -> ObjectRef {
        let shared = &self.shared;
        let assigned;
        let name = match id {
            _ if self.policies().is_persistent() => {
                assigned = match id {
                    Some(id) => id.clone(),
                    None => shared.map.assigned_id(slot),
                };
                KeyName::Persistent {
                    path: &shared.path,
                    id: assigned.as_octets(),
                }
            }
            Some(id) => KeyName::Id(id.as_octets()),
            None => KeyName::Slot,
        };
        let key = ObjectKey {
            incarnation: &shared.table.incarnation,
            poa: shared.place,
            object: slot,
            name,
        };
        let own = shared.told_of(slot, id);
        let parts = shared.told_policies.parts();
        let told = Told {
            pool: shared.pool.as_deref(),
            policies: own.as_ref().or(parts.policies),
            components: shared.components.get(),
            ..parts
        };
        shared.table.reference(type_id, interface, &key, told)
    }

    /// The id that a reference names, if this POA made it, be it in an earlier life.
    fn own_id(&self, ior: &Ior) -> Option<ObjectId> {
        ior.profiles.iter().find_map(|profile| {
            let key = profile::object_key(profile.tag, &profile.data).ok()??;
            let key = ObjectKey::parse(key)?;
            let is_of_this_life =
                *key.incarnation == self.shared.table.incarnation && key.poa == self.shared.place;
            match key.name {
                KeyName::Persistent { path, id } => {
                    let is_own = self.policies().is_persistent() && path == self.path();
                    is_own.then(|| ObjectId::new(id))
                }
                KeyName::Id(id) if is_of_this_life => Some(ObjectId::new(id)),
                KeyName::Slot if is_of_this_life => Some(self.shared.map.assigned_id(key.object)),
                _ => None,
            }
        })
    }

    /// The id of the object that is called, if the servant carries the request out.
    fn called_id(&self, servant: &dyn Servant) -> Option<ObjectId> {
        let id = current::with(|called| {
            let is_own = called.poa() == self && called.servant().identity() == servant.identity();
            is_own.then(|| called.object_id())
        });
        id.ok().flatten()
    }

    fn id_of(&self, servant: Arc<dyn Servant>, is_default: bool) -> Result<ObjectId, PoaError> {
        if is_default && let Some(id) = self.called_id(&*servant) {
            return Ok(id);
        }
        let policies = self.policies();
        let map = &self.shared.map;
        loop {
            if policies.has_unique_ids()
                && let Some(found) = map.activation_of(servant.identity())
            {
                return Ok(map.id_of(&found));
            }
            if !policies.activates_implicitly() {
                return Err(PoaError::ServantNotActive);
            }
            let activation = self.activation(Arc::clone(&servant), None);
            match map.activate(activation, true) {
                // Another thread was faster, and may have deactivated it since.
                Err(PoaError::ServantAlreadyActive) => {}
                outcome => return outcome.map(|slot| map.assigned_id(slot)),
            }
        }
    }
}
