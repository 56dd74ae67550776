//! Calls of objects that are in the caller's own process: no message is made, the
//! caller's thread runs the servant.

use std::any::{Any, TypeId};
use std::sync::Arc;

use taut_giop::SystemException;

use super::locate::Located;
use super::{Redirections, bound};
use crate::object::{
    Binding, Entered, Interface, Local, LocalAdapter, LocalCall, LocalOutcome, ObjectRef,
};
use crate::settings::{CollocationStrategy, SyncScope};
use crate::upcall;

/// What goes to the servant and comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// Values, which belong to nobody.
    Values,
    /// References too, or what may hold some. They belong to an ORB, so another
    /// ORB's object is called by message, which makes references of its own.
    References,
}

/// What a call in the caller's thread is about.
#[derive(Clone, Copy)]
struct Wanted {
    operation: &'static str,
    passes: Passes,
    view: TypeId,
    may_wait: bool,
}

/// Calls an operation of the servant, as the trait `V` (`dyn Circle`), if the
/// object is in this process. What generated stubs do first. None when the call is
/// to be made by message; then `run` has not been called.
#[inline]
pub fn collocated<V, T, E>(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    run: impl FnMut(&V) -> Result<T, E>,
) -> Option<Result<T, E>>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    if object.binding().is_remote() {
        return None;
    }
    call_servant(object, operation, passes, run)
}

/// Calls an operation without a result, as [`collocated`] does. What the servant
/// raises is the caller's only if the reference's [`SyncScope`] says so.
#[inline]
pub fn collocated_oneway<V>(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    run: impl FnMut(&V) -> Result<(), SystemException>,
) -> Option<Result<(), SystemException>>
where
    V: ?Sized + 'static,
{
    if object.binding().is_remote() {
        return None;
    }
    call_servant_oneway(object, operation, passes, run)
}

impl ObjectRef {
    /// Asks the POA for the servant's interface, if the object is in this process.
    pub(super) fn local_interface(
        &self,
        operation: &'static str,
    ) -> Option<Result<Interface, SystemException>> {
        if self.binding().is_remote() {
            return None;
        }
        let mut interface = None;
        let wanted = Wanted {
            operation,
            passes: Passes::Values,
            view: TypeId::of::<Interface>(),
            may_wait: true,
        };
        let failure = call(self, wanted, &mut |view| {
            interface = view.downcast_ref::<Interface>().copied();
        });
        match failure {
            Some(exception) => Some(Err(exception)),
            None => interface.map(Ok),
        }
    }

    /// Asks whether the object is there, if its server is in this process.
    pub(super) fn locate_locally(&self) -> Option<Result<Located, SystemException>> {
        if self.binding().is_remote() {
            return None;
        }
        let ask =
            &mut |local: &Local, adapter: &dyn LocalAdapter| adapter.locate(&local.object_key);
        Some(match follow(self, ask)? {
            Ok(LocalOutcome::ByMessage) => return None,
            Ok(LocalOutcome::Unknown) => Ok(Located::Unknown),
            Ok(_) => Ok(Located::Here),
            Err(exception) => Err(exception),
        })
    }
}

/// What of a call belongs to its operation; all else is shared.
#[inline(never)]
fn call_servant<V, T, E>(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    mut run: impl FnMut(&V) -> Result<T, E>,
) -> Option<Result<T, E>>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    let mut result = None;
    let wanted = Wanted {
        operation,
        passes,
        view: TypeId::of::<Arc<V>>(),
        may_wait: true,
    };
    let failure = call(object, wanted, &mut |view| {
        if let Some(servant) = view.downcast_ref::<Arc<V>>() {
            result = Some(run(servant));
        }
    });
    match failure {
        Some(exception) => Some(Err(exception.into())),
        None => result,
    }
}

/// The same for a call without a result.
#[inline(never)]
fn call_servant_oneway<V>(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    mut run: impl FnMut(&V) -> Result<(), SystemException>,
) -> Option<Result<(), SystemException>>
where
    V: ?Sized + 'static,
{
    call_oneway(
        object,
        operation,
        passes,
        TypeId::of::<Arc<V>>(),
        &mut |view| view.downcast_ref::<Arc<V>>().map(|servant| run(servant)),
    )
}

/// Calls the servant, if this is the view of it that is expected.
type OnewayCall<'a> = &'a mut dyn FnMut(&dyn Any) -> Option<Result<(), SystemException>>;

