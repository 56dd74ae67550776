//! The quality of service of a server in the shape `minimal`: all is granted.

/// The quality of a server, of which there is no value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ServiceQuality {}

impl ServiceQuality {
    /// Whether each request is to be looked at.
    pub(crate) const fn is_apart(&self) -> bool {
        match *self {}
    }
}
