//! Calls without a result, and what they wait for.

use std::sync::atomic::{AtomicU32, Ordering};

use taut_cdr::{Encoder, Result as CdrResult};
use taut_giop::message::ResponseFlags;
use taut_giop::{CompletionStatus, SystemException};

use super::request::{self, Exchange};
use super::{Arguments, bound, failure, follow};
use crate::message::Message;
use crate::object::ObjectRef;
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
        let response = match self.sync_scope() {
            SyncScope::WithTransport => ResponseFlags::None,
            SyncScope::WithServer => ResponseFlags::SyncWithServer,
            SyncScope::WithTarget => ResponseFlags::Expected,
            SyncScope::None => return post(self, operation, &arguments),
        };
        one_way(self, operation, response, &arguments)
    }
}

/// Sends a request, and waits for what `response` says.
fn one_way(
    object: &ObjectRef,
    operation: &str,
    response: ResponseFlags,
    arguments: Arguments<'_>,
) -> Result<(), SystemException> {
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
