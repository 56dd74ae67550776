//! How a connection ends: by a goodbye, or because its client does nothing.

use std::sync::atomic::Ordering;
use std::time::Instant;

use taut_giop::Version;
use taut_giop::message::MessageType;

use super::Peer;
use crate::counters;
use crate::server::duty::Rest;

impl Peer {
    /// Closes the connection as soon as what is under way has been answered.
    pub(in crate::server) fn close(&self) {
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
        #[cfg(feature = "bidirectional")]
        let has_moved = has_moved || self.calls().is_some_and(|calls| !calls.is_idle());
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

    /// Closes the connection if its client has not done in time what it must,
    /// and ends it if it has not even closed in turn.
    pub(in crate::server) fn close_if_overdue(&self, now: Instant) {
        let is_over = |deadline: Option<Instant>| deadline.is_some_and(|time| time <= now);
        let (arrival, departure) = {
            let mut deadlines = self.deadlines.lock();
            let over = (is_over(deadlines.arrival), is_over(deadlines.departure));
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

    /// Says by when the message that is arriving must have arrived.
    pub(in crate::server) fn set_arrival_deadline(&self, deadline: Option<Instant>) {
        self.deadlines.lock().arrival = deadline;
    }

    /// Sends CloseConnection, by which the client knows that what it still
    /// sends has not been begun, and half-closes (CORBA 3.3 part 2, 9.4.7).
    pub(in crate::server) fn say_goodbye(&self) {
        self.send_bodyless(Version::V1_0, MessageType::CloseConnection);
        self.stop_sending();
    }

    /// Half-closes, once everything has been sent; the client has to close too,
    /// and in time.
    pub(in crate::server) fn stop_sending(&self) {
        self.deadlines.lock().departure = Instant::now().checked_add(self.drain_timeout);
        #[cfg(feature = "reactor")]
        if let Some(outbox) = self.outbox.get() {
            return outbox.stop_sending(&self.stream);
        }
        self.stream.stop_sending();
    }
}
