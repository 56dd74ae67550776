//! Which servant incarnates which object.

mod address_hasher;
mod frozen;
mod on_demand;
#[cfg(all(test, loom))]
mod orders;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use taut_giop::perfect_hash::is_same;

use super::error::{no_such_poa, would_deadlock};
use super::frozen_index::FrozenIndex;
use super::incarnated::Incarnated;
use super::name_index::NameIndex;
use super::object_id::{SLOT_LENGTH, slot_of};
use super::predictable::sealed;
use super::{ObjectId, PoaError, Servant, ServantIdentity};
use crate::priority::Priority;
use crate::settings::{DemultiplexingStrategy, ReverseDemultiplexing, Settings};
use crate::sorted_map::SortedMap;
use address_hasher::AddressHasher;
use on_demand::EtherealizationNotice;
use taut_sync::primitives::{Condvar, Mutex, MutexGuard, ThreadId, end_with};
use taut_sync::slot_table::{Entry, Found, SlotId, SlotTable};

pub(super) use on_demand::{Etherealizer, Incarnation};

/// The active object map: object to servant without waiting (M8), and servant
/// to object for the operations that ask (M11).
///
/// An object that is activated under an id which the map assigns has its slot for
/// an id, and nothing else is needed to find it. The others are in an index by their
/// ids; a key also has the slot as a hint, and the index is asked only where that
/// leads to nothing.
pub(super) struct ActiveObjectMap {
    objects: SlotTable<Active>,
    index: NameIndex,
    /// In the place of the index, once no object comes or goes any more.
    frozen: OnceLock<FrozenIndex>,
    by_id: DemultiplexingStrategy,
    by_servant: ReverseDemultiplexing,
    /// The octets before the slot in the ids that the map assigns.
    id_prefix: Box<[u8]>,
    /// Written together with `objects` and `index`, under its lock.
    book: Mutex<Book>,
    /// An object is no longer pending.
    settled: Condvar,
}

/// An active object. The fields that a call needs come first, ending with whether there is
/// an id.
#[repr(C)]
pub(super) struct Active {
    incarnated: Incarnated,
    /// Where it is not the slot.
    id: Option<ObjectId>,
    /// The facts that few objects have, so that they do not lie in all of them.
    particulars: Option<Box<Particulars>>,
}

/// The facts that few objects have.
struct Particulars {
    /// The servant activator that is told of the object's end.
    notice: Option<EtherealizationNotice>,
    /// The object's own priority.
    priority: Option<Priority>,
}

/// An active object that was found, and where.
pub(super) struct FoundObject {
    entry: Found<Active>,
    pub(super) slot: SlotId,
}

/// A share in an active object: its end waits for that of this.
pub(super) struct HeldObject(Arc<Entry<Active>>);

/// The facts about objects and servants besides where they lie.
#[derive(Default)]
struct Book {
    servants: HashMap<ServantIdentity, Activations, BuildHasherDefault<AddressHasher>>,
    /// Objects that are about to become active, or whose end is under way.
    pending: SortedMap<ObjectId, Pending>,
    /// Whether no object may become active any more.
    is_closed: bool,
    /// Whether no object may become active or inactive any more, but by the end of all.
    is_frozen: bool,
}

/// The end that the next activation of an object waits for.
#[derive(Clone, Copy)]
enum Pending {
    /// The end of all requests for the object that has been deactivated, which lies at this
    /// address.
    Requests(usize),
    /// The servant activator, which this thread runs.
    Activator(ThreadId),
}

/// The objects that a servant incarnates.
struct Activations {
    /// The slot of one of them; of the only one, where servants have one id.
    slot: SlotId,
    count: usize,
}

/// How an object is to become active.
pub(super) struct Activation {
    pub(super) servant: Arc<dyn Servant>,
    /// None: one that the map assigns.
    pub(super) id: Option<ObjectId>,
    /// Whether the servant may incarnate this object only.
    pub(super) is_unique: bool,
    pub(super) etherealizer: Option<Arc<dyn Etherealizer>>,
    /// The object's own priority, if it has one.
    pub(super) priority: Option<Priority>,
}

impl ActiveObjectMap {
    pub(super) fn new(settings: &Settings, id_prefix: &[u8]) -> Self {
        Self {
            objects: SlotTable::new(),
            index: NameIndex::new(),
            frozen: OnceLock::new(),
            by_id: settings.server.object_demultiplexing,
            by_servant: settings.server.servant_demultiplexing,
            id_prefix: id_prefix.into(),
            book: Mutex::default(),
            settled: Condvar::new(),
        }
    }

