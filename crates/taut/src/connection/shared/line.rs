//! How octets get to the peer of a shared connection and back.

use std::io;
use std::sync::Weak;
use std::time::{Duration, Instant};

use crate::connection::ConnectionFault;
use crate::connection::ServerRole;
use crate::connection::batch::Batch;
use crate::connection::client::send_behind;
use crate::connection::client::{receive, send, send_until};
use crate::messaging::Fragmentation;
use crate::nested_calls;
use crate::settings::WaitStrategy;
use crate::transport::Stream;
use crate::waiting::Waiting;

/// Where the messages of a shared connection go.
#[derive(Debug)]
pub(super) enum Line {
    /// There is no server role: the connection is read here.
    Own(Stream),
    /// The server role reads it.
    Beside {
        server_role: Weak<dyn ServerRole>,
        /// The end points of our own of which the first request tells the peer.
        listen_points: Box<[u8]>,
    },
}

impl Line {
    /// The socket, if the connection is read here.
    pub(super) fn own(&self) -> Option<&Stream> {
        match self {
            Self::Own(stream) => Some(stream),
            Self::Beside { .. } => None,
        }
    }

    /// Sends a message, in pieces if it is too large, and adds what leaves to
    /// `sent`.
    pub(super) fn send(
        &self,
        message: &[u8],
        fragmentation: Fragmentation,
        sent: &mut u64,
    ) -> io::Result<()> {
        match self {
            Self::Own(stream) => send(stream, message, fragmentation, sent),
            Self::Beside { server_role, .. } => match server_role.upgrade() {
                Some(server_role) => server_role.send_message(message, None),
                None => Err(io::ErrorKind::NotConnected.into()),
            },
        }
    }

    /// Sends a message by a deadline, in pieces if it is too large, and adds what leaves to
    /// `sent`, also if it fails.
    pub(super) fn send_until(
        &self,
        message: &[u8],
        fragmentation: Fragmentation,
        deadline: Instant,
        sent: &mut u64,
    ) -> io::Result<()> {
        match self {
            Self::Own(stream) => send_until(stream, message, fragmentation, deadline, sent),
            Self::Beside { server_role, .. } => {
                let server_role = server_role.upgrade().ok_or(io::ErrorKind::NotConnected)?;
                server_role.send_message(message, Some(deadline))
            }
        }
    }

    /// Sends what is left of a batch by a deadline, and adds what leaves to `sent`.
    pub(super) fn send_batch_until(
        &self,
        batch: &mut Batch,
        deadline: Instant,
        sent: &mut u64,
    ) -> io::Result<()> {
        match self {
            Self::Own(stream) => batch.send_until(stream, deadline, sent),
            Self::Beside { server_role, .. } => {
                let server_role = server_role.upgrade().ok_or(io::ErrorKind::NotConnected)?;
                server_role.send_whole(batch.rest(), Some(deadline))?;
                batch.clear();
                Ok(())
            }
        }
    }

    /// Sends a message behind what is left of a batch, and adds what leaves to `sent`.
    pub(super) fn send_behind(
        &self,
        batch: &mut Batch,
        message: &[u8],
        fragmentation: Fragmentation,
        sent: &mut u64,
    ) -> io::Result<()> {
        match self {
            Self::Own(stream) => send_behind(stream, batch, message, fragmentation, (&mut 0, sent)),
            Self::Beside { .. } => {
                self.send_batch(batch)?;
                self.send(message, fragmentation, sent)
            }
        }
    }

    /// Sends what is left of a batch where the connection is read elsewhere.
    pub(super) fn send_batch(&self, batch: &mut Batch) -> io::Result<()> {
        if let Self::Beside { server_role, .. } = self {
            let server_role = server_role.upgrade().ok_or(io::ErrorKind::NotConnected)?;
            server_role.send_whole(batch.rest(), None)?;
            batch.clear();
        }
        Ok(())
    }

    /// Waits for what arrives next, up to the deadline, and appends it to the
    /// buffer.
    pub(super) fn receive(
        &self,
        waiting: &mut Waiting,
        strategy: WaitStrategy,
        buffer: &mut Vec<u8>,
        deadline: Option<Instant>,
    ) -> Result<(), ConnectionFault> {
        let Some(stream) = self.own() else {
            return Err(ConnectionFault::Closed); // nobody leads there
        };
        nested_calls::wait(|| receive(stream, waiting, strategy, buffer, deadline))
    }

    /// Ends the sending. Returns the octets that the peer's system has acknowledged, once
    /// it is certain that it will acknowledge no more.
    pub(super) fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        match self {
            Self::Own(stream) => {
                // From here on, no other thread's request can leave: a peer that
                // still reads would get it behind what is counted.
                stream.stop_sending();
                stream.acknowledged_in_all(patience)
            }
            Self::Beside { .. } => None,
        }
    }

    /// Ends it.
    pub(super) fn stop(&self) {
        match self {
            Self::Own(stream) => stream.stop(),
            Self::Beside { server_role, .. } => {
                if let Some(server_role) = server_role.upgrade() {
                    server_role.stop();
                }
            }
        }
    }
}
