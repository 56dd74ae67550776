//! The options of connections in the text of an endpoint.

use std::fmt;

use super::EndpointError;
use crate::transport::ConnectionOptions;

/// Reads an option of connections.
pub(super) fn read(text: &str, options: &mut ConnectionOptions) -> Result<(), EndpointError> {
    let malformed = |_| EndpointError::Option(text.to_owned());
    let read: ConnectionOptions = text.parse().map_err(malformed)?;
    *options = read.or(options);
    Ok(())
}

/// Writes them, behind what is written if there are any.
pub(super) fn write(
    f: &mut fmt::Formatter<'_>,
    before: &str,
    options: &ConnectionOptions,
) -> fmt::Result {
    match options.is_empty() {
        true => Ok(()),
        false => write!(f, "{before}{options}"),
    }
}
