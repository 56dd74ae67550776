//! All POAs of an ORB, found by what object keys say.

use std::any::Any;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

use taut_giop::operation_handle::OperationHandles;

use super::frozen_index::FrozenIndex;
use super::hierarchy::Attendance;
use super::manager::Generation;
use super::name_index::NameIndex;
use super::object_key::{Incarnation, KeyName, ObjectKey};
use super::pool::HasBound;
use super::predictable::Sealing;
use super::{ObjectId, Poa, PoaManagerState};
use crate::core::OrbCore;
use crate::object::{Interface, ObjectRef, PoolEndpoints, ReferenceFactory, Told};
use crate::settings::DemultiplexingStrategy;
use taut_sync::slot_table::{Found, SlotId, SlotTable};

/// The table of POAs (M7): whatever its depth, a POA is found by its place in the
/// key, and by its path only if it is not there.
pub(super) struct PoaTable {
    pub(super) incarnation: Incarnation,
    pub(super) core: Arc<OrbCore>,
    references: Arc<dyn ReferenceFactory>,
    poas: SlotTable<PoaEntry>,
    by_path: NameIndex,
    /// In its place, once no POA comes any more.
    frozen: OnceLock<FrozenIndex>,
    pub(super) has_bound: HasBound,
    pub(super) sealing: Sealing,
}

/// A POA that can be entered. A request that has found it keeps it alive, with all that it
/// holds; an end that waits for the last request waits for that.
pub(super) struct PoaEntry {
    /// Ends when nobody can be in the POA any more.
    attendance: Arc<Attendance>,
    /// Ends when nobody who came in under this state is in it any more.
    _generation: Option<Arc<Generation>>,
    pub(super) state: PoaManagerState,
    pub(super) way: Way,
    /// The number of the thread pool that the POA is bound to.
    pub(super) pool: Option<NonZeroU32>,
    pub(super) poa: Poa,
}

/// The shortest way of a request through a POA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The long one: there is more to be thought of.
    Long,
    /// Requests come in, and objects are found where keys say that they lie, with nothing else
    /// to be thought of.
    Direct,
    /// The same in the threads of the pool that the POA is bound to, and in no others.
    InPool,
    /// The same, but that the priorities of requests are to be thought of. If the POA is bound to
    /// a pool, in its threads.
    Prioritized,
}

impl PoaEntry {
    /// The entry of the same POA as it is now, under this state.
    fn renewed(&self, state: PoaManagerState, generation: Option<Arc<Generation>>) -> Self {
        let shared = &self.poa.shared;
        let pool = shared.pool.as_ref();
        let pool = pool.and_then(|pool| NonZeroU32::new(pool.pool()));
        let is_direct = state == PoaManagerState::Active && self.poa.is_direct();
        Self {
            attendance: Arc::clone(&self.attendance),
            _generation: generation,
            state,
            way: match is_direct {
                false => Way::Long,
                true if shared.priorities.is_some() => Way::Prioritized,
                true if pool.is_some() => Way::InPool,
                true => Way::Direct,
            },
            pool,
            poa: self.poa.clone(),
        }
    }
}

impl PoaTable {
    pub(super) fn new(
        incarnation: Incarnation,
        core: Arc<OrbCore>,
        references: Arc<dyn ReferenceFactory>,
    ) -> Self {
        Self {
            incarnation,
            core,
            references,
            poas: SlotTable::new(),
            by_path: NameIndex::new(),
            frozen: OnceLock::new(),
            has_bound: HasBound::default(),
            sealing: Sealing::default(),
        }
    }

    /// The endpoints of the thread pool with this number, if it is there.
    pub(super) fn pool(&self, id: u32) -> Option<Arc<PoolEndpoints>> {
        self.references.pool(id)
    }

    /// The POA that a key names, if it is where the key says that it lies.
    #[inline(always)]
    pub(super) fn find_hinted(&self, key: &ObjectKey<'_>) -> Option<Found<PoaEntry>> {
        if *key.incarnation != self.incarnation {
            return None;
        }
        let found = self.poas.get(key.poa)?;
        found.value.poa.is_named(key).then_some(found)
    }

    /// Whether a POA that was found there still is what it was.
    #[inline]
    pub(super) fn is_there(&self, place: SlotId, found: &Found<PoaEntry>) -> bool {
        self.poas.is_there(place, found)
    }

    /// The POA that a key names, if it is there: without waiting.
    pub(super) fn find(&self, key: &ObjectKey<'_>) -> Option<Found<PoaEntry>> {
        let KeyName::Persistent { path, .. } = key.name else {
            return self.find_hinted(key);
        };
        let strategy = self.core.settings.server.poa_demultiplexing;
        if strategy == DemultiplexingStrategy::Active
            && let Some(found) = self.find_hinted(key)
        {
            return Some(found);
        }
        self.find_path(path)
    }

