//! Objects that come and go on demand: somebody incarnates them, and is told of their
//! end.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use taut_giop::SystemException;

use super::{Activation, Active, ActiveObjectMap, FoundObject, Pending};
use crate::poa::error::would_deadlock;
use crate::poa::{ObjectId, PoaError, Servant, ServantIdentity};
use taut_sync::primitives::{current_thread, holds};

/// Is told of the end of objects.
pub(in crate::poa) trait Etherealizer: Send + Sync {
    /// The object has been deactivated, and the last request for it has ended.
    /// Until the map is told that this is [settled](ActiveObjectMap::settle), nobody
    /// else activates the object.
    fn etherealize(
        self: Arc<Self>,
        id: &ObjectId,
        servant: &Arc<dyn Servant>,
        is_cleaning_up: bool,
    );
}

/// The servant activator that is told of an object's end.
pub(super) struct EtherealizationNotice {
    pub(super) etherealizer: Arc<dyn Etherealizer>,
    pub(super) id: ObjectId,
    /// Whether the object ends because all do. Set by the thread
    /// that removes it, before letting go of it.
    pub(super) is_cleaning_up: AtomicBool,
}

impl Drop for Active {
    /// Etherealizes when the last user lets go, be it a request or the one who deactivates:
    /// an entry lives as long as somebody has found it.
    fn drop(&mut self) {
        let particulars = self.particulars.take();
        if let Some(notice) = particulars.and_then(|all| all.notice) {
            let is_cleaning_up = notice.is_cleaning_up.into_inner();
            let etherealizer = notice.etherealizer;
            etherealizer.etherealize(&notice.id, self.incarnated.servant(), is_cleaning_up);
        }
    }
}

/// Whether an object is active, or to be made so by who asks.
pub(in crate::poa) enum Incarnation {
    Active(FoundObject),
    /// Nobody else activates it until this ends by [`ActiveObjectMap::settle`].
    Begun,
}

impl ActiveObjectMap {
    /// Whether a servant incarnates any object.
    pub(in crate::poa) fn is_active(&self, identity: ServantIdentity) -> bool {
        self.book.lock().servants.contains_key(&identity)
    }

    /// Says whether an object is active, and if not, lets the caller make it so;
    /// others who want to know wait meanwhile.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER 3 for a request, or a servant activator, that would wait for itself.
    pub(in crate::poa) fn begin_incarnation(
        &self,
        id: &ObjectId,
    ) -> Result<Incarnation, SystemException> {
        let this_thread = current_thread();
        let mut book = self.book.lock();
        while let Some(&pending) = book.pending.get(id) {
            let is_its_own = match pending {
                Pending::Requests(address) => holds(address),
                Pending::Activator(thread) => thread == this_thread,
            };
            if is_its_own {
                return Err(would_deadlock());
            }
            self.settled.wait(&mut book);
        }
        if let Some(found) = self.find_id(id) {
            return Ok(Incarnation::Active(found));
        }
        let pending = Pending::Activator(this_thread);
        book.pending.insert(id.clone(), pending);
        Ok(Incarnation::Begun)
    }

    /// Notes that the calling thread tells the servant activator of the object's end.
    pub(in crate::poa) fn begin_etherealization(&self, id: &ObjectId) {
        let pending = Pending::Activator(current_thread());
        self.book.lock().pending.insert(id.clone(), pending);
    }

    /// Activates the object whose incarnation has begun.
    ///
    /// # Errors
    ///
    /// As [`activate`](Self::activate).
    pub(in crate::poa) fn end_incarnation(
        &self,
        activation: Activation,
    ) -> Result<FoundObject, PoaError> {
        let mut book = self.book.lock();
        let slot = self.enter(&mut book, activation)?;
        // Under the lock: nobody can have deactivated it yet.
        let entry = self.objects.get(slot).ok_or(PoaError::ObjectNotActive)?;
        Ok(FoundObject { entry, slot })
    }

    /// An object is no longer pending.
    pub(in crate::poa) fn settle(&self, id: &ObjectId) {
        self.book.lock().pending.remove(id);
        self.settled.notify_all();
    }
}
