//! Places where connections come in.

use std::fmt;
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::{Address, Stream};

/// A place where connections come in.
pub trait Acceptor: Send + Sync {
    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// The reason why no connection can be accepted; any error at once and for ever, once
    /// the acceptor is [closed](Self::close).
    fn accept(&self) -> io::Result<Stream>;

    /// Waits until a client has connected that is not accepted yet, at most for so long.
    /// True when there is one, or nobody listens here any more.
    ///
    /// # Errors
    ///
    /// The reason why it cannot wait.
    fn wait_for_client(&self, timeout: Duration) -> io::Result<bool>;

    /// The address at which clients find it, with what the system or the transport has
    /// chosen.
    fn address(&self) -> &Address;

    /// The addresses that references carry: those that the server was told to publish,
    /// completed with what only the acceptor knows, or else its own.
    fn published(&self, told: &[Address]) -> Vec<Address> {
        match told {
            [] => vec![self.address().clone()],
            told => told.to_vec(),
        }
    }

    /// Stops listening. A thread that waits in [`accept`](Self::accept) returns.
    ///
    /// # Errors
    ///
    /// The reason why something has been left behind, such as the file of a socket.
    fn close(&self) -> io::Result<()>;
}

impl fmt::Debug for dyn Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Acceptor({})", self.address())
    }
}

/// Properties of a place to listen at. A protocol takes those that it has.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListenOptions {
    /// How many connections may wait to be accepted.
    pub backlog: u32,
    /// The permissions of the file of a socket, as in `chmod`.
    pub file_mode: u32,
    /// The descriptor of a socket that listens already, which the process was started with. TCP
    /// takes it instead of one of its own, and leaves it listening at the end.
    pub descriptor: Option<RawFd>,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            backlog: 1024,
            file_mode: 0o600,
            descriptor: None,
        }
    }
}
