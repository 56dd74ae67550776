//! The client role of a connection that was accepted, or whose server role is here.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Instant;

use taut_giop::Version;
use taut_giop::bidirectional::ListenPoint;
use taut_sync::lock::MutexGuard;

use super::Peer;
use crate::connection::{Origin, ServerRole, SharedConnection};
use crate::settings::{HAS_REACTOR, Settings};

impl Peer {
    /// Plays the client role as well, which is returned: requests go both ways from here on.
    /// `listen_points` is what the first of them tells of our own end points.
    pub(in crate::server) fn open_client_role(
        &self,
        origin: Origin,
        listen_points: &[u8],
        settings: &Settings,
    ) -> &Arc<SharedConnection> {
        // Replies must be read while servants run.
        self.note_multiplexing();
        self.note_version(Version::V1_2);
        self.client_role.get_or_init(|| {
            let server_role: Weak<dyn ServerRole> = Weak::<Self>::clone(&self.this);
            Arc::new(SharedConnection::beside(
                server_role,
                self.messaging(),
                self.name(),
                origin,
                listen_points,
                settings,
            ))
        })
    }

    /// The end points that the client has named, and whether they are its own.
    pub(in crate::server) fn listen_points(&self) -> MutexGuard<'_, Vec<(ListenPoint, bool)>> {
        self.listen_points.lock()
    }

    /// Waits until the peer has taken what was sent before, up to the deadline. Replies do
    /// not wait for that: there are never more of them than requests. Calls might be
    /// without end.
    fn wait_until_taken(&self, deadline: Option<Instant>) -> io::Result<()> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let patience = match deadline {
            Some(deadline) => left(deadline).min(self.message_timeout),
            None => self.message_timeout,
        };
        match self.outbox() {
            Some(outbox) if !outbox.wait_until_empty(patience) => {
                Err(io::ErrorKind::TimedOut.into())
            }
            _ => Ok(()),
        }
    }

    /// The client role, if it is played here: the calls that this ORB makes over the
    /// connection.
    pub(in crate::server) fn client_role(&self) -> Option<&SharedConnection> {
        match HAS_REACTOR {
            true => self.client_role.get().map(Arc::as_ref),
            false => None,
        }
    }

    /// Ends the calls that this ORB makes over the connection.
    pub(in crate::server) fn hang_up(&self, said_goodbye: bool) {
        if let Some(calls) = self.client_role() {
            calls.hang_up(said_goodbye);
        }
    }
}

impl ServerRole for Peer {
    fn send_message(&self, message: &[u8], deadline: Option<Instant>) -> io::Result<()> {
        self.wait_until_taken(deadline)?;
        self.send_message(message)
    }

    fn send_whole(&self, messages: &[u8], deadline: Option<Instant>) -> io::Result<()> {
        self.wait_until_taken(deadline)?;
        self.send(messages)
    }

    fn stop(&self) {
        self.abort();
    }
}
