//! Servants that references keep, to call them without asking the POA
//! ([`CollocationStrategy::Direct`](crate::CollocationStrategy)).

use std::any::TypeId;

use crate::object::{DirectServant, Found, Local, LocalAdapter, LocalCall, ObjectRef, Passes};
use taut_sync::primitives::Held;

/// Calls the servant that the reference keeps. None when there is no such servant, or it
/// is to be asked for.
#[inline]
pub(super) fn call_directly(object: &ObjectRef, call: &mut LocalCall<'_>) -> Option<()> {
    let servant = kept_servant(object, call.passes)?;
    let view = servant.get(call.view)?;
    servant.run(|| call.run.run(Found::Servant(view)));
    Some(())
}

/// The servant that the reference keeps for such calls, wherever it leads.
#[inline]
fn kept_servant(object: &ObjectRef, passes: Passes) -> Option<Held<DirectServant>> {
    let load = |local: Option<&Local>| {
        let local = local.filter(|local| local.may_take(passes))?;
        local.direct.get()?.load()
    };
    match object.own_binding().get_direct() {
        Some(binding) => load(binding.local()),
        None => load(object.binding().get()?.local()),
    }
}

/// Lets a reference keep the servant that it has called as this view.
pub(super) fn keep(object: &ObjectRef, local: &Local, adapter: &dyn LocalAdapter, view: TypeId) {
    if local.direct.get().is_none()
        && let Some(target) = adapter.direct(&local.object_key, view, object.core())
    {
        // Another thread may have been quicker, with the same.
        let _ = local.direct.set(target);
    }
    if let Some(target) = local.direct.get() {
        object.binding().keep(local, target);
    }
}
