//! Calls of objects that are in the caller's own process: no message is made, the
//! caller's thread runs the servant.

mod kept;

use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use taut_giop::{SystemException, SystemExceptionKind, minor};

use super::call_context::{self, CallContext, Terms, sync_scope, with_that_of_thread};
use super::locate::Located;
use super::{Redirections, bound, failure};
use crate::core::OrbCore;
use crate::object::{
    Binding, BindingCell, Call, Entered, Found, Interface, Local, LocalAdapter, LocalCall,
    LocalOutcome, ObjectRef, Passes,
};
use crate::settings::{CollocationStrategy, SyncScope};
use crate::straight_way::{self, GOVERNED, IN_CONTEXT, LIMITED};
use crate::upcall::contexts;
use kept::{call_directly, keep};

/// Carries an operation out: `run` gets the servant, as the trait `V` (`dyn Circle`), if
/// the object is in this process; else it gets nothing, and makes a message. `operation`
/// tells the name on the wire, and what is passed: a function, which takes no room where
/// it is handed on.
#[inline(always)]
pub fn collocated<V, T, E>(
    object: &ObjectRef,
    operation: impl Fn() -> (&'static str, Passes),
    run: impl FnMut(Option<&V>) -> Result<T, E>,
) -> Result<T, E>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    let (_, passes) = operation();
    let otherwise = |run| call_or_send(object, operation, run);
    match object.own_binding().kept(passes) {
        Some(target) => target.lend(run, |mut run, servant| run(Some(servant)), otherwise),
        None => otherwise(run),
    }
}

/// The same where the reference does not keep the servant.
#[inline(never)]
fn call_or_send<V, T, E>(
    object: &ObjectRef,
    operation: impl Fn() -> (&'static str, Passes),
    mut run: impl FnMut(Option<&V>) -> Result<T, E>,
) -> Result<T, E>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    if !object.own_binding().way().is_remote()
        && let Some(result) = call_if_here(object, operation, &mut run)
    {
        return result;
    }
    send(run)
}

/// Runs the part of a stub that makes a message. It has a function of its own, so that
/// what it needs is not made ready for calls that make none.
#[inline(never)]
fn send<V, T, E>(mut run: impl FnMut(Option<&V>) -> Result<T, E>) -> Result<T, E>
where
    V: ?Sized + 'static,
{
    run(None)
}

/// The same where it is not known that the object is elsewhere. None when it is.
#[inline(never)]
fn call_if_here<V, T, E>(
    object: &ObjectRef,
    operation: impl Fn() -> (&'static str, Passes),
    run: &mut impl FnMut(Option<&V>) -> Result<T, E>,
) -> Option<Result<T, E>>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    let (operation, passes) = operation();
    call_servant(object, operation, passes, |servant| run(Some(servant)))
}

/// Calls an operation of the servant, as the trait `V`, if the object is in this process.
/// Small stubs begin with this call. None when the call is to be made by message; then
/// `run` has not been called.
#[inline]
pub fn collocated_compact<V, T, E>(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    run: impl FnMut(&V) -> Result<T, E>,
) -> Option<Result<T, E>>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    if object.own_binding().way().is_remote() {
        return None;
    }
    call_servant(object, operation, passes, run)
}

/// Calls an operation without a result, as [`collocated_compact`] does. An exception that
/// the servant raises reaches the caller only if the reference's [`SyncScope`] says so.
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
    if object.own_binding().way().is_remote() {
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
        if self.own_binding().way().is_remote() {
            return None;
        }
        let mut interface = AskInterface(None);
        let mut asked = LocalCall {
            operation,
            passes: Passes::Values,
            view: TypeId::of::<Interface>(),
            may_wait: true,
            run: &mut interface,
        };
        match call(self, &mut asked) {
            Some(exception) => Some(Err(exception)),
            None => interface.0.map(Ok),
        }
    }

    /// Asks whether the object is there, if its server is in this process.
    pub(super) fn locate_locally(&self) -> Option<Result<Located, SystemException>> {
        if self.own_binding().way().is_remote() {
            return None;
        }
        let ask =
            &mut |local: &Local, adapter: &dyn LocalAdapter| adapter.locate(&local.object_key);
        let outcome = with_that_of_thread(|context| {
            let terms = Terms::of(self, context);
            follow(self, &terms, None, ask)
        });
        Some(match outcome? {
            Ok(LocalOutcome::ByMessage) => return None,
            Ok(LocalOutcome::Unknown) => Ok(Located::Unknown),
            Ok(_) => Ok(Located::Here),
            Err(exception) => Err(exception),
        })
    }
}

/// The copy of an `inout` argument that a servant in this process gets. The code
/// belongs to the type, and is there once for all operations.
#[inline(never)]
pub fn inout_copy<T: Clone>(value: &T) -> T {
    value.clone()
}

/// A stub's closure, and what it returned. There is something to drop only when it
/// has been run, and then it is taken out: so no code is made for that.
struct Closure<V: ?Sized, F, R> {
    run: F,
    result: ManuallyDrop<Option<R>>,
    of: PhantomData<fn(&V)>,
}

