//! The one connection of the shared strategy.

use std::sync::Arc;
use std::sync::Weak;
use std::time::Instant;

use taut_giop::Version;
use taut_sync::lock::Mutex;
use taut_sync::lock::MutexGuard;

use super::{Endpoint, LeaseError};
use crate::connection::ConnectionFault;
use crate::connection::SharedConnection;
use crate::connection::patience::Patience;
use crate::connection::queue::Queue;
use crate::connection::roles::{Bidirectional, BidirectionalServer};
use crate::connection::shared::Sending;
use crate::settings::BidirectionalPolicy;
use crate::settings::{ConnectionSharing, Settings};
use taut_sync::primitives::AtomicArc;

/// Whether calls share a connection, and which.
pub(super) struct Sharing {
    is_on: bool,
    shared: AtomicArc<SharedConnection>,
    /// Held while that is opened.
    opening: Mutex<()>,
    /// Reads requests on connections that are opened here, where it is to.
    acceptor: Arc<BidirectionalServer>,
}

impl Endpoint {
    /// Whether calls share a connection.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.sharing.is_on
    }

    /// The connection for all calls, by the deadline, and whether it has been used
    /// before. Where there is somebody to read requests on it, they may come too, if
    /// `version` allows that.
    pub(crate) fn share(
        &self,
        patience: Patience,
        version: Version,
    ) -> Result<(Arc<SharedConnection>, bool), LeaseError> {
        let acceptor = self.sharing.acceptor(version);
        let is_usable = |current: &Arc<SharedConnection>| {
            if acceptor.is_some() && !current.is_bidirectional() {
                return false;
            }
            !current.has_ended()
        };
        let current = || self.sharing.shared.load_full().filter(is_usable);
        if let Some(connection) = current() {
            return Ok((connection, true));
        }
        let wait = patience.for_others(&self.settings);
        let _opening = self
            .sharing
            .opening
            .try_lock_for(wait)
            .ok_or(LeaseError::AllInUse)?;
        if let Some(connection) = current() {
            return Ok((connection, true));
        }
        if patience.forbids_reconnecting {
            return Err(LeaseError::Forbidden);
        }
        let connection = self.open(patience, |stream, permit, settings| {
            if let Some(acceptor) = &acceptor {
                // From here on it is the server's, and counts there.
                return acceptor.adopt(stream);
            }
            let connection = SharedConnection::new(stream, self.messaging, permit, settings);
            Ok(Arc::new(connection))
        })?;
        self.sharing.shared.store(Some(Arc::clone(&connection)));
        Ok((connection, false))
    }

    /// Uses a connection that the other side has opened, and that leads here as
    /// it says, unless there is one.
    pub(in crate::connection) fn offer(&self, connection: &Arc<SharedConnection>) {
        let _opening = self.sharing.opening.lock();
        let current = self.sharing.shared.load_full();
        if current.is_none_or(|current| current.has_ended() || !current.is_bidirectional()) {
            self.sharing.shared.store(Some(Arc::clone(connection)));
        }
    }
}

/// Oneways that are left to be sent.
impl Endpoint {
    /// The connection for all calls, and whether it has been used before; for oneways,
    /// which may go over any.
    fn share_for_oneways(&self) -> Result<(Arc<SharedConnection>, bool), LeaseError> {
        self.share(Patience::default(), Version::V1_2)
    }

    /// Sends what waits, if there is a connection that is free, and as far as there is
    /// room. True when nothing is left to send.
    pub(super) fn try_flush_shared(&self, queue: &Queue) -> bool {
        let connection = self.sharing.shared.load_full();
        let Some(connection) = connection.filter(|current| !current.is_found_ended(None)) else {
            return false;
        };
        let Some(mut sending) = connection.try_sending() else {
            return false;
        };
        sending.load(queue);
        let flushed = connection.try_flush(&mut sending);
        queue.note_backlog(sending.batch());
        flushed.unwrap_or(true)
    }

