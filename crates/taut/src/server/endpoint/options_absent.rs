//! The options of connections in the text of an endpoint, in the shape `minimal`: there are
//! none.

use std::fmt;

use super::EndpointError;
use crate::transport::ConnectionOptions;

/// Refuses the option.
pub(super) fn read(text: &str, _: &mut ConnectionOptions) -> Result<(), EndpointError> {
    Err(EndpointError::Option(text.to_owned()))
}

/// Writes nothing.
#[allow(clippy::unnecessary_wraps, reason = "as in the shape `full`")]
pub(super) const fn write(
    _: &mut fmt::Formatter<'_>,
    _: &str,
    _: &ConnectionOptions,
) -> fmt::Result {
    Ok(())
}
