//! The deadlines that requests tell, in the shape `minimal`: servers ask for none.

use taut_giop::SystemException;
use taut_giop::service_context::ServiceContexts;

use super::peer::Peer;

/// Runs `run`.
///
/// # Errors
///
/// Those of `run`.
#[inline(always)]
pub(super) fn within<R>(
    _: &Peer,
    _: &ServiceContexts<'_>,
    run: impl FnOnce() -> Result<R, SystemException>,
) -> Result<R, SystemException> {
    run()
}
