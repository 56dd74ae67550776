//! Objects with priorities of their own (`RTPortableServer::POA`, Real-time CORBA 1.2, 4.8).

use std::sync::Arc;

use super::active_object_map::Activation;
use super::{ObjectId, Poa, PoaError, Servant, Skeleton};
use crate::object::{ObjectRef, Reference};
use crate::priority::Priority;

impl Poa {
    /// Activates a servant whose requests are carried out at this priority, and gives the
    /// reference to its object, which tells it.
    ///
    /// # Errors
    ///
    /// As [`activate_object_with_priority`](Self::activate_object_with_priority).
    pub fn activate_with_priority<S: Skeleton>(
        &self,
        servant: S,
        priority: Priority,
    ) -> Result<S::Reference, PoaError> {
        let interface = servant.interface();
        self.check_priority(None, priority)?;
        self.require_own_ids()?;
        let activation = self.prioritized(Arc::new(servant), None, priority);
        let slot = self.shared.map.activate(activation, true)?;
        let object = self.reference_as(interface, slot, None);
        Ok(S::Reference::from_object(object))
    }

    /// Activates a servant under an id, whose requests are carried out at this priority, and
    /// gives the reference to its object, which tells it.
    ///
    /// # Errors
    ///
    /// As [`activate_object_with_id_and_priority`](Self::activate_object_with_id_and_priority).
    pub fn activate_with_id_and_priority<S: Skeleton>(
        &self,
        id: &ObjectId,
        servant: S,
        priority: Priority,
    ) -> Result<S::Reference, PoaError> {
        let interface = servant.interface();
        self.check_priority(Some(id), priority)?;
        let activation = self.prioritized(Arc::new(servant), Some(id.clone()), priority);
        let slot = self.activate_with(id, activation)?;
        let object = self.reference_as(interface, slot, Some(id));
        Ok(S::Reference::from_object(object))
    }

    /// Activates a servant under an id that the POA assigns. Requests for the object are
    /// carried out at this priority.
    ///
    /// # Errors
    ///
    /// Those of [`activate_object`](Self::activate_object); [`PoaError::WrongPolicy`] also
    /// unless the POA has a [`PriorityModelPolicy`](crate::policy::PriorityModelPolicy) with
    /// SERVER_DECLARED; DATA_CONVERSION with OMG minor 2 for a priority that has no native one;
    /// BAD_PARAM with
    /// [`minor::OBJECT_PRIORITY_IN_NO_BAND`](crate::minor::OBJECT_PRIORITY_IN_NO_BAND) for one
    /// that is in no band of the POA.
    pub fn activate_object_with_priority(
        &self,
        servant: impl Servant,
        priority: Priority,
    ) -> Result<ObjectId, PoaError> {
        self.check_priority(None, priority)?;
        self.require_own_ids()?;
        let activation = self.prioritized(Arc::new(servant), None, priority);
        let slot = self.shared.map.activate(activation, true)?;
        Ok(self.shared.map.assigned_id(slot))
    }

    /// Activates a servant under this id. Requests for the object are carried out at this
    /// priority.
    ///
    /// # Errors
    ///
    /// Those of [`activate_object_with_id`](Self::activate_object_with_id) and of
    /// [`activate_object_with_priority`](Self::activate_object_with_priority); BAD_INV_ORDER
    /// with OMG minor 18 if a reference has told another priority of the object.
    pub fn activate_object_with_id_and_priority(
        &self,
        id: &ObjectId,
        servant: impl Servant,
        priority: Priority,
    ) -> Result<(), PoaError> {
        self.check_priority(Some(id), priority)?;
        let activation = self.prioritized(Arc::new(servant), Some(id.clone()), priority);
        self.activate_with(id, activation).map(drop)
    }

    /// A reference to an object that need not be active yet, under an id that the POA assigns.
    /// The object has this priority, which the reference tells, whenever it becomes active in
    /// this POA; another life of the server does not know it.
    ///
    /// # Errors
    ///
    /// Those of [`create_reference`](Self::create_reference) and of
    /// [`activate_object_with_priority`](Self::activate_object_with_priority).
    pub fn create_reference_with_priority(
        &self,
        repository_id: &str,
        priority: Priority,
    ) -> Result<ObjectRef, PoaError> {
        self.check_priority(None, priority)?;
        let id = self.promise_new()?;
        self.announce_priority(&id, priority);
        Ok(self.reference_by_id(repository_id, &id))
    }

    /// A reference to an object that need not be active yet. The object has this priority, which
    /// the reference tells, whenever it becomes active in this POA.
    ///
    /// # Errors
    ///
    /// Those of [`create_reference_with_id`](Self::create_reference_with_id) and of
    /// [`activate_object_with_priority`](Self::activate_object_with_priority); BAD_INV_ORDER
    /// with OMG minor 18 if the object has another priority, be it active or not.
    pub fn create_reference_with_id_and_priority(
        &self,
        id: &ObjectId,
        repository_id: &str,
        priority: Priority,
    ) -> Result<ObjectRef, PoaError> {
        self.check_priority(Some(id), priority)?;
        self.check_priority_of_active(id, priority)?;
        self.check_id(id)?;
        self.promise(id)?;
        self.announce_priority(id, priority);
        Ok(self.reference_by_id(repository_id, id))
    }

    fn prioritized(
        &self,
        servant: Arc<dyn Servant>,
        id: Option<ObjectId>,
        priority: Priority,
    ) -> Activation {
        Activation {
            priority: Some(priority),
            ..self.activation(servant, id)
        }
    }
}
