//! The deadlines that requests tell: whose has passed is not carried out.

use std::time::Duration;

use taut_giop::deadline_context::{DeadlineContext, from_units};
use taut_giop::service_context::{ServiceContexts, id};
use taut_giop::{CompletionStatus, SystemException};

use super::peer::Peer;
use crate::deadline::{self, Deadline};

/// The name of the limit that such a deadline is.
const LIMIT: &str = "the caller's deadline";

/// Runs `run`, which carries out a request with these contexts, within the time that the
/// request tells, if it tells any.
///
/// # Errors
///
/// TIMEOUT, COMPLETED_NO, with [`minor::REQUEST_EXPIRED`] if the time is over; then `run` has
/// not been called. MARSHAL when the context cannot be read. Those of `run`.
#[inline]
pub(super) fn within<R>(
    peer: &Peer,
    contexts: &ServiceContexts<'_>,
    run: impl FnOnce() -> Result<R, SystemException>,
) -> Result<R, SystemException> {
    match contexts.find(id::TAUT_DEADLINE) {
        None => run(),
        Some(data) => {
            let told = DeadlineContext::from_context_data(data)
                .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
            within_told(peer, &told, run)
        }
    }
}

/// The same for a request that tells this deadline.
///
/// # Errors
///
/// Those of [`within`].
#[inline(never)]
pub(super) fn within_told<R>(
    peer: &Peer,
    told: &DeadlineContext,
    run: impl FnOnce() -> Result<R, SystemException>,
) -> Result<R, SystemException> {
    let late = from_units(peer.note_transit(told.sent_at, deadline::clock()));
    let left = told.time_left().saturating_sub(late);
    if left.is_zero() {
        return Err(expired(peer.name(), late));
    }
    let deadline = Deadline::after(left, LIMIT).map(|deadline| Deadline {
        operation: told.operation,
        ..deadline
    });
    deadline::with(deadline, run)
}

/// The exception that answers a request whose deadline had passed when it arrived.
#[cold]
fn expired(peer: &str, late: Duration) -> SystemException {
    tracing::debug!(peer, ?late, "a request has arrived after its deadline");
    deadline::expired("arrival")
}
