//! Calls for which nobody waits (`SYNC_NONE`).

use std::sync::atomic::{AtomicU32, Ordering};

use taut_giop::{CompletionStatus, SystemException};

use crate::invoke::{Arguments, bound, failure, request};
use crate::object::ObjectRef;

/// The id of the next request for which nobody waits.
static NEXT_ID: AtomicU32 = AtomicU32::new(0);

/// Leaves a request to be sent soon.
#[cold]
pub(super) fn post(
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
