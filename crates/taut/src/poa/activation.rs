//! How objects become active, and who provides their servants.

use std::any::Any;
use std::sync::Arc;

use taut_giop::SystemExceptionKind;

use super::active_object_map::Activation;
use super::error::refusal;
use super::manager::{Generation, Managed};
use super::{ObjectId, Poa, PoaError, PoaManagerState, Servant, Shared, Skeleton};
use crate::object::Reference;
use crate::upcall;
use taut_sync::slot_table::SlotId;

impl Poa {
    /// Activates a servant and gives the reference to its object: what most
    /// servers need.
    ///
    /// # Errors
    ///
    /// As [`activate_object`](Self::activate_object).
    pub fn activate<S: Skeleton>(&self, servant: S) -> Result<S::Reference, PoaError> {
        let interface = servant.interface();
        let slot = self.activate_new(Arc::new(servant))?;
        let object = self.reference_as(interface, slot, None);
        Ok(S::Reference::from_object(object))
    }

    /// Activates a servant under an id and gives the reference to its object.
    ///
    /// # Errors
    ///
    /// As [`activate_object_with_id`](Self::activate_object_with_id).
    pub fn activate_with_id<S: Skeleton>(
        &self,
        id: &ObjectId,
        servant: S,
    ) -> Result<S::Reference, PoaError> {
        let interface = servant.interface();
        let slot = self.activate_as(id, Arc::new(servant))?;
        let object = self.reference_as(interface, slot, Some(id));
        Ok(S::Reference::from_object(object))
    }

    /// Activates a servant under an id that the POA assigns.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without SYSTEM_ID and RETAIN,
    /// [`PoaError::ServantAlreadyActive`] with UNIQUE_ID, [`PoaError::Full`];
    /// OBJECT_NOT_EXIST when the POA has been destroyed.
    pub fn activate_object(&self, servant: impl Servant) -> Result<ObjectId, PoaError> {
        let slot = self.activate_new(Arc::new(servant))?;
        Ok(self.shared.map.assigned_id(slot))
    }

    /// Activates a servant under this id. If the object was deactivated and its end
    /// is under way, waits for that.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without RETAIN, [`PoaError::ObjectAlreadyActive`],
    /// [`PoaError::ServantAlreadyActive`] with UNIQUE_ID, [`PoaError::Full`];
    /// BAD_PARAM with OMG minor 14 for an id that the POA should have assigned and
    /// has not; BAD_INV_ORDER with OMG minor 3 for a servant or servant manager that
    /// would have to wait; OBJECT_NOT_EXIST when the POA has been destroyed.
    pub fn activate_object_with_id(
        &self,
        id: &ObjectId,
        servant: impl Servant,
    ) -> Result<(), PoaError> {
        self.activate_as(id, Arc::new(servant)).map(drop)
    }

    /// Deactivates an object: further requests for it find it inactive. Requests
    /// that run go on to their end, and then the servant activator takes leave of
    /// the servant, if there is one, and it is dropped.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] without RETAIN, [`PoaError::ObjectNotActive`].
    pub fn deactivate_object(&self, id: &ObjectId) -> Result<(), PoaError> {
        self.require(self.policies().retains())?;
        self.shared.map.deactivate(id, self.postpone_end())
    }

    fn activate_new(&self, servant: Arc<dyn Servant>) -> Result<SlotId, PoaError> {
        self.require_own_ids()?;
        self.shared
            .map
            .activate(self.activation(servant, None), true)
    }

    fn activate_as(&self, id: &ObjectId, servant: Arc<dyn Servant>) -> Result<SlotId, PoaError> {
        let activation = self.activation(servant, Some(id.clone()));
        self.activate_with(id, activation)
    }

    /// Refuses to activate objects under ids that the POA would assign, where it has none.
    pub(super) fn require_own_ids(&self) -> Result<(), PoaError> {
        let policies = self.policies();
        self.require(policies.assigns_ids() && policies.retains())
    }

    /// Activates a servant under this id.
    pub(super) fn activate_with(
        &self,
        id: &ObjectId,
        activation: Activation,
    ) -> Result<SlotId, PoaError> {
        self.require(self.policies().retains())?;
        self.check_id(id)?;
        self.shared
            .map
            .activate(activation, !upcall::is_in_upcall())
    }

    /// Refuses ids that this POA should have assigned and has not.
    pub(super) fn check_id(&self, id: &ObjectId) -> Result<(), PoaError> {
        if self.policies().assigns_ids() && !self.shared.map.has_assigned(id) {
            return Err(refusal(SystemExceptionKind::BadParam, 14).into());
        }
        Ok(())
    }

    /// How a servant becomes active here.
    pub(super) fn activation(&self, servant: Arc<dyn Servant>, id: Option<ObjectId>) -> Activation {
        Activation {
            servant,
            priority: self.announced_priority(id.as_ref()),
            id,
            is_unique: self.policies().has_unique_ids(),
            etherealizer: self.etherealizer(),
        }
    }
}

impl Shared {
    /// Deactivates all objects for good.
    pub(super) fn end_objects(&self, etherealizes: bool) {
        self.demand.begin_end(etherealizes);
        self.map.deactivate_all(true);
        self.demand.end();
    }
}

impl Managed for Shared {
    fn enter(
        &self,
        state: PoaManagerState,
        generation: &Arc<Generation>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        let before = self.table.enter(self.place, state, generation);
        #[cfg(feature = "full")]
        self.heed_manager(state);
        before
    }

    fn etherealize_objects(&self) {
        if self.policies.retains() && self.policies.uses_servant_manager() {
            self.map.deactivate_all(false);
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}
