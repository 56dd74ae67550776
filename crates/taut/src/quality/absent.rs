//! The quality of service of a server in the shape `minimal`: all is granted.

/// What a server grants: there is no value of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ServiceQuality {}
