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

    /// These protocols, with one in the place of that which has its scheme and its tag: a
    /// protocol that watches the octets of another, or changes them.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::NothingToReplace`] when none has both.
    pub fn with_replaced(&self, replacing: Arc<dyn Protocol>) -> Result<Self, ProtocolError> {
        self.with_known_replaced(KnownProtocol::added(replacing))
    }
}
