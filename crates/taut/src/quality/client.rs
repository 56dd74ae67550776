//! Clients, as admission policies tell them apart.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use taut_sync::lock::Mutex;

use super::AdmissionPolicy;
use crate::transport::Source;
use crate::upcall;

/// A client of a server: one connection, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Client {
    connection: u64,
    source: Option<Source>,
    name: Arc<str>,
}

/// The client that a connection belongs to, by its scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ClientKey {
    Connection(u64),
    Source(Source),
}

/// The clients that count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ClientScope {
    /// Each connection is a client. A client of Taut's with several threads may have a
    /// connection for each of its calls in flight.
    #[default]
    Connection,
    /// All connections from one host are a client, and over Unix-domain sockets all of one user.
    Source,
}

/// The number of the next connection; 0 is for callers of this process.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Client {
    /// A client with a new connection from this source.
    pub fn new(name: &str, source: Option<Source>) -> Self {
        Self {
            connection: NEXT.fetch_add(1, Ordering::Relaxed),
            source,
            name: name.into(),
        }
    }

    /// The callers of this process.
    pub(crate) fn local() -> Self {
        Self {
            connection: 0,
            source: None,
            name: upcall::THIS_PROCESS.into(),
        }
    }

    /// Returns the number of the connection, which no other connection of this process has or
    /// had. 0: calls of this process.
    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// Returns the machine that the connection comes from, or the user; none if that is not known,
    /// and for calls of this process.
    pub fn source(&self) -> Option<Source> {
        self.source
    }

    /// Returns the address of the client, as events give it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the key that clients have which count as one.
    pub(super) fn key(&self, scope: ClientScope) -> ClientKey {
        match (scope, self.source) {
            (ClientScope::Source, Some(source)) => ClientKey::Source(source),
            _ => ClientKey::Connection(self.connection),
        }
    }
}

/// Writes the client's address.
impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The presence of a client: the policies that have been asked about it learn of its end.
#[derive(Debug)]
pub(crate) struct Presence {
    client: Client,
    known_to: Mutex<Vec<Arc<dyn AdmissionPolicy>>>,
}

impl Presence {
    pub(crate) fn of(client: Client) -> Self {
        Self {
            client,
            known_to: Mutex::default(),
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Notes that a policy is asked about the client.
    pub(crate) fn make_known_to(&self, policy: &Arc<dyn AdmissionPolicy>) {
        let mut known_to = self.known_to.lock();
        if !known_to.iter().any(|known| Arc::ptr_eq(known, policy)) {
            known_to.push(Arc::clone(policy));
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        for policy in self.known_to.lock().drain(..) {
            let left = || policy.left(&self.client);
            // A panic has been reported, and nobody waits for an outcome.
            let _ = upcall::outside("left", &self.client, left);
        }
    }
}