    /// Whether objects are looked for where keys say that they lie.
    pub(super) fn follows_hints(&self) -> bool {
        self.by_id == DemultiplexingStrategy::Active
    }

    /// Finds an active object where its key says that it lies, without waiting: by its
    /// slot if its id is the slot, else by both.
    #[inline(always)]
    pub(super) fn find_hinted(&self, slot: SlotId, id: Option<&[u8]>) -> Option<FoundObject> {
        let entry = self.objects.get(slot)?;
        let found = FoundObject { entry, slot };
        match (found.chosen_id(), id) {
            (None, None) => Some(found),
            _ => self.is_named(&found, id).then_some(found),
        }
    }

    /// Whether an object that was found is active still.
    #[inline]
    pub(super) fn is_there(&self, found: &FoundObject) -> bool {
        self.objects.is_there(found.slot, &found.entry)
    }

    /// Finds an active object, wherever it lies, without waiting.
    pub(super) fn find(&self, slot: SlotId, id: Option<&[u8]>) -> Option<FoundObject> {
        if self.follows_hints()
            && let Some(found) = self.find_hinted(slot, id)
        {
            return Some(found);
        }
        self.find_by_id(slot, id)
    }

    /// Finds an active object by its id alone.
    pub(super) fn find_id(&self, id: &ObjectId) -> Option<FoundObject> {
        self.find_by_id(SlotId::NONE, Some(id.as_octets()))
    }

    /// The id of an object that was found.
    pub(super) fn id_of(&self, found: &FoundObject) -> ObjectId {
        let id = found.chosen_id().cloned();
        id.unwrap_or_else(|| self.assigned_id(found.slot))
    }

    /// The object that a servant incarnates; one of them if there are several.
    pub(super) fn activation_of(&self, identity: ServantIdentity) -> Option<FoundObject> {
        let slot = match self.by_servant {
            ReverseDemultiplexing::Linear => self.objects.ids().find(|&slot| {
                let found = self.objects.get(slot);
                found.is_some_and(|entry| is_servant(&entry, identity))
            })?,
            ReverseDemultiplexing::DynamicHash => self.book.lock().servants.get(&identity)?.slot,
        };
        let entry = self.objects.get(slot)?;
        is_servant(&entry, identity).then_some(FoundObject { entry, slot })
    }

    /// Activates an object. Where one with this id is pending, waits until that is
    /// over, if `may_wait`.
    ///
    /// # Errors
    ///
    /// [`PoaError::ObjectAlreadyActive`], [`PoaError::ServantAlreadyActive`],
    /// [`PoaError::Full`]; BAD_INV_ORDER 3 instead of a wait that may not be.
    pub(super) fn activate(
        &self,
        activation: Activation,
        may_wait: bool,
    ) -> Result<SlotId, PoaError> {
        // A servant that is refused may end here, and not where the book is locked.
        let _servant = Arc::clone(&activation.servant);
        let mut book = self.book.lock();
        if let Some(id) = &activation.id {
            self.wait_until_settled(&mut book, id, may_wait)?;
            if self.find_id(id).is_some() {
                return Err(PoaError::ObjectAlreadyActive);
            }
        }
        self.enter(&mut book, activation)
    }

    /// Deactivates an object. Requests that run go on. The object ends with the last of
    /// them, and then the `companion` is dropped.
    ///
    /// # Errors
    ///
    /// [`PoaError::ObjectNotActive`].
    pub(super) fn deactivate(
        &self,
        id: &ObjectId,
        companion: impl Send + 'static,
    ) -> Result<(), PoaError> {
        let mut book = self.book.lock();
        let found = self.find_id(id).ok_or(PoaError::ObjectNotActive)?;
        if book.is_frozen {
            return Err(sealed());
        }
        let slot = found.slot;
        // Nothing that this thread holds of it makes its end wait.
        drop(found);
        let ended = self.remove(&mut book, slot, false);
        // Outside of the lock: it may be the last that lives of the object.
        drop(book);
        let ended = ended.ok_or(PoaError::ObjectNotActive)?;
        match Arc::strong_count(&ended) {
            1 => drop((ended, companion)),
            _ => end_with(ended, companion),
        }
        Ok(())
    }

