//! Calls without a result, and what they wait for.

use std::sync::atomic::{AtomicU32, Ordering};

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::message::ResponseFlags;
use taut_giop::{CompletionStatus, SystemException};

use super::request::{self, Exchange};
use super::{Arguments, bound, failure, follow};
use crate::message::Message;
use crate::object::{CalledOperation, ObjectRef};
use crate::settings::SyncScope;

/// The id of the next request for which nobody waits.
static NEXT_ID: AtomicU32 = AtomicU32::new(0);

impl ObjectRef {
    /// Calls an operation that has no result, and waits for what the reference's
    /// [`SyncScope`] says.
    ///
    /// # Errors
    ///
    /// As far as the scope lets them be known, those of a call with a result;
    /// with [`SyncScope::None`], TRANSIENT when too much waits to be sent.
    #[inline]
    pub fn invoke_oneway(
        &self,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        one_way(self, &CalledOperation::by_name(operation), &arguments)
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
        one_way(self, operation, &arguments)
    }
}

/// Sends a request, and waits for what the reference's scope says.
fn one_way(
    object: &ObjectRef,
    operation: &CalledOperation<'_>,
    arguments: Arguments<'_>,
) -> Result<(), SystemException> {
    let response = match object.sync_scope() {
        SyncScope::WithTransport => ResponseFlags::None,
        SyncScope::WithServer => ResponseFlags::SyncWithServer,
        SyncScope::WithTarget => ResponseFlags::Expected,
        SyncScope::None => return post(object, operation.name, arguments),
    };
    let exchange = Exchange::Request {
        operation,
        response,
        arguments,
    };
    follow(object, &exchange, &mut Message::take()).map(drop)
}

/// Leaves a request to be sent soon.
#[cold]
fn post(
    object: &ObjectRef,
    operation: &str,
    arguments: Arguments<'_>,
) -> Result<(), SystemException> {
    object.core().lifecycle.check()?;
    let binding = bound(object)?;
    let route = &binding.routes[binding.preferred()];
    let order = object.core().settings.byte_order;
    // Even, as the side that opens a connection has them.
    let id = NEXT_ID.fetch_add(2, Ordering::Relaxed);
    let message = request::write_unanswered(&binding, route, order, id, operation, arguments)
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
    route
        .endpoint
        .post(message)
        .map_err(|reason| failure::not_queued(&reason))
}
