//! Maps in which no object becomes active or inactive any more, and all of a map at once.

use super::{ActiveObjectMap, FoundObject};
use crate::poa::frozen_index::FrozenIndex;

impl ActiveObjectMap {
    /// Takes the servants from references that keep them.
    #[cfg(feature = "full")]
    pub(in crate::poa) fn release_all(&self) {
        for slot in self.objects.ids() {
            if let Some(found) = self.objects.get(slot) {
                found.value.incarnated.release();
            }
        }
    }

    /// Runs `run` unless an object is active, or becomes so meanwhile.
    pub(in crate::poa) fn if_empty<R>(&self, run: impl FnOnce() -> R) -> Option<R> {
        let book = self.book.lock();
        book.servants.is_empty().then(run)
    }

    /// Whether no object becomes active or inactive any more.
    pub(in crate::poa) fn is_frozen(&self) -> bool {
        self.book.lock().is_frozen
    }

    /// Has no object become active or inactive from here on. False if that was so before.
    pub(in crate::poa) fn freeze(&self) -> bool {
        !std::mem::replace(&mut self.book.lock().is_frozen, true)
    }

    /// Lets objects become active and inactive again.
    pub(in crate::poa) fn thaw(&self) {
        self.book.lock().is_frozen = false;
    }

    /// Makes the perfect hash of the ids of all objects, which is used from here on.
    pub(in crate::poa) fn index_frozen(&self) {
        let ids = self.objects.ids().filter_map(|slot| {
            let entry = self.objects.get(slot)?;
            let found = FoundObject { entry, slot };
            Some((self.id_of(&found).as_octets().to_vec(), slot.index))
        });
        let ids: Vec<_> = ids.collect();
        if let Some(index) = FrozenIndex::new(&ids) {
            // It is made once: a map that is frozen stays so.
            let _ = self.frozen.set(index);
        }
    }
}
