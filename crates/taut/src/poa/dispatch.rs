//! From a POA to the servant of one of its objects.

use taut_giop::SystemException;

use super::active_object_map::FoundObject;
use super::current::{Target, Upcall};
use super::incarnated::Incarnated;
use super::object_key::{KeyName, ObjectKey};
use super::on_demand;
use super::served::Served;
use super::table::{PoaEntry, PoaTable, Way};
use super::{Poa, Shared};
use crate::deadline;
use crate::server::{Arrival, SentPriority, serves_pool};
use taut_sync::slot_table::Found;

impl PoaTable {
    /// The object that a key names, where that is a look at two places.
    #[inline(always)]
    pub(super) fn find_at_once(
        &self,
        key: &ObjectKey<'_>,
    ) -> Option<(Found<PoaEntry>, FoundObject)> {
        let entry = self.find_hinted(key)?;
        let found = entry.value.find_at_once(key)?;
        Some((entry, found))
    }
}

impl PoaEntry {
    /// The object that a key names, where that is no more than a look at its place.
    #[inline(always)]
    pub(super) fn find_at_once(&self, key: &ObjectKey<'_>) -> Option<FoundObject> {
        match self.way == Way::Direct {
            true => self.poa.shared.map.find_hinted(key.object, key.name.id()),
            false => None,
        }
    }

    /// The same where this is the way of requests, and the calling thread may carry them out.
    #[inline(always)]
    pub(super) fn find_on(&self, way: Way, key: &ObjectKey<'_>) -> Option<FoundObject> {
        match self.way == way && self.is_served_here() {
            true => self.poa.shared.map.find_hinted(key.object, key.name.id()),
            false => None,
        }
    }

    /// Whether the calling thread may carry the POA's requests out.
    #[inline(always)]
    fn is_served_here(&self) -> bool {
        self.pool.is_none_or(|pool| serves_pool(pool.get()))
    }
}

/// Runs `run` with the servant of the object that a key names, as a request for this
/// operation, which has `arrived`, at the priority of the request. The POA has let the request in.
///
/// # Errors
///
/// Why there is no servant; or what `run` ends with.
pub(super) fn serve<R>(
    entry: Found<PoaEntry>,
    key: &ObjectKey<'_>,
    (operation, sent): (&[u8], SentPriority),
    arrived: &mut Arrival,
    run: impl FnOnce(&Incarnated) -> Result<R, SystemException>,
) -> Result<Served<R>, SystemException> {
    let poa = entry.value.poa.clone();
    if poa.needs_main_thread() {
        return Ok(Served::ForMainThread);
    }
    let (quality, core) = (poa.shared.quality.get(), &*poa.shared.table.core);
    arrived.admit(quality, core)?;
    // Before its turn: who waits for it does so at the priority of the request.
    let _at = poa.at_priority(key, sent)?;
    let _turn = poa.shared.one_at_a_time.as_ref().map(|turn| turn.lock());
    // It may have waited for its turn, for a manager or for the main thread.
    deadline::check_in_time()?;
    let name = || poa.shared.table.describe_as(key, &poa);
    let run = |servant: &Incarnated| Arrival::run(quality, core, name, || run(servant));
    if let Some(found) = poa.find_active(key) {
        let target = Target::Active(found);
        return Upcall { target, entry }.run(run).map(Served::Done);
    }
    on_demand::serve(&poa, entry, key, operation, run)
}

impl Poa {
    /// Whether there may be an object with this key: it is active, or somebody
    /// provides servants on demand.
    pub(super) fn may_have(&self, key: &ObjectKey<'_>) -> bool {
        let policies = self.policies();
        policies.uses_default_servant()
            || policies.uses_servant_manager()
            || self.shared.map.find(key.object, key.name.id()).is_some()
    }

    /// The object with this key, if the POA keeps servants and it is active.
    fn find_active(&self, key: &ObjectKey<'_>) -> Option<FoundObject> {
        let Shared { policies, map, .. } = &*self.shared;
        match policies.retains() {
            true => map.find(key.object, key.name.id()),
            false => None,
        }
    }
}

impl<'k> KeyName<'k> {
    /// The POA's path, if it is persistent.
    pub(super) fn path(&self) -> Option<&'k [u8]> {
        match *self {
            Self::Persistent { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The object's id, if it is not its slot.
    #[inline]
    pub(super) fn id(&self) -> Option<&'k [u8]> {
        match *self {
            Self::Slot => None,
            Self::Id(id) | Self::Persistent { id, .. } => Some(id),
        }
    }
}
