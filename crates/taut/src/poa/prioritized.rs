//! Requests in whose way nothing is but their priority.

use taut_giop::SystemException;

use super::Adapters;
use super::active_object_map::FoundObject;
use super::adapters::run_by_name;
use super::current::{Target, Upcall};
use super::object_key::ObjectKey;
use super::table::PoaEntry;
use crate::priority::Priority;
use crate::server::{Disposition, SentPriority, ServerRequest};
use taut_sync::slot_table::Found;

/// Whether requests may have priorities.
pub(super) const HAS_PRIORITIES: bool = cfg!(feature = "full");

/// Carries out a request that comes without a priority and in whose way nothing else is but the
/// priority of its POA, or its pool, which is that of the thread; none if there is more.
#[inline(never)]
pub(super) fn dispatch_prioritized(
    key: ObjectKey<'_>,
    entry: Found<PoaEntry>,
    request: &mut ServerRequest<'_>,
) -> Option<Result<(), SystemException>> {
    if let Some(found) = entry.value.find_prioritized(&key) {
        return Some(run_at_priority(&key, entry, found, request, None));
    }
    let found = entry.value.find_in_pool(key.object, key.name.id())?;
    let target = Target::Active(found);
    Some(Upcall { target, entry }.run(|servant| run_by_name(servant, request)))
}

impl Adapters {
    /// Carries out a request among others, likewise, where more is to be thought of than two
    /// places.
    #[inline(never)]
    pub(super) fn dispatch_next_otherwise(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        if HAS_PRIORITIES
            && let Some(key) = ObjectKey::parse(object_key)
            && let Some(entry) = self.table.find_hinted(&key)
            && let Some(done) = dispatch_prioritized(key, entry, request)
        {
            return done.map(|()| Disposition::Done);
        }
        self.dispatch_otherwise(object_key, request, SentPriority::None)
    }
}

/// Has the servant of an object that was found carry out a request at its priority.
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
    let Some(_at) = poa.at_once(&found, sent) else {
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
