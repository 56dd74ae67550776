//! The first request on connections in the shape `minimal`: there is none.

use std::io;

use taut_giop::SystemException;

use super::patience::Patience;
use crate::messaging::Messaging;
use crate::settings::Settings;
use crate::transport::Stream;

/// The request of an endpoint: none.
#[derive(Debug, Default)]
pub(super) struct Greeting(());

/// Why a connection is not used.
pub(super) enum NotGreeted {
    Refused(Box<SystemException>),
    Ended(io::Error),
}

#[allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "as in the shape `full`"
)]
impl Greeting {
    /// Does nothing.
    #[inline(always)]
    pub(super) const fn exchange(
        &self,
        _: &Stream,
        _: Messaging,
        _: Patience,
        _: &Settings,
    ) -> Result<(), NotGreeted> {
        Ok(())
    }
}
