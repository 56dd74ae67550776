//! Requests in an ORB of the shape `minimal`: no interceptors take part in them.

use std::sync::Arc;

use taut_giop::SystemException;

use super::{Disposition, ObjectAdapter, SentPriority, ServerRequest};
use crate::core::OrbCore;
use crate::service_contexts::ServiceContextList;
use crate::upcall::Panic;

/// Dispatches a request.
///
/// # Errors
///
/// The system exception that the caller gets.
pub(super) fn dispatch<A: ObjectAdapter>(
    _: &Arc<OrbCore>,
    adapter: &A,
    (object_key, _): (&[u8], SentPriority),
    request: &mut ServerRequest<'_>,
    _: impl FnOnce(&ServerRequest<'_>, Panic) -> SystemException,
) -> Result<Disposition, SystemException> {
    adapter.dispatch(object_key, request)
}

/// The points of a request: there are none.
#[derive(Debug)]
pub(super) enum Carried {}

impl Carried {
    pub(super) fn end(
        &self,
        _: &ServerRequest<'_>,
        _: Result<Disposition, SystemException>,
        _: &ServiceContextList,
    ) -> (Result<Disposition, SystemException>, ServiceContextList) {
        match *self {}
    }

    pub(super) fn end_unanswered(&self) {
        match *self {}
    }
}

/// None: no interceptors take part.
pub(super) fn defer(_: &ServerRequest<'_>) -> Option<Arc<Carried>> {
    None
}
