//! Servants that references keep, to call them without asking the POA
//! ([`CollocationStrategy::Direct`](crate::CollocationStrategy)).

use std::any::TypeId;

use taut_giop::SystemException;
use taut_sync::primitives::Held;

use crate::invoke::call_context::{self, Terms, with_that_of_thread};
use crate::invoke::failure;
use crate::object::{
    DirectServant, Found, Local, LocalAdapter, LocalCall, ObjectRef, Passes, View,
};
use crate::straight_way;
use crate::upcall::contexts;

/// Calls the servant that the reference keeps. None when there is no such servant, or it
/// is to be asked for.
///
/// # Errors
///
/// BAD_PARAM or IMP_LIMIT when the context of the call has what it may not have.
#[inline]
pub(super) fn call_directly(
    object: &ObjectRef,
    call: &mut LocalCall<'_>,
) -> Option<Result<(), SystemException>> {
    let servant = kept_servant(object, call.passes)?;
    let view = servant.get(call.view)?;
    if call_context::is_in_force() {
        return Some(call_in_context(object, call, &servant, view));
    }
    servant.run(|| call.run.run(Found::Servant(view)));
    Some(Ok(()))
}

/// Calls the servant with the context of the thread's calls.
#[cold]
fn call_in_context(
    object: &ObjectRef,
    call: &mut LocalCall<'_>,
    servant: &DirectServant,
    view: &View,
) -> Result<(), SystemException> {
    with_that_of_thread(|context| {
        let run = || call.run.run(Found::Servant(view));
        let Some(context) = context else {
            servant.run(run);
            return Ok(());
        };
        let refused = |exception| {
            let terms = Terms::of(object, Some(context));
            failure::concluded(exception, object, call.operation, &terms)
        };
        context.begin(object.core()).map_err(refused)?;
        let run = || contexts::with_in_role(|all| context.pass_to(all), run);
        let ((), taken) = straight_way::in_context(false, || servant.run(run));
        context.take_reply(taken);
        Ok(())
    })
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
