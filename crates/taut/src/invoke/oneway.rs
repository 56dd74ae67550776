//! Calls without a result, and what they wait for.

mod queue;

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::SystemException;
use taut_giop::message::ResponseFlags;

use super::arguments::{Arguments, Written};
use super::call_context::{is_in_force, sync_scope};
use super::qos::may_be_governed;
use super::request::Exchange;
use super::{CallContext, pursue, straight};
use crate::message::Message;
use crate::object::{CalledOperation, ObjectRef};
use crate::settings::SyncScope;

impl ObjectRef {
    /// Calls an operation that has no result, and waits for what the reference's
    /// [`SyncScope`] says.
    ///
    /// # Errors
    ///
    /// As far as the scope lets them be known, those of a call with a result;
    /// with `SyncScope::None`, TRANSIENT when too much waits to be sent.
    #[inline]
    pub fn invoke_oneway(
        &self,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        let arguments = Arguments::whole(&arguments);
        one_way(self, &CalledOperation::by_name(operation), arguments)
    }

    /// [`invoke_oneway`](Self::invoke_oneway) of a call that has something of its own, such
    /// as a deadline or a [`SyncScope`].
    ///
    /// # Errors
    ///
    /// Those of [`invoke_oneway`](Self::invoke_oneway), and of the context's properties those
    /// of [`invoke_with`](Self::invoke_with).
    pub fn invoke_oneway_with(
        &self,
        context: &CallContext,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        let operation = &CalledOperation::by_name(operation);
        let arguments = Arguments::whole(&arguments);
        let scope = sync_scope(self, Some(context));
        apart(self, operation, arguments, scope, Some(context))
    }

    /// [`invoke_oneway`](Self::invoke_oneway) of an operation that may have a handle, as
    /// generated stubs do it. The closure may end with a sequence that it
    /// [lends](Encoder::lend), and return that: a large one is sent from where it lies.
    ///
    /// # Errors
    ///
    /// Those of [`invoke_oneway`](Self::invoke_oneway).
    #[doc(hidden)]
    #[inline]
    pub fn send<A: Written>(
        &self,
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
    ) -> Result<(), SystemException> {
        A::erased(arguments, |arguments| one_way(self, operation, arguments))
    }
}

/// Sends a request, and waits for what the reference's scope says.
pub(super) fn one_way<'a>(
    object: &ObjectRef,
    operation: &'a CalledOperation<'a>,
    arguments: Arguments<'a>,
) -> Result<(), SystemException> {
    match object.sync_scope() {
        SyncScope::WithTransport => submit(object, operation, arguments),
        _ => apart_from_others(object, operation, arguments),
    }
}

/// Sends a request that does not go the straight way, and waits for what its thread's context
/// or its reference says.
#[cold]
#[inline(never)]
fn apart_from_others<'a>(
    object: &ObjectRef,
    operation: &'a CalledOperation<'a>,
    arguments: Arguments<'a>,
) -> Result<(), SystemException> {
    let scope = sync_scope(object, None);
    apart(object, operation, arguments, scope, None)
}

/// Sends a request that does not go the straight way, and waits for what the scope says.
fn apart<'a>(
    object: &ObjectRef,
    operation: &'a CalledOperation<'a>,
    arguments: Arguments<'a>,
    scope: SyncScope,
    context: Option<&CallContext>,
) -> Result<(), SystemException> {
    let (response, mut message) = match scope {
        SyncScope::WithTransport => (ResponseFlags::None, Message::none()),
        SyncScope::WithServer => (ResponseFlags::SyncWithServer, Message::take()),
        SyncScope::WithTarget => (ResponseFlags::Expected, Message::take()),
        #[allow(
            unreachable_patterns,
            reason = "the shape `minimal` has no `SyncScope::None`"
        )]
        _ => return queue::post(object, operation.name, arguments, context),
    };
    let exchange = Exchange::Request {
        operation,
        response,
        arguments,
    };
    object.core().lifecycle.check()?;
    pursue(object, &exchange, context, &mut message, None).map(drop)
}

/// Sends a request to which nothing comes back.
#[inline(always)]
fn submit<'a>(
    object: &ObjectRef,
    operation: &'a CalledOperation<'a>,
    arguments: Arguments<'a>,
) -> Result<(), SystemException> {
    let exchange = Exchange::Request {
        operation,
        response: ResponseFlags::None,
        arguments,
    };
    let mut nothing = Message::none();
    let mut slow = None;
    match straight(object, &exchange, false, &mut nothing, &mut slow)? {
        Some(_) => Ok(()),
        None if is_in_force() || may_be_governed(object.core()) => {
            apart_from_others(object, operation, arguments)
        }
        None => pursue(object, &exchange, None, &mut nothing, slow).map(drop),
    }
}