    /// Deactivates all objects, one after the other, for good if it `closes`. Those that
    /// become active meanwhile, as the end of others may have it, are not among them.
    pub(super) fn deactivate_all(&self, closes: bool) {
        self.book.lock().is_closed |= closes;
        let slots: Vec<SlotId> = self.objects.ids().collect();
        for slot in slots {
            let ended = self.remove(&mut self.book.lock(), slot, true);
            drop(ended);
        }
    }

    /// An id that no object has had.
    ///
    /// # Errors
    ///
    /// [`PoaError::Full`].
    pub(super) fn reserve(&self) -> Result<ObjectId, PoaError> {
        let slot = self.objects.reserve().ok_or(PoaError::Full)?;
        Ok(self.assigned_id(slot))
    }

    /// Whether the map can have assigned this id, be it in an earlier life.
    pub(super) fn has_assigned(&self, id: &ObjectId) -> bool {
        match self.assigned_slot(id.as_octets()) {
            Some(slot) => self.objects.has_issued(slot),
            None => {
                let length = self.id_prefix.len() + SLOT_LENGTH;
                !self.id_prefix.is_empty() && id.as_octets().len() == length
            }
        }
    }

    /// The slot, if this is the id of one.
    pub(super) fn assigned_slot(&self, id: &[u8]) -> Option<SlotId> {
        // An empty slice lies nowhere. To compare with it, as `strip_prefix` would,
        // takes some processors 80 ns: they suppress the fault of a masked load.
        let octets = match self.id_prefix.is_empty() {
            true => id,
            false => id.strip_prefix(&*self.id_prefix)?,
        };
        Some(slot_of(octets.try_into().ok()?))
    }

    /// The id that the object in a slot has if none was chosen.
    pub(super) fn assigned_id(&self, slot: SlotId) -> ObjectId {
        ObjectId::of_slot(&self.id_prefix, slot)
    }

    fn enter(
        &self,
        book: &mut MutexGuard<'_, Book>,
        activation: Activation,
    ) -> Result<SlotId, PoaError> {
        let identity = activation.servant.identity();
        if book.is_closed {
            return Err(no_such_poa().into());
        }
        if book.is_frozen {
            return Err(sealed());
        }
        if activation.is_unique && book.servants.contains_key(&identity) {
            return Err(PoaError::ServantAlreadyActive);
        }
        let priority = activation.priority;
        let slot = self.objects.insert(|_slot| {
            let notice = activation
                .etherealizer
                .map(|etherealizer| EtherealizationNotice {
                    etherealizer,
                    id: match &activation.id {
                        Some(id) => id.clone(),
                        None => self.assigned_id(_slot),
                    },
                    is_cleaning_up: AtomicBool::new(false),
                });
            let is_particular = notice.is_some() || priority.is_some();
            Active {
                incarnated: Incarnated::new(activation.servant),
                id: activation.id.clone(),
                particulars: is_particular.then(|| Box::new(Particulars { notice, priority })),
            }
        });
        let slot = slot.ok_or(PoaError::Full)?;
        match &activation.id {
            Some(id) => self.index.insert(id.as_octets(), slot.index),
            None if self.by_id == DemultiplexingStrategy::DynamicHash => {
                let id = self.assigned_id(slot);
                self.index.insert(id.as_octets(), slot.index);
            }
            None => {}
        }
        let activations = book.servants.entry(identity);
        activations.or_insert(Activations { slot, count: 0 }).count += 1;
        Ok(slot)
    }

    /// Takes an object out, if it is there, and gives back what the caller lets go of
    /// once the book is closed: its end may come with that.
    #[must_use]
    fn remove(
        &self,
        book: &mut MutexGuard<'_, Book>,
        slot: SlotId,
        is_cleaning_up: bool,
    ) -> Option<Arc<Entry<Active>>> {
        let ended = self.objects.remove(slot)?;
        let active = &ended.value;
        let particulars = active.particulars.as_deref();
        if let Some(notice) = particulars.and_then(|all| all.notice.as_ref()) {
            notice
                .is_cleaning_up
                .store(is_cleaning_up, Ordering::Relaxed);
            let address = std::ptr::from_ref(&*ended).addr();
            book.pending
                .insert(notice.id.clone(), Pending::Requests(address));
        }
        match &active.id {
            Some(id) => self.index.remove(id.as_octets(), slot.index),
            None => {
                let id = self.assigned_id(slot);
                self.index.remove(id.as_octets(), slot.index);
            }
        }
        active.incarnated.release();
        let identity = active.incarnated.identity();
        if let Some(activations) = book.servants.get_mut(&identity) {
            activations.count -= 1;
            if activations.count == 0 {
                book.servants.remove(&identity);
            }
        }
        Some(ended)
    }

