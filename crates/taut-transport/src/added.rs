//! Protocols that a program adds to the built-in ones, and their connections.

use std::sync::Arc;

pub(crate) use crate::plugged::Plugged;
use crate::{Channel, KnownProtocol, Protocol, ProtocolError, Protocols, Stream};

/// A protocol that a program adds.
pub(crate) type Added = Arc<dyn Protocol>;

/// The connection of such a protocol.
pub(crate) type Held = Box<Plugged>;

impl From<Box<dyn Channel>> for Stream {
    fn from(channel: Box<dyn Channel>) -> Self {
        Self::plugged(Box::new(Plugged::new(channel)))
    }
}

impl Protocols {
    /// These protocols and one more.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] when it cannot be told from another.
    pub fn with(&self, added: Arc<dyn Protocol>) -> Result<Self, ProtocolError> {
        self.with_known(KnownProtocol::added(added))
    }
}