/// Calls an operation without a result.
fn call_oneway(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    view: TypeId,
    run: OnewayCall<'_>,
) -> Option<Result<(), SystemException>> {
    let scope = object.sync_scope();
    // It is said of this scope that the call never waits: not for a servant either.
    #[cfg(feature = "oneway-queue")]
    if scope == SyncScope::None {
        return None;
    }
    if let Err(exception) = object.core().lifecycle.check() {
        return Some(Err(exception));
    }
    let waits_for_target = scope == SyncScope::WithTarget;
    let mut result = None;
    let wanted = Wanted {
        operation,
        passes,
        view,
        may_wait: waits_for_target,
    };
    let failure = call(object, wanted, &mut |view| result = run(view));
    let outcome = match failure {
        Some(exception) => Some(Err(exception)),
        None => result,
    };
    match outcome {
        Some(Err(_)) if !waits_for_target => Some(Ok(())),
        outcome => outcome,
    }
}

/// Runs a call with the servant's view. Some is what it ended with before the
/// servant was called, or that this panicked. With None either `run` has been
/// called, or the call is to be made by message.
#[inline(never)]
fn call(
    object: &ObjectRef,
    wanted: Wanted,
    run: &mut dyn FnMut(&dyn Any),
) -> Option<SystemException> {
    let is_direct = object.collocation() == CollocationStrategy::Direct;
    if is_direct && let Some(failure) = call_directly(object, wanted, run) {
        return failure;
    }
    let ask = &mut |local: &Local, adapter: &dyn LocalAdapter| {
        if !wanted.may_pass(local) {
            return Ok(LocalOutcome::ByMessage);
        }
        let mut call = LocalCall {
            operation: wanted.operation,
            view: wanted.view,
            may_wait: wanted.may_wait,
            run: &mut *run,
        };
        let outcome = adapter.call(&local.object_key, &mut call);
        if is_direct
            && local.direct.get().is_none()
            && matches!(outcome, Ok(LocalOutcome::Done))
            && let Some(target) = adapter.direct(&local.object_key)
        {
            // Another thread may have been quicker, with the same.
            let _ = local.direct.set(target);
        }
        outcome
    };
    follow(object, ask)?.err()
}

impl Wanted {
    /// Whether what is passed may go to an object's ORB as it is.
    #[inline]
    fn may_pass(&self, local: &Local) -> bool {
        self.passes == Passes::Values || local.is_same_orb
    }
}

/// Calls the servant that the reference keeps. None when it keeps none, or the
/// servant is to be asked for.
#[inline]
fn call_directly(
    object: &ObjectRef,
    wanted: Wanted,
    run: &mut dyn FnMut(&dyn Any),
) -> Option<Option<SystemException>> {
    object.core().lifecycle.check().ok()?;
    let binding = object.binding().get()?;
    let local = binding.local.as_ref()?;
    let target = local.direct.get()?;
    if local.adapter.is_closed() || !wanted.may_pass(local) {
        return None;
    }
    let views = target.views();
    let view = views.as_ref()?.get(wanted.view)?;
    Some(match upcall::run(|| run(view)) {
        Some(()) => None,
        None => Some(upcall::panicked(&wanted.operation)),
    })
}

/// Asks adapters of this process, until one answers. None when the reference leads
/// elsewhere.
fn follow(
    object: &ObjectRef,
    ask: &mut dyn FnMut(&Local, &dyn LocalAdapter) -> Result<LocalOutcome, SystemException>,
) -> Option<Result<LocalOutcome, SystemException>> {
    let core = object.core();
    if let Err(exception) = core.lifecycle.check() {
        return Some(Err(exception));
    }
    let mut redirections = Redirections::new(core.settings.max_forwards);
    let mut fell_back = false;
    loop {
        // What is wrong with it, calls by message tell.
        let binding = bound(object).ok()?;
        let local = binding.local.as_ref()?;
        let outcome = {
            let entered = local.adapter.enter();
            let Some(adapter) = entered.as_ref().and_then(Entered::adapter) else {
                object.binding().leave_process();
                return None;
            };
            ask(local, adapter)
        };
        match outcome {
            Ok(LocalOutcome::Forward(target)) => {
                let followed = redirections
                    .follow_one_of(&binding)
                    .and_then(|()| Binding::new(core, *target, true));
                match followed {
                    Ok(binding) => object.binding().forward(binding),
                    Err(exception) => return Some(Err(exception)),
                }
            }
            outcome if binding.forwarded && !fell_back && is_dead_end(&outcome) => {
                // As with messages: the original reference may know better.
                fell_back = true;
                object.binding().forget_forward();
            }
            outcome => return Some(outcome),
        }
    }
}

/// Whether the target of a forward is gone and nothing has happened there.
fn is_dead_end(outcome: &Result<LocalOutcome, SystemException>) -> bool {
    match outcome {
        Ok(outcome) => matches!(outcome, LocalOutcome::Unknown),
        Err(exception) => super::is_dead_end_exception(exception),
    }
}
