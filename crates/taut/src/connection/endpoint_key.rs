//! Which calls may share connections.

#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};

use crate::transport::{Address, ConnectionOptions};

/// The properties that references have in common whose calls share connections.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EndpointKey {
    address: Address,
    band: Band,
    /// The reference that has the connections for itself, if one has.
    private: Option<PrivateId>,
    /// The options of the connections beside those that all have.
    options: Option<Box<ConnectionOptions>>,
}

/// The index of a band of priorities (Real-time CORBA 1.2, 4.12). Calls of different bands
/// never share a connection. The first is that of all calls without a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Band(u16);

/// The identity of private connections (Real-time CORBA 1.2, 4.13), which no other
/// reference shares. Different from all others of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PrivateId(u64);

impl EndpointKey {
    /// The key of calls without a priority that share connections.
    pub(crate) fn shared(address: Address) -> Self {
        Self {
            address,
            band: Band::default(),
            private: None,
            options: None,
        }
    }

    /// The same, for connections with these options beside those that all have.
    pub(crate) fn with_options(self, options: &ConnectionOptions) -> Self {
        let options = (!options.is_empty()).then(|| Box::new(*options));
        Self { options, ..self }
    }

    /// The options of the connections beside those that all have, if there are some.
    pub(crate) fn options(&self) -> Option<&ConnectionOptions> {
        self.options.as_deref()
    }

    /// The address.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }
}

/// Keys that no caller asks for yet.
#[cfg(test)]
impl EndpointKey {
    /// The same, for calls of the band with this index.
    pub(crate) fn in_band(self, index: u16) -> Self {
        let band = Band(index);
        Self { band, ..self }
    }

    /// The same, with connections of its own.
    pub(crate) fn with_private_connections(self) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let private = Some(PrivateId(NEXT.fetch_add(1, Ordering::Relaxed)));
        Self { private, ..self }
    }
}
