//! The options of connections that come in, in the shape `minimal`: those that are settings of
//! all.

use super::Listener;
use crate::core::OrbCore;
use crate::transport::{ConnectionReport, Stream};

#[allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "as in the shape `full`"
)]
impl Listener {
    pub(in crate::server) const fn set_options(
        &self,
        _: &OrbCore,
        _: &Stream,
    ) -> Result<(), (ConnectionReport, bool)> {
        Ok(())
    }
}
