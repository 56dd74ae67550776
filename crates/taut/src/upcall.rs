//! Calls of the application's code: whose code a thread runs, and what a panic costs.
//!
//! A thread is in an *up-call* while it carries out a request ([`run`]). Within and
//! without, it may play another *role* for a while ([`Role`]): that of a servant which a
//! reference calls by itself, or that of code which belongs to no request, such as a
//! servant manager. Up-calls are counted from the beginning of the innermost role, so
//! that one look at the count tells which of the two began last.

pub(crate) mod contexts;

use std::any::Any;
use std::cell::Cell;
use std::fmt::{Debug, Display};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use scoped_tls::scoped_thread_local;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::deadline;
use crate::straight_way;
use contexts::UpcallContexts;

thread_local! {
    /// The number of up-calls that this thread is in and that began within its role, and
    /// whether some of them have [`contexts`].
    static UPCALLS: Cell<usize> = const { Cell::new(0) };
}

scoped_thread_local!(static ROLE: Role);

/// The bit in the count of up-calls that says that some of the role have [`contexts`].
const HAS_CONTEXTS: usize = 1 << (usize::BITS - 1);

/// The role in which a thread runs the application's code, if it is not that of a
/// servant which carries out a request.
pub(crate) enum Role {
    /// Code that belongs to no request: a servant manager, an adapter activator, the
    /// `Drop` of a servant.
    Outside,
    /// The servant of an object, which the POA knows, in a call that the POA does not
    /// learn of.
    Kept(Arc<dyn Any + Send + Sync>),
}

/// The payload of a panic.
pub(crate) type Panic = Box<dyn Any + Send>;

/// Whether the calling thread runs a servant, or other code on the ORB's behalf, so that
/// it must not wait for the end of what it may itself be a part of.
pub(crate) fn is_in_upcall() -> bool {
    count() > 0 || ROLE.is_set()
}

/// Runs `look` with the role of the calling thread; with none if an up-call has begun
/// within the role, or there is no role.
pub(crate) fn with_role<R>(look: impl FnOnce(Option<&Role>) -> R) -> R {
    match count() == 0 && ROLE.is_set() {
        true => ROLE.with(|role| look(Some(role))),
        false => look(None),
    }
}

/// Whether the calling thread is in one up-call and no more, and plays no role within it.
pub(crate) fn is_outermost() -> bool {
    count() == 1 && !ROLE.is_set()
}

/// Returns the number of up-calls within the thread's role.
fn count() -> usize {
    UPCALLS.get() & !HAS_CONTEXTS
}

/// Runs code that calls a servant. The contexts that the servant adds to its reply are
/// forgotten, unless [contexts] were given to this up-call.
///
/// # Errors
///
/// The payload of a panic.
#[inline(always)]
pub(crate) fn run<R>(call: impl FnOnce() -> R) -> Result<R, Panic> {
    // As a guard it runs before the result is moved.
    let _unawaited = Unawaited::enter();
    catch_unwind(AssertUnwindSafe(call))
}

/// [`run`] for a caller that [takes](contexts::take) what the servant adds to its reply.
///
/// # Errors
///
/// The payload of a panic.
#[inline(always)]
pub(crate) fn run_request<R>(call: impl FnOnce() -> R) -> Result<R, Panic> {
    let _upcall = Upcall::enter();
    catch_unwind(AssertUnwindSafe(call))
}

/// Runs `action` in a role. A panic goes on in the caller.
#[inline]
pub(crate) fn run_as<R>(role: &Role, action: impl FnOnce() -> R) -> R {
    let _count = NewCount(UPCALLS.replace(0));
    ROLE.set(role, action)
}

/// Runs a part of a servant that goes on with a request which is answered later, in the role of
/// this servant and with these contexts.
///
/// # Errors
///
/// The payload of a panic.
pub(crate) fn go_on<R>(
    role: &Role,
    contexts: &mut UpcallContexts,
    action: impl FnOnce() -> R,
) -> Result<R, Panic> {
    let deadline = contexts.deadline;
    let action = || deadline::with(deadline, || catch_unwind(AssertUnwindSafe(action)));
    let action = || contexts::with_in_role(|all| mem::swap(all, contexts), action);
    let action = || straight_way::in_context(false, || run_as(role, action));
    let (result, taken) = action();
    if let Some(mut taken) = taken {
        mem::swap(&mut *taken, contexts);
    }
    result
}

/// Runs the application's code that belongs to no request. A panic is reported with the
/// `place`, which is the name of what was called, and the object that was concerned.
///
/// # Errors
///
/// UNKNOWN when the code panics.
pub(crate) fn outside<R>(
    place: &'static str,
    object: &(impl Display + ?Sized),
    action: impl FnOnce() -> R,
) -> Result<R, SystemException> {
    // Its calls do not have the context of the call that leads to it.
    let action = || straight_way::in_context(false, || run_as(&Role::Outside, action));
    catch_unwind(AssertUnwindSafe(action)).map_err(|panic| {
        let text = panic_text(&*panic);
        tracing::error!(place, %object, panic = text, "the application's code panicked");
        let exception = unknown().because(text);
        discard(panic);
        exception
    })
}

/// Drops a value that may run the application's code, as [`outside`] does.
pub(crate) fn let_go<T>(place: &'static str, object: &(impl Display + ?Sized), value: T) {
    // A panic has been reported, and nobody waits for an outcome.
    let _ = outside(place, object, || drop(value));
}

/// Reports the panic of a servant, and says what it costs the caller, which is called
/// `peer`, and nobody else. `object` is asked for the object's name if there is an event.
#[cold]
pub(crate) fn panicked(
    peer: &str,
    request: &(impl Debug + ?Sized),
    object: impl FnOnce() -> String,
    panic: Panic,
) -> SystemException {
    let text = panic_text(&*panic);
    tracing::error!(
        peer,
        ?request,
        object = object(),
        panic = text,
        "a servant panicked"
    );
    let exception = unknown().because(text);
    discard(panic);
    exception
}

/// The text of a panic.
fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("(its payload is no text)")
}

/// Drops the payload of a panic, which may panic again.
fn discard(panic: Panic) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        // There would be no end to it.
        mem::forget(again);
    }
}

fn unknown() -> SystemException {
    SystemException::new(
        SystemExceptionKind::Unknown,
        minor::SERVANT_PANICKED,
        CompletionStatus::Maybe,
    )
}

/// The stay of a thread in an up-call.
struct Upcall(());

impl Upcall {
    #[inline]
    fn enter() -> Self {
        UPCALLS.set(UPCALLS.get() + 1);
        Self(())
    }
}

impl Drop for Upcall {
    #[inline]
    fn drop(&mut self) {
        UPCALLS.set(UPCALLS.get() - 1);
    }
}

/// The stay of a thread in an up-call whose reply nobody takes, unless contexts were given
/// to it.
struct Unawaited(());

impl Unawaited {
    #[inline]
    fn enter() -> Self {
        UPCALLS.set(UPCALLS.get() + 1);
        Self(())
    }
}

impl Drop for Unawaited {
    #[inline]
    fn drop(&mut self) {
        let count = UPCALLS.get() - 1;
        UPCALLS.set(count);
        if contexts::OF_USERS && count & HAS_CONTEXTS != 0 {
            contexts::forget_unawaited();
        }
    }
}

/// A count of up-calls that has begun anew, with the count from before.
struct NewCount(usize);

impl Drop for NewCount {
    #[inline]
    fn drop(&mut self) {
        UPCALLS.set(self.0);
    }
}

/// The caller of a servant in its own process, for the events about panics.
pub(crate) const THIS_PROCESS: &str = "this process";
