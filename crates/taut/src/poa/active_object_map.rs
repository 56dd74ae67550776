//! Which servant incarnates which object.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{PoaError, Servant, ServantIdentity};
use crate::slot_table::{SlotId, SlotTable};

/// The active object map: object to servant without waiting (M8), and servant
/// to object for the operations that ask (M11).
pub(super) struct ActiveObjectMap {
    objects: SlotTable<Arc<dyn Servant>>,
    /// Changed only together with `objects`, under its lock.
    ids: Mutex<HashMap<ServantIdentity, SlotId>>,
}

impl ActiveObjectMap {
    pub(super) fn new() -> Self {
        Self {
            objects: SlotTable::new(),
            ids: Mutex::default(),
        }
    }

    /// Activates a servant under a new id, or says under which it is active.
    pub(super) fn activate(&self, servant: Arc<dyn Servant>) -> Result<Activation, PoaError> {
        let identity = servant.identity();
        let mut ids = self.ids.lock();
        if let Some(&id) = ids.get(&identity) {
            return Ok(Activation::Before(id));
        }
        let id = self.objects.insert(|_| servant).ok_or(PoaError::Full)?;
        ids.insert(identity, id);
        Ok(Activation::Now(id))
    }

    /// Deactivates an object. Requests that run go on; the servant is dropped
    /// when the last of them ends.
    pub(super) fn deactivate(&self, id: SlotId) -> Result<(), PoaError> {
        let mut ids = self.ids.lock();
        // Dropped when the lock has been released: a servant may deactivate others
        // as it goes.
        let servant = self.with(id, Arc::clone).ok_or(PoaError::ObjectNotActive)?;
        self.objects.remove(id);
        ids.remove(&servant.identity());
        drop(ids);
        Ok(())
    }

    /// Deactivates all objects.
    pub(super) fn clear(&self) {
        let mut ids = self.ids.lock();
        let servants: Vec<_> = ids
            .drain()
            .filter_map(|(_, id)| {
                let servant = self.with(id, Arc::clone);
                self.objects.remove(id);
                servant
            })
            .collect();
        drop(ids);
        drop(servants);
    }

    /// Runs `action` with the servant of an object, without waiting.
    #[inline]
    pub(super) fn with<R>(
        &self,
        id: SlotId,
        action: impl FnOnce(&Arc<dyn Servant>) -> R,
    ) -> Option<R> {
        let guard = self.objects.get(id)?;
        guard.as_ref().map(|entry| action(&entry.value))
    }

    /// The object that a servant incarnates.
    pub(super) fn id_of(&self, identity: ServantIdentity) -> Option<SlotId> {
        self.ids.lock().get(&identity).copied()
    }
}

/// Whether a servant was activated now or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Now(SlotId),
    Before(SlotId),
}
