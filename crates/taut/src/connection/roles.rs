//! The two roles that an end of a connection may play.
//!
//! In the *client role* it sends requests and gets replies, in the *server role* it gets
//! requests and sends replies. Mostly an end plays one of them: a connection of the client's
//! ([`ClientConnection`](super::ClientConnection), [`SharedConnection`]) the first, one of the
//! server's (`server::peer::Peer`) the second. With bidirectional GIOP (CORBA 3.3 part 2,
//! 9.8) one end plays both, whichever side has opened the connection.
//!
//! Then the server role owns the stream. It reads, for requests have to be served while no
//! call waits; it hands each reply to the client role ([`SharedConnection::take_reply`]), and
//! tells it of the end ([`SharedConnection::hang_up`]). The client role is a shared connection
//! [beside](SharedConnection::beside) it, which numbers and matches calls as any other does,
//! and sends through [`ServerRole`].

use std::io;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use super::SharedConnection;
use crate::transport::Stream;

/// The server role of a connection, as the client role beside it needs it: it reads, and
/// sends what both roles send.
pub(crate) trait ServerRole: Send + Sync {
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

/// The server that plays its role on connections which this ORB opens, once there is one.
pub(crate) type BidirectionalServer = OnceLock<Weak<dyn Bidirectional>>;

/// A server that can play its role on connections which this ORB opens (bidirectional GIOP,
/// CORBA 3.3 part 2, 9.8).
pub(crate) trait Bidirectional: Send + Sync {
    /// Plays the server role from here on, and returns the client role beside it.
    ///
    /// # Errors
    ///
    /// When there are no resources for it.
    fn adopt(&self, stream: Stream) -> io::Result<Arc<SharedConnection>>;
}
