//! Calls without a result, and what they wait for.

#[cfg(feature = "oneway-queue")]
mod queue;

use taut_cdr::{Encoder, Primitive, Result as CdrResult};
use taut_giop::SystemException;
use taut_giop::message::ResponseFlags;

use super::request::Exchange;
use super::{Arguments, pursue, straight};
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
        let arguments = Arguments::written(&arguments);
        one_way(self, &CalledOperation::by_name(operation), arguments)
    }

    /// [`invoke_oneway`](Self::invoke_oneway) of an operation that may have a handle.
    /// What generated stubs do.
    ///
    /// # Errors
    ///
    /// Those of [`invoke_oneway`](Self::invoke_oneway).
    #[doc(hidden)]
    #[inline]
    pub fn send(
        &self,
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        one_way(self, operation, Arguments::written(&arguments))
    }

    /// [`send`](Self::send) with arguments of which the last is a sequence that is
    /// [lent](Encoder::lend): a large one is sent from where it lies.
    ///
    /// # Errors
    ///
    /// Those of [`invoke_oneway`](Self::invoke_oneway).
    #[doc(hidden)]
    #[inline]
    pub fn send_lending<T: Primitive>(
        &self,
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
        last: &[T],
    ) -> Result<(), SystemException> {
        one_way(self, operation, Arguments::lending(&arguments, last))
    }
}

/// Sends a request, and waits for what the reference's scope says.
pub(super) fn one_way(
    object: &ObjectRef,
    operation: &CalledOperation<'_>,
    arguments: Arguments<'_>,
) -> Result<(), SystemException> {
    let response = match object.sync_scope() {
        SyncScope::WithTransport => return submit(object, operation, arguments),
        SyncScope::WithServer => ResponseFlags::SyncWithServer,
        SyncScope::WithTarget => ResponseFlags::Expected,
        #[cfg(feature = "oneway-queue")]
        SyncScope::None => return queue::post(object, operation.name, arguments),
    };
    let exchange = Exchange::Request {
        operation,
        response,
        arguments,
    };
    object.core().lifecycle.check()?;
    pursue(object, &exchange, &mut Message::take(), None).map(drop)
}

/// Sends a request to which nothing comes back.
#[inline(always)]
fn submit(
    object: &ObjectRef,
    operation: &CalledOperation<'_>,
    arguments: Arguments<'_>,
) -> Result<(), SystemException> {
    let exchange = Exchange::Request {
        operation,
        response: ResponseFlags::None,
        arguments,
    };
    let mut nothing = Message::none();
    let mut detour = None;
    match straight(object, &exchange, false, &mut nothing, &mut detour)? {
        Some(_) => Ok(()),
        None => pursue(object, &exchange, &mut nothing, detour).map(drop),
    }
}