    fn wait_until_settled(
        &self,
        book: &mut MutexGuard<'_, Book>,
        id: &ObjectId,
        may_wait: bool,
    ) -> Result<(), PoaError> {
        while book.pending.contains_key(id) {
            if !may_wait {
                return Err(would_deadlock().into());
            }
            self.settled.wait(book);
        }
        Ok(())
    }

    /// Finds an object that is not where the hint says.
    fn find_by_id(&self, slot: SlotId, id: Option<&[u8]>) -> Option<FoundObject> {
        let assigned;
        let id = match id {
            Some(id) => id,
            None => {
                assigned = self.assigned_id(slot);
                assigned.as_octets()
            }
        };
        if self.by_id == DemultiplexingStrategy::Active
            && let Some(slot) = self.assigned_slot(id)
            && let Some(entry) = self.objects.get(slot)
        {
            let found = FoundObject { entry, slot };
            if self.is_named(&found, Some(id)) {
                return Some(found);
            }
        }
        let look = |index| {
            let entry = self.objects.at(index)?;
            let generation = entry.generation;
            let slot = SlotId { index, generation };
            let found = FoundObject { entry, slot };
            self.is_named(&found, Some(id)).then_some(found)
        };
        if let Some(frozen) = self.frozen.get() {
            return frozen.find(id, look);
        }
        match self.by_id {
            DemultiplexingStrategy::Linear => self.objects.ids().find_map(|slot| look(slot.index)),
            _ => self.index.find(id, look),
        }
    }

    /// Whether this is the object's id; none: its slot.
    #[inline]
    fn is_named(&self, found: &FoundObject, id: Option<&[u8]>) -> bool {
        match (found.chosen_id(), id) {
            (None, None) => true,
            (Some(own), Some(id)) => is_same(own.as_octets(), id),
            (None, Some(id)) => self.assigned_slot(id) == Some(found.slot),
            (Some(_), None) => false,
        }
    }
}

impl FoundObject {
    /// The servant.
    #[inline]
    pub(super) fn incarnated(&self) -> &Incarnated {
        &self.entry.value.incarnated
    }

    /// The id, if it is not the slot.
    #[inline]
    pub(super) fn chosen_id(&self) -> Option<&ObjectId> {
        self.entry.value.id.as_ref()
    }

    /// The object's own priority, if it has one.
    #[inline]
    pub(super) fn priority(&self) -> Option<Priority> {
        self.entry.value.particulars.as_ref()?.priority
    }

    /// A share in the object, which any thread may have.
    pub(super) fn hold(&self) -> HeldObject {
        HeldObject(self.entry.to_arc())
    }
}

impl HeldObject {
    /// The servant.
    pub(super) fn incarnated(&self) -> &Incarnated {
        &self.0.value.incarnated
    }

    /// The id, if it is not the slot.
    pub(super) fn chosen_id(&self) -> Option<&ObjectId> {
        self.0.value.id.as_ref()
    }
}

fn is_servant(entry: &Found<Active>, identity: ServantIdentity) -> bool {
    entry.value.incarnated.identity() == identity
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn what_a_call_needs_of_an_object_lies_in_one_cache_line() {
        let tag = size_of::<usize>();
        let needed = offset_of!(Entry<Active>, value) + offset_of!(Active, id) + tag;
        assert!(needed <= 64);
        // With the two counts of the `Arc`.
        assert!(size_of::<Entry<Active>>() + 2 * size_of::<usize>() <= 2 * 64);
    }

    #[test]
    fn an_id_begins_with_whether_it_is_there() {
        let id = Some(ObjectId::new([0xff; 24]));
        let start = std::ptr::from_ref(&id).addr();
        let octets = id.as_ref().map(|id| id.as_octets().as_ptr().addr());
        assert!(octets.is_some_and(|octets| octets - start >= size_of::<usize>()));
    }
}
