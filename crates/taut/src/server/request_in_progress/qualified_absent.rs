//! Requests that tell their quality, in the shape `minimal`: they are as others with service
//! contexts.

use taut_cdr::Encoder;

use super::RequestInProgress;
use crate::server::ObjectAdapter;
use crate::server::end::End;
use crate::server::service::Service;

impl<'r, A: ObjectAdapter> RequestInProgress<'r, A> {
    /// None: it is to be read in full.
    pub(in crate::server) const fn serve_qualified(
        _: &'r Service<A>,
        _: &[u8],
        _: &'r mut Encoder,
    ) -> Option<Result<(), End>> {
        None
    }
}
