//! Servants that references keep, to call them without asking the POA
//! ([`CollocationStrategy::Direct`](crate::CollocationStrategy)).

use std::sync::Arc;

use taut_giop::SystemException;

use crate::object::{Local, LocalAdapter, LocalCall, ObjectRef, Passes, Views};
use crate::sync::Held;
use crate::upcall;

/// Calls the servant that the reference keeps. None when it cannot be had any more, or
/// not as a `V`. The exception is what a panic costs.
#[inline]
pub(super) fn call_kept<V, R>(
    object: &ObjectRef,
    operation: &'static str,
    run: &mut impl FnMut(&V) -> R,
) -> Option<Result<R, SystemException>>
where
    V: ?Sized + 'static,
{
    let views = servant_of(object, object.binding().kept()?)?;
    let servant: &Arc<V> = views.get_as()?;
    let outcome = upcall::run(|| run(servant));
    Some(outcome.ok_or_else(|| upcall::panicked(&operation)))
}

/// Calls the servant that the reference keeps. What comes back is as with [`call`](super::call); None
/// when there is no such servant, or it is to be asked for.
#[inline]
pub(super) fn call_directly(
    object: &ObjectRef,
    call: &mut LocalCall<'_>,
) -> Option<Option<SystemException>> {
    let views = kept_servant(object, call.passes)?;
    let view = views.get(call.view)?;
    let run = &mut *call.run;
    Some(match upcall::run(|| run.run(view)) {
        Some(()) => None,
        None => Some(upcall::panicked(call)),
    })
}

/// The servant that the reference keeps for such calls, wherever it leads.
#[inline]
fn kept_servant(object: &ObjectRef, passes: Passes) -> Option<Held<Views>> {
    let takes = |local: &&Local| local.may_take(passes);
    match object.binding().get_direct() {
        Some(binding) => servant_of(object, binding.local().filter(takes)?),
        None => {
            let forward = object.binding().get()?;
            servant_of(object, forward.local().filter(takes)?)
        }
    }
}

/// The servant that the reference keeps, as far as its ORB and the servant's work.
#[inline(always)]
fn servant_of(object: &ObjectRef, local: &Local) -> Option<Held<Views>> {
    let target = local.direct.get()?;
    if object.core().lifecycle.is_stopping() || local.adapter.is_closed() {
        return None;
    }
    target.views()
}

/// Lets a reference keep the servant that it has called.
pub(super) fn keep(object: &ObjectRef, local: &Local, adapter: &dyn LocalAdapter) {
    if local.direct.get().is_none()
        && let Some(target) = adapter.direct(&local.object_key)
    {
        // Another thread may have been quicker, with the same.
        let _ = local.direct.set(target);
    }
    if local.direct.get().is_some() {
        object.binding().keep(local);
    }
}