impl<V, F, R> Call for Closure<V, F, R>
where
    V: ?Sized + 'static,
    F: FnMut(&V) -> R,
{
    fn run(&mut self, found: Found<'_>) {
        if let Found::Servant(view) = found
            && let Some(servant) = view.get::<V>()
        {
            self.result = ManuallyDrop::new(Some((self.run)(servant)));
        }
    }
}

impl<V: ?Sized, F, R> Closure<V, F, R> {
    fn new(run: F) -> Self {
        Self {
            run,
            result: ManuallyDrop::new(None),
            of: PhantomData,
        }
    }
}

/// Asks for the servant's interface.
struct AskInterface(Option<Interface>);

impl Call for AskInterface {
    fn run(&mut self, found: Found<'_>) {
        if let Found::Interface(interface) = found {
            self.0 = Some(*interface);
        }
    }
}

#[inline(always)]
fn call_servant<V, T, E>(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    run: impl FnMut(&V) -> Result<T, E>,
) -> Option<Result<T, E>>
where
    V: ?Sized + 'static,
    E: From<SystemException>,
{
    let mut closure = Closure::new(run);
    let view = TypeId::of::<Arc<V>>();
    match call_two_way(object, operation, passes, view, &mut closure) {
        Some(exception) => Some(Err(exception.into())),
        None => ManuallyDrop::into_inner(closure.result),
    }
}

/// The same for a call without a result.
#[inline(never)]
fn call_servant_oneway<V>(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    run: impl FnMut(&V) -> Result<(), SystemException>,
) -> Option<Result<(), SystemException>>
where
    V: ?Sized + 'static,
{
    let mut closure = Closure::new(run);
    let view = TypeId::of::<Arc<V>>();
    match call_oneway(object, operation, passes, view, &mut closure) {
        Some(outcome) => Some(outcome),
        None => match ManuallyDrop::into_inner(closure.result) {
            Some(Err(_)) if sync_scope(object, None) != SyncScope::WithTarget => Some(Ok(())),
            result => result,
        },
    }
}

/// Calls an operation with a result; returns what [`call`] does.
#[inline(never)]
fn call_two_way(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    view: TypeId,
    run: &mut dyn Call,
) -> Option<SystemException> {
    let mut asked = LocalCall {
        operation,
        passes,
        view,
        may_wait: true,
        run,
    };
    call(object, &mut asked)
}

/// Calls an operation without a result. None: `run` has been called and what it
/// returned is the outcome, or the call is to be made by message.
#[inline(never)]
fn call_oneway(
    object: &ObjectRef,
    operation: &'static str,
    passes: Passes,
    view: TypeId,
    run: &mut dyn Call,
) -> Option<Result<(), SystemException>> {
    let scope = sync_scope(object, None);
    // It is said of this scope that the call never waits: not for a servant either.
    if scope == SyncScope::None {
        return None;
    }
    if let Err(exception) = object.core().lifecycle.check() {
        return Some(Err(exception));
    }
    let waits_for_target = scope == SyncScope::WithTarget;
    let mut asked = LocalCall {
        operation,
        passes,
        view,
        may_wait: waits_for_target,
        run,
    };
    let ended = call(object, &mut asked);
    if !waits_for_target && call_context::is_in_force() {
        // As from elsewhere, no reply comes.
        with_that_of_thread(|context| context.map(CallContext::forget_reply));
    }
    match ended {
        // The caller is to know at once what it may not send.
        Some(exception) if waits_for_target || is_refused(&exception) => Some(Err(exception)),
        Some(_) => Some(Ok(())),
        None => None,
    }
}

/// Runs a call. Some is what it ended with before the servant was called, or, unless it
/// was called directly, that this panicked. With None either the servant has been called,
/// or the call is to be made by message.
#[inline]
fn call(object: &ObjectRef, call: &mut LocalCall<'_>) -> Option<SystemException> {
    let is_direct = object.collocation() == CollocationStrategy::Direct;
    if is_direct && let Some(called) = call_directly(object, call) {
        return called.err();
    }
    // The most frequent case comes first; others are looked at afterwards.
    let first = object
        .binding_unless_overridden()
        .and_then(BindingCell::get_direct)
        .and_then(|binding| binding.local())
        .filter(|local| object.core().lifecycle.is_plain() && local.may_take(call.passes))
        .filter(|_| !straight_way::is_closed_by(LIMITED | IN_CONTEXT | GOVERNED))
        .and_then(|local| {
            let entered = local.adapter.enter()?;
            Some(entered.adapter().call(&local.object_key, call))
        });
    match first {
        Some(Ok(LocalOutcome::Done)) if !is_direct => None,
        first => pursue(object, call, first),
    }
}

