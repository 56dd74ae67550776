//! The options of connections in the shape `minimal`: those that are settings of all.

use crate::connection::{EndpointKey, LeaseError};
use crate::settings::Settings;
use crate::transport::Stream;

/// The options of an endpoint's connections beside those that all have: none.
pub(super) struct EndpointOptions;

#[allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "as in the shape `full`"
)]
impl EndpointOptions {
    pub(super) const fn of(_: &EndpointKey) -> Self {
        Self
    }

    pub(super) const fn set(&self, _: &Stream, _: &Settings) -> Result<(), LeaseError> {
        Ok(())
    }
}
