//! Whether interceptors take part in an ORB's calls.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// The interceptors of an ORB, as the floors below them know them.
#[derive(Default)]
pub(crate) struct Interception {
    /// Whether some are going to be registered.
    is_expected: bool,
    settled: OnceLock<Settled>,
}

/// The interceptors once no more are registered.
struct Settled {
    watches_client: bool,
    watches_server: bool,
    /// The registered interceptors, which only their module looks into.
    registered: Box<dyn Any + Send + Sync>,
}

impl Interception {
    /// That of an ORB for which interceptors are, or are not, going to be registered.
    pub(crate) fn new(is_expected: bool) -> Self {
        Self {
            is_expected,
            settled: OnceLock::new(),
        }
    }

    /// Ends the registration: there are request interceptors for clients, or for servers.
    pub(crate) fn settle(
        &self,
        (watches_client, watches_server): (bool, bool),
        registered: Box<dyn Any + Send + Sync>,
    ) {
        let _ = self.settled.set(Settled {
            watches_client,
            watches_server,
            registered,
        });
    }

    /// Whether the calls of a reference that is made now do not go the straight way.
    pub(crate) fn makes_apart(&self) -> bool {
        match self.settled.get() {
            Some(settled) => settled.watches_client || settled.watches_server,
            None => self.is_expected,
        }
    }

    /// Whether interceptors watch the requests that are received.
    pub(crate) fn watches_server(&self) -> bool {
        match self.settled.get() {
            Some(settled) => settled.watches_server,
            None => self.is_expected,
        }
    }

    /// The value that was registered, if one was.
    pub(crate) fn registered(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.settled.get().map(|settled| &*settled.registered)
    }
}

impl fmt::Debug for Interception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interception")
            .field("makes_apart", &self.makes_apart())
            .field("watches_server", &self.watches_server())
            .finish()
    }
}
