//! Connections that are read elsewhere, because requests come in on them too.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use super::SharedConnection;
use crate::transport::Stream;

/// What carries the requests of a [`SharedConnection`] that somebody else reads:
/// a connection of the server's, which knows what is a reply and what a request.
pub(crate) trait Carrier: fmt::Debug + Send + Sync {
    /// Sends a whole message; waits while the peer does not take what was sent
    /// before, up to the deadline.
    ///
    /// # Errors
    ///
    /// When the connection has ended; [`io::ErrorKind::TimedOut`], before anything has
    /// left, when the peer takes nothing for too long.
    fn send_message(&self, message: &[u8], deadline: Option<Instant>) -> io::Result<()>;

    /// Sends octets that are whole messages, or all fragments of such; waits as
    /// [`send_message`](Self::send_message) does.
    ///
    /// # Errors
    ///
    /// Those of that one.
    fn send_whole(&self, messages: &[u8], deadline: Option<Instant>) -> io::Result<()>;

    /// Ends the connection.
    fn stop(&self);
}

/// Who makes connections readable for requests, once there is a server.
pub(crate) type Acceptor = OnceLock<Weak<dyn Bidirectional>>;

/// Makes connections that this ORB opens readable for requests (bidirectional
/// GIOP, CORBA 3.3 part 2, 9.8).
pub(crate) trait Bidirectional: fmt::Debug + Send + Sync {
    /// Reads the connection from here on. What comes back serves for requests.
    ///
    /// # Errors
    ///
    /// When there are no resources for it.
    fn adopt(&self, stream: Stream) -> io::Result<Arc<SharedConnection>>;
}