/// Goes on with a call that has not been tried yet, or did not end with the first
/// attempt.
#[cold]
fn pursue(
    object: &ObjectRef,
    call: &mut LocalCall<'_>,
    first: Option<Result<LocalOutcome, SystemException>>,
) -> Option<SystemException> {
    with_that_of_thread(|context| pursue_in_context(object, call, context, first))
}

/// The same, with the context of the thread's calls if they have one.
fn pursue_in_context(
    object: &ObjectRef,
    call: &mut LocalCall<'_>,
    context: Option<&CallContext>,
    first: Option<Result<LocalOutcome, SystemException>>,
) -> Option<SystemException> {
    let is_direct = object.collocation() == CollocationStrategy::Direct;
    let (view, operation) = (call.view, call.operation);
    let terms = Terms::of(object, context);
    let concluded = |exception| failure::concluded(exception, object, operation, &terms);
    if let Some(Err(exception)) = context.map(|context| context.begin(object.core())) {
        return Some(concluded(exception));
    }
    if first.is_none()
        && let Err(exception) = admit(object.core(), &terms)
    {
        return Some(concluded(exception));
    }
    let ask = &mut |local: &Local, adapter: &dyn LocalAdapter| {
        if !local.may_take(call.passes) {
            return Ok(LocalOutcome::ByMessage);
        }
        let outcome = match context {
            Some(context) => carry(context, || adapter.call(&local.object_key, call)),
            None => adapter.call(&local.object_key, call),
        };
        if is_direct && matches!(outcome, Ok(LocalOutcome::Done)) {
            keep(object, local, adapter, view);
        }
        outcome
    };
    if is_direct
        && matches!(first, Some(Ok(LocalOutcome::Done)))
        && let Some(binding) = object.binding().get()
        && let Some(local) = binding.local()
        && let Some(entered) = local.adapter.enter()
    {
        keep(object, local, entered.adapter(), view);
    }
    let outcome = follow(object, &terms, first, ask)?;
    let delivered = outcome.and_then(|_| terms.qos.wait_to_deliver(object.core(), terms.deadline));
    delivered.err().map(concluded)
}

/// Waits until a call may begin.
///
/// # Errors
///
/// TIMEOUT if its time is over before.
fn admit(core: &OrbCore, terms: &Terms<'_>) -> Result<(), SystemException> {
    terms.qos.wait_to_send(core, terms.request_by)?;
    match terms.is_late() {
        true => Err(failure::too_late()),
        false => Ok(()),
    }
}

/// Runs the up-call of a servant with what the context of the call has for it, and takes what
/// the servant adds to its reply.
fn carry<R>(context: &CallContext, call: impl FnOnce() -> R) -> R {
    let (result, taken) =
        straight_way::in_context(false, || contexts::with(|all| context.pass_to(all), call));
    context.take_reply(taken);
    result
}

/// Whether a call ended before it began, because its context may not have what it has, or its
/// policies contradict its reference.
fn is_refused(exception: &SystemException) -> bool {
    matches!(
        exception.minor,
        minor::RESERVED_SERVICE_CONTEXT | minor::SERVICE_CONTEXT_LIMIT
    ) || exception.kind == SystemExceptionKind::InvPolicy && exception.minor == minor::omg(1)
}

/// Asks adapters of this process, until one answers; the `first` may have been
/// asked before. None when the reference leads elsewhere.
fn follow(
    object: &ObjectRef,
    terms: &Terms<'_>,
    mut first: Option<Result<LocalOutcome, SystemException>>,
    ask: &mut dyn FnMut(&Local, &dyn LocalAdapter) -> Result<LocalOutcome, SystemException>,
) -> Option<Result<LocalOutcome, SystemException>> {
    let core = object.core();
    if first.is_none()
        && let Err(exception) = core.lifecycle.check()
    {
        return Some(Err(exception));
    }
    let mut redirections = Redirections::new(terms.qos.max_forwards(core));
    let mut fell_back = false;
    loop {
        // A fault of the binding is reported by the call by message.
        let binding = bound(object, None).ok()?;
        if first.is_none()
            && let Err(exception) = terms.qos.check(object, &binding)
        {
            return Some(Err(exception));
        }
        let outcome = match first.take() {
            Some(outcome) => outcome,
            None => {
                let local = binding.local()?;
                let entered = local.adapter.enter();
                let Some(adapter) = entered.as_ref().map(Entered::adapter) else {
                    object.binding().leave_process();
                    return None;
                };
                ask(local, adapter)
            }
        };
        match outcome {
            Ok(LocalOutcome::Forward(target)) => {
                let followed = redirections
                    .follow_one_of(&binding)
                    .and_then(|()| Binding::forwarded(core, target, object.wait_strategy(), None))
                    .and_then(|there| {
                        terms.qos.check_rebinding(object, &binding, &there)?;
                        Ok(there)
                    });
                match followed {
                    Ok(binding) => object.binding().forward(binding),
                    Err(exception) => return Some(Err(exception)),
                }
            }
            outcome
                if binding.forwarded
                    && !fell_back
                    && is_dead_end(&outcome)
                    && terms.qos.may_go_back(object) =>
            {
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