    /// The persistent POA with this path.
    fn find_path(&self, path: &[u8]) -> Option<Found<PoaEntry>> {
        if self.core.settings.server.poa_demultiplexing == DemultiplexingStrategy::Linear {
            return None;
        }
        let look = |index| {
            let found = self.poas.at(index)?;
            (found.value.poa.path() == path).then_some(found)
        };
        match self.frozen.get() {
            Some(frozen) => frozen.find(path, look),
            None => self.by_path.find(path, look),
        }
    }

    /// Makes the perfect hash of the paths of all persistent POAs, which is used from here on.
    pub(super) fn index_frozen(&self) {
        let paths = self.poas.ids().filter_map(|place| {
            let found = self.poas.get(place)?;
            let poa = &found.value.poa;
            let is_persistent = poa.policies().is_persistent();
            is_persistent.then(|| (poa.path().to_vec(), place.index))
        });
        let paths: Vec<_> = paths.collect();
        if let Some(index) = FrozenIndex::new(&paths) {
            // It is made once: the root POA stays sealed.
            let _ = self.frozen.set(index);
        }
    }

    /// The POA at this place.
    pub(super) fn at(&self, place: SlotId) -> Option<Found<PoaEntry>> {
        self.poas.get(place)
    }

    /// Adds the POA that `make` makes for its place. Requests for it wait until its
    /// manager lets them [enter](Self::enter). None when there are 2³² POAs.
    pub(super) fn add(&self, make: impl FnOnce(SlotId) -> Poa) -> Option<Poa> {
        let mut made = None;
        let place = self.poas.insert(|place| {
            let poa = made.insert(make(place));
            PoaEntry {
                attendance: Arc::new(Attendance::of(poa)),
                _generation: None,
                state: PoaManagerState::Holding,
                way: Way::Long,
                pool: None,
                poa: poa.clone(),
            }
        })?;
        let poa = made?;
        if poa.policies().is_persistent() {
            self.by_path.insert(poa.path(), place.index);
        }
        Some(poa)
    }

    /// Lets requests enter a POA under this state from now on. Returns what those
    /// hold on to who came before.
    pub(super) fn enter(
        &self,
        place: SlotId,
        state: PoaManagerState,
        generation: &Arc<Generation>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        // No entry may end here, where the manager is locked: its end might be that of
        // the POA, which asks the manager.
        let before = self.poas.update(place, |before| {
            before.renewed(state, Some(Arc::clone(generation)))
        })?;
        Some(before)
    }

    /// Has requests enter a POA as it is now. Returns what those hold on to who came before.
    pub(super) fn renew(&self, place: SlotId) -> Option<Arc<dyn Any + Send + Sync>> {
        let before = self.poas.update(place, |before| {
            before.renewed(before.state, before._generation.clone())
        })?;
        Some(before)
    }

    /// Lets nobody enter a POA any more. Its attendance ends with the last who is in
    /// it, which may be here.
    pub(super) fn remove(&self, poa: &Poa) {
        if poa.policies().is_persistent() {
            self.by_path.remove(poa.path(), poa.place().index);
        }
        drop(self.poas.remove(poa.place()));
    }

    /// The object with this key as people know it: its id and the name of its POA; or the
    /// key, if it names no POA that is here.
    #[cold]
    pub(super) fn describe(&self, object_key: &[u8]) -> String {
        let key = ObjectKey::parse_any(object_key);
        let found = key.and_then(|key| Some((self.find(&key)?, key)));
        let Some((entry, key)) = found else {
            return object_key.escape_ascii().to_string();
        };
        self.describe_as(&key, &entry.value.poa)
    }

    /// The object with this key in its POA as people know it.
    pub(super) fn describe_as(&self, key: &ObjectKey<'_>, poa: &Poa) -> String {
        let id = match key.name.id() {
            Some(id) => ObjectId::new(id),
            None => poa.shared.map.assigned_id(key.object),
        };
        format!("{id} of the POA {}", poa.name())
    }

    /// The tags of the profiles that references have.
    pub(super) fn profile_tags(&self) -> Vec<u32> {
        self.references.profile_tags()
    }

    /// A reference to the object with this key, and if its servant's interface is known,
    /// with what its operations' handles are made of. It tells what its POA does.
    pub(super) fn reference(
        &self,
        type_id: &str,
        interface: Option<&Interface>,
        key: &ObjectKey<'_>,
        told: Told<'_>,
    ) -> ObjectRef {
        let interface = interface.filter(|_| self.core.settings.wire.operation_handles);
        let handles = interface
            .and_then(Interface::handle_fingerprint)
            .and_then(|fingerprint| {
                let key = key.to_handles(fingerprint)?;
                Some(OperationHandles { fingerprint, key })
            });
        let is_persistent = key.name.path().is_some();
        let key = key.to_octets();
        let told = Told {
            handles: handles.as_ref(),
            ..told
        };
        self.references
            .reference(type_id, &key, is_persistent, told)
    }
}
