//! Which calls may share connections.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::transport::{Address, ConnectionOptions};

/// The properties that references have in common whose calls share connections.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EndpointKey {
    address: Address,
    /// None: calls that belong to no band share them.
    band: Option<Band>,
    /// The reference that has the connections for itself, if one has.
    private: Option<PrivateId>,
    /// The options of the connections beside those that all have.
    options: Option<Box<ConnectionOptions>>,
}

/// A range of priorities, both ends included, whose calls share no connection with others
/// (Real-time CORBA 1.2, 4.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Band {
    pub(crate) lowest: i16,
    pub(crate) highest: i16,
}

/// The identity of private connections (Real-time CORBA 1.2, 4.13), which no other
/// reference shares. Different from all others of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PrivateId(u64);

impl PrivateId {
    /// Returns one that nobody else has.
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl EndpointKey {
    /// The key of calls without a band that share connections.
    pub(crate) fn shared(address: Address) -> Self {
        Self {
            address,
            band: None,
            private: None,
            options: None,
        }
    }

    /// The same for calls of a band, if there is one.
    pub(crate) fn in_band(self, band: Option<Band>) -> Self {
        Self { band, ..self }
    }

    /// The same with private connections, if the reference has some.
    pub(crate) fn private(self, private: Option<PrivateId>) -> Self {
        Self { private, ..self }
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
