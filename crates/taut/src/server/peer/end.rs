//! How a connection ends: by a goodbye, or because its client does nothing.

use std::sync::atomic::Ordering;
use std::time::Instant;

use taut_giop::Version;
use taut_giop::message::MessageType;

use super::{Deadlines, Idleness, Peer};
use crate::counters;
use crate::server::duty::Rest;

impl Peer {
    /// Closes the connection as soon as what is under way has been answered. The caller
    /// does not wait, not even for a client that takes nothing.
    pub(in crate::server) fn close(&self) {
        if self.duty.close() == Rest::Goodbye {
            self.leave_at_once_with(self.version(), MessageType::CloseConnection);
        }
    }

    /// [`close`](Self::close), by the thread that serves the connection, which may wait
    /// for the client to take the goodbye. It doesn't wait for requests under way: the
    /// thread that ends the last of them says goodbye then.
    pub(in crate::server) fn close_by_own_thread(&self) {
        if self.duty.close() == Rest::Goodbye {
            self.say_goodbye();
        }
    }

    /// Closes the connection without ceremony.
    pub(in crate::server) fn abort(&self) {
        self.stream.stop();
    }

    /// Closes the connection if nothing has happened since this was last asked,
    /// and ends it if it has been closed then.
    pub(in crate::server) fn close_if_idle(&self) {
        let received = self.tally.received();
        let has_moved = self.received_before.swap(received, Ordering::Relaxed) != received;
        let has_moved = has_moved || self.client_role().is_some_and(|calls| !calls.is_idle());
        if has_moved || self.is_busy() {
            return;
        }
        if self.duty.is_closing() {
            self.abort();
        } else {
            counters::server::timed_out("idle");
            tracing::debug!(
                peer = self.name(),
                "idle for too long, closing the connection"
            );
            self.close();
        }
    }

    /// How long nothing has happened here; none where something is under way, or where
    /// this ORB's calls to the client go.
    pub(in crate::server) fn idleness(&self) -> Option<Idleness> {
        if self.client_role().is_some() {
            return None;
        }
        if self.is_busy() || self.duty.is_closing() || self.is_congested() {
            return None;
        }
        let deadlines = self.deadlines.lock();
        if deadlines.arrival.is_some() || deadlines.departure.is_some() {
            return None;
        }
        if deadlines.received != self.tally.received() {
            return None; // something has arrived since it was last looked
        }
        match deadlines.used {
            None => Some(Idleness::Unused),
            Some(used) if used.elapsed() < self.least_idle_time => None,
            Some(used) => Some(Idleness::Since(used)),
        }
    }

    /// Closes the connection if its client has not done in time what it must,
    /// and ends it if it has not even closed in turn.
    pub(in crate::server) fn close_if_overdue(&self, now: Instant) {
        let is_over = |deadline: Option<Instant>| deadline.is_some_and(|time| time <= now);
        let (arrival, departure) = {
            let mut deadlines = self.deadlines.lock();
            deadlines.note_use(self.tally.received(), now);
            let is_late = is_over(deadlines.arrival) && !self.is_unread_in_time(&deadlines, now);
            let over = (is_late, is_over(deadlines.departure));
            if over.0 {
                deadlines.arrival = None;
            }
            if over.1 {
                deadlines.departure = now.checked_add(self.drain_timeout);
            }
            over
        };
        if departure && self.duty.is_closing() {
            self.abort();
        } else if arrival || departure {
            counters::server::timed_out("message");
            tracing::warn!(
                peer = self.name(),
                "a message took too long to arrive or to be taken, closing the connection"
            );
            self.close();
        }
    }

    /// Tells whether more of an overdue message has arrived that this process has not come
    /// to read: a busy server does not hold that against its client, but no longer than
    /// `limits.message_timeout`.
    #[cold]
    fn is_unread_in_time(&self, deadlines: &Deadlines, now: Instant) -> bool {
        let limit = deadlines
            .arrival
            .and_then(|deadline| deadline.checked_add(self.message_timeout));
        limit.is_none_or(|limit| now < limit) && self.stream.has_arrived()
    }

    /// Says by when the message that is arriving must have arrived.
    pub(in crate::server) fn set_arrival_deadline(&self, deadline: Option<Instant>) {
        self.deadlines.lock().arrival = deadline;
    }

    /// Sends CloseConnection, by which the client knows that what it still
    /// sends has not been begun, and half-closes (CORBA 3.3 part 2, 9.4.7).
    pub(in crate::server) fn say_goodbye(&self) {
        self.leave_with(self.version(), MessageType::CloseConnection);
    }

    /// Notes in which version of GIOP the client speaks. Plain requests need no note:
    /// they all are of GIOP 1.2, see [`version`](Self::version).
    pub(in crate::server) fn note_version(&self, version: Version) {
        let is_noted = self.noted_version.load(Ordering::Relaxed) > version.minor;
        if !is_noted && version.is_supported() {
            self.noted_version
                .fetch_max(version.minor + 1, Ordering::Relaxed);
        }
    }

    /// Notes the version of the messages before the last `unread` octets, if none was
    /// noted so far: they were plain requests.
    pub(in crate::server) fn note_version_before(&self, unread: usize) {
        if self.noted_version.load(Ordering::Relaxed) == 0 && self.tally.received() > unread as u64
        {
            self.note_version(Version::V1_2);
        }
    }

    /// Notes the version of a message that begins with these octets, if they tell it.
    pub(in crate::server) fn note_version_of(&self, octets: &[u8]) {
        if let Some(version) = self.messaging().version_of(octets) {
            self.note_version(version);
        }
    }

    /// The version of GIOP of messages that answer no request: the highest that was noted
    /// on the connection. If none was, all that came were plain requests, which are of
    /// GIOP 1.2. Before the client has sent a header, it is 1.0, which every client
    /// understands.
    pub(in crate::server) fn version(&self) -> Version {
        match self.noted_version.load(Ordering::Relaxed).checked_sub(1) {
            Some(minor) => Version::new(1, minor),
            None if self.tally.received() < self.messaging().header_size() as u64 => Version::V1_0,
            None => Version::V1_2,
        }
    }

    /// Half-closes, once everything has been sent; the client has to close too,
    /// and in time.
    pub(in crate::server) fn stop_sending(&self) {
        self.set_departure();
        if let Some(outbox) = self.outbox() {
            return outbox.stop_sending(&self.stream);
        }
        self.stream.stop_sending();
    }

    /// Says by when the client has to close, too.
    pub(super) fn set_departure(&self) {
        self.deadlines.lock().departure = Instant::now().checked_add(self.drain_timeout);
    }
}

impl Deadlines {
    /// Notes when it is found that further octets have arrived.
    fn note_use(&mut self, received: u64, now: Instant) {
        if self.received != received {
            self.received = received;
            self.used = Some(now);
        }
    }
}