    /// Sends what waits over the connection for all calls, or a new one.
    pub(super) fn deliver_shared(&self, queue: &Queue, goes_on: &dyn Fn() -> bool) {
        loop {
            let (connection, reused) = match self.share_for_oneways() {
                Ok(shared) => shared,
                Err(
                    LeaseError::Connect(_) | LeaseError::Refused(_) | LeaseError::OptionsRefused(_),
                ) => {
                    queue.forget_backlog();
                    return queue.lose("connect");
                }
                // Later there may be room for one.
                Err(
                    LeaseError::AllInUse
                    | LeaseError::TooMany
                    | LeaseError::NoThread
                    | LeaseError::Forbidden,
                ) => {
                    return;
                }
            };
            if reused && connection.is_found_ended(None) {
                continue;
            }
            let Ok(mut sending) = connection.sending(None) else {
                return;
            };
            sending.load(queue);
            // A failure has been counted.
            let _ = connection.flush(&mut sending, goes_on);
            return queue.note_backlog(sending.batch());
        }
    }

    /// The sending side of a connection, which has taken what waits.
    ///
    /// # Errors
    ///
    /// [`ConnectionFault::Closed`] when the peer has ended it, [`ConnectionFault::NotTaken`]
    /// when others have it at the deadline.
    pub(crate) fn sending<'c>(
        &self,
        connection: &'c SharedConnection,
        deadline: Option<Instant>,
    ) -> Result<MutexGuard<'c, Sending>, ConnectionFault> {
        let queue = self.home_queue();
        if !queue.is_waiting() {
            return connection.sending(deadline);
        }
        if connection.is_found_ended(deadline) {
            return Err(ConnectionFault::Closed);
        }
        let mut sending = connection.sending(deadline)?;
        sending.load(queue);
        Ok(sending)
    }

    /// Notes what the sending side has not sent of what it had taken.
    pub(crate) fn note_sent(&self, sending: &Sending) {
        let queue = self.home_queue();
        if queue.has_backlog() {
            queue.note_backlog(sending.batch());
        }
    }
}

impl Sharing {
    pub(super) fn new(settings: &Settings, acceptor: &Arc<BidirectionalServer>) -> Self {
        let is_on = settings.client.connection_sharing != ConnectionSharing::Exclusive;
        let is_on = is_on || settings.wire.bidirectional != BidirectionalPolicy::Normal;
        Self {
            is_on,
            shared: AtomicArc::empty(),
            opening: Mutex::new(()),
            acceptor: Arc::clone(acceptor),
        }
    }

    /// Returns the server that reads requests on connections, where this version of GIOP
    /// allows them.
    fn acceptor(&self, version: Version) -> Option<Arc<dyn Bidirectional>> {
        let acceptor = self.acceptor.get().and_then(Weak::upgrade);
        acceptor.filter(|_| version >= Version::V1_2)
    }

    /// Whether there is a connection that the other side has opened, and that may be
    /// the only way there.
    pub(super) fn is_offered(&self) -> bool {
        let shared = self.shared.load();
        let is_open =
            |connection: &SharedConnection| connection.is_offered() && !connection.has_ended();
        shared.as_deref().is_some_and(is_open)
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.shared.is_empty()
    }

    /// Closes the connection if it has carried no call since this was last asked.
    pub(super) fn close_unused(&self) {
        if let Some(shared) = self.shared.load_full()
            && shared.is_unused()
        {
            // Calls that have begun meanwhile hold it, and end on it.
            self.shared.store(None);
        }
    }

    /// Closes the connection if it carries no call.
    pub(super) fn close_idle(&self) {
        if let Some(shared) = self.shared.load_full()
            && shared.is_idle()
        {
            self.shared.store(None);
        }
    }

    /// Closes the connection that all calls share, if no call has it. One that is
    /// read elsewhere is none of those that are counted here.
    pub(super) fn give_way(&self) -> bool {
        let is_spare = |connection: &SharedConnection| {
            if connection.is_bidirectional() {
                return false;
            }
            connection.is_idle()
        };
        // Meanwhile nobody opens another, nor waits here: who has it may be the one
        // for whom room is sought.
        let Some(_opening) = self.opening.try_lock() else {
            return false;
        };
        if !self.shared.load().as_deref().is_some_and(is_spare) {
            return false;
        }
        let Some(connection) = self.shared.swap(None) else {
            return false;
        };
        // From here on no call can get it; but one may have just before.
        let is_spare = Arc::strong_count(&connection) == 1;
        if !is_spare {
            self.shared.store(Some(connection));
        }
        is_spare
    }
}
