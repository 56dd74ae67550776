//! Requests that tell their quality, in the shape `minimal`: they are as others with service
//! contexts.

use taut_cdr::Encoder;

use super::RequestInProgress;
use crate::server::ObjectAdapter;
use crate::server::end::End;
use crate::server::service::Service;

impl<'r, A: ObjectAdapter> RequestInProgress<'r, A> {
    /// Says that it is to be read in full.
    #[allow(clippy::unnecessary_wraps, reason = "the shape `full` may fail")]
    pub(in crate::server) const fn serve_prioritized(
        _: &'r Service<A>,
        _: &[u8],
        _: &'r mut Encoder,
    ) -> Result<bool, End> {
        Ok(false)
    }

    /// Says that it is to be read in full.
    #[allow(clippy::unnecessary_wraps, reason = "the shape `full` may fail")]
    pub(in crate::server) const fn serve_qualified(
        _: &'r Service<A>,
        _: &[u8],
        _: &'r mut Encoder,
    ) -> Result<bool, End> {
        Ok(false)
    }
}
