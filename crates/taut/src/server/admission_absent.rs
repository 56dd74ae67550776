//! The admission of requests in the shape `minimal`: all are admitted.

use taut_giop::SystemException;

use super::ServerRequest;
use super::peer::Peer;
use crate::core::OrbCore;
use crate::quality::ServiceQuality;

/// A request that has arrived.
#[derive(Debug, Default)]
pub(crate) struct Arrival;

#[allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_ref_mut,
    reason = "as in the shape `full`"
)]
impl Arrival {
    #[inline(always)]
    pub(crate) fn of(_: &ServerRequest<'_>) -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn admit(
        &mut self,
        _: Option<&ServiceQuality>,
        _: &OrbCore,
    ) -> Result<(), SystemException> {
        Ok(())
    }

    #[inline(always)]
    pub(super) fn admit_from(
        &mut self,
        _: &Peer,
        _: Option<&ServiceQuality>,
        _: &OrbCore,
    ) -> Result<(), SystemException> {
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn run<R>(
        _: Option<&ServiceQuality>,
        _: &OrbCore,
        _: impl FnOnce() -> String,
        run: impl FnOnce() -> R,
    ) -> R {
        run()
    }

    #[inline(always)]
    pub(crate) fn note_reply(&mut self, _: &ServerRequest<'_>) {}
}
