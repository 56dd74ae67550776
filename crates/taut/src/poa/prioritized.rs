//! Requests in whose way nothing is but their priority, or the pool of their POA.

use taut_giop::SystemException;

use super::Adapters;
use super::active_object_map::FoundObject;
use super::adapters::run_by_name;
use super::current::{Target, Upcall};
use super::incarnated::Incarnated;
use super::object_key::ObjectKey;
use super::table::{PoaEntry, Way};
use crate::priority::Priority;
use crate::server::{Disposition, SentPriority, ServerRequest};
use taut_sync::slot_table::Found;

/// Whether requests may have priorities.
const HAS_PRIORITIES: bool = cfg!(feature = "full");

impl Adapters {
    /// Carries out a request that comes without a priority, and that is no more than a look at two
    /// places but for what its POA is bound to: priorities of requests, a pool of threads.
    #[inline(never)]
    pub(super) fn dispatch_bound(
        &self,
        key: ObjectKey<'_>,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        if HAS_PRIORITIES
            && let Some(entry) = self.table.find_hinted(&key)
            && let Some(found) = entry.value.find_on(Way::Prioritized, &key)
        {
            let done = run_at_priority(&key, entry, found, request, None);
            return done.map(|()| Disposition::Done);
        }
        self.dispatch_in_pool(&key, object_key, request)
    }

    /// The same in a thread of the pool.
    #[inline(never)]
    fn dispatch_in_pool(
        &self,
        key: &ObjectKey<'_>,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        if HAS_PRIORITIES
            && let Some(entry) = self.table.find_hinted(key)
            && let Some(found) = entry.value.find_on(Way::InPool, key)
        {
            let target = Target::Active(found);
            let run = |servant: &Incarnated| run_by_name(servant, request);
            let done = Upcall { target, entry }.run(run);
            return done.map(|()| Disposition::Done);
        }
        self.dispatch_otherwise(object_key, request, SentPriority::None)
    }
}

/// Has the servant of an object that was found carry out a request at its priority, which the
/// thread has, or is to be given.
///
/// # Errors
///
/// Those of the servant; the reason for which the thread cannot have the priority.
#[inline(always)]
pub(super) fn run_at_priority(
    key: &ObjectKey<'_>,
    entry: Found<PoaEntry>,
    found: FoundObject,
    request: &mut ServerRequest<'_>,
    sent: Option<Priority>,
) -> Result<(), SystemException> {
    let poa = &entry.value.poa;
    let at = match sent {
        // Only where requests have the priorities of their senders.
        Some(priority) => poa.at_once_as(priority),
        None => poa.at_once(&found),
    };
    let Some(_at) = at else {
        return run_at_other_priority(key, entry, found, request, sent);
    };
    let target = Target::Active(found);
    let upcall = Upcall { target, entry };
    let done = upcall.run(|servant| run_by_name(servant, request));
    upcall.end();
    done
}

/// The same where the thread does not have the native priority.
///
/// # Errors
///
/// Those of [`run_at_priority`].
#[cold]
#[inline(never)]
fn run_at_other_priority(
    key: &ObjectKey<'_>,
    entry: Found<PoaEntry>,
    found: FoundObject,
    request: &mut ServerRequest<'_>,
    sent: Option<Priority>,
) -> Result<(), SystemException> {
    let sent = sent.map_or(SentPriority::None, SentPriority::Context);
    let _at = entry.value.poa.at_priority_of(&found, key, sent)?;
    let target = Target::Active(found);
    Upcall { target, entry }.run(|servant| run_by_name(servant, request))
}
