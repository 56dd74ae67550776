//! A connection that a client opened, as all threads may touch it.

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taut_giop::Version;
use taut_giop::framing::Fragments;
use taut_giop::message::{MessageHeader, MessageType};

use super::outbox::Outbox;
use crate::settings::Settings;
use crate::transport::Stream;

/// A request is being carried out.
const BUSY: u8 = 1;
/// No further request will be.
const CLOSING: u8 = 2;

/// A connection, as others than the thread that serves it may touch it: to
/// close it.
#[derive(Debug)]
pub(super) struct Peer {
    stream: Stream,
    /// Larger messages are sent in pieces of this size.
    fragment_size: usize,
    /// The client's address. Asked once: a socket that failed has none.
    address: Option<IpAddr>,
    /// `BUSY` and `CLOSING`. Whoever finds the connection closing and not busy
    /// says goodbye: the closer, or the thread when its request is done.
    state: AtomicU8,
    /// Counts what happens; only the thread that serves the connection writes it.
    events: AtomicU64,
    /// `events` when it was last looked at, to find idle connections.
    events_seen: AtomicU64,
    /// When the client must have sent, or taken, what is under way.
    deadline: Mutex<Option<Instant>>,
    /// What waits to be sent, where sending must not wait.
    outbox: Option<Outbox>,
}

impl Peer {
    /// A connection whose thread may wait while it sends.
    pub(super) fn waiting(stream: Stream, settings: &Settings) -> Self {
        Self {
            address: stream.peer_ip(),
            stream,
            fragment_size: settings.fragment_size,
            state: AtomicU8::new(0),
            events: AtomicU64::new(0),
            events_seen: AtomicU64::new(u64::MAX),
            deadline: Mutex::new(None),
            outbox: None,
        }
    }

    /// A connection that is served with others, for which nobody waits.
    pub(super) fn reactive(stream: Stream, settings: &Settings) -> Self {
        Self {
            outbox: Some(Outbox::default()),
            ..Self::waiting(stream, settings)
        }
    }

    /// Who is at the other end.
    pub(super) fn name(&self) -> &str {
        self.stream.peer()
    }

    /// The address of the client's machine.
    pub(super) fn address(&self) -> Option<IpAddr> {
        self.address
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// What waits to be sent; none where the sender waits.
    pub(super) fn outbox(&self) -> Option<&Outbox> {
        self.outbox.as_ref()
    }

    /// Sends octets, or promises to, where the sender must not wait.
    #[inline]
    pub(super) fn send(&self, octets: &[u8]) -> io::Result<()> {
        match &self.outbox {
            None => self.stream.send(octets),
            Some(outbox) => outbox.send(&self.stream, octets),
        }
    }

    /// Sends a whole message, in fragments if it is too large.
    #[inline]
    pub(super) fn send_message(&self, message: &[u8]) -> io::Result<()> {
        if message.len() <= self.fragment_size {
            return self.send(message);
        }
        self.send_in_fragments(message)
    }

    #[cold]
    fn send_in_fragments(&self, message: &[u8]) -> io::Result<()> {
        let not_whole = || io::Error::other("what is to be sent is no whole message");
        for piece in Fragments::new(message, self.fragment_size).ok_or_else(not_whole)? {
            match &self.outbox {
                None => {
                    let parts = [piece.head(), piece.payload];
                    self.stream.send_parts(&mut parts.map(IoSlice::new))?;
                }
                Some(outbox) => {
                    outbox.send(&self.stream, piece.head())?;
                    outbox.send(&self.stream, piece.payload)?;
                }
            }
        }
        Ok(())
    }

    /// Half-closes, once everything has been sent.
    pub(super) fn stop_sending(&self) {
        match &self.outbox {
            None => self.stream.stop_sending(),
            Some(outbox) => outbox.stop_sending(&self.stream),
        }
    }

    /// Whether a request is being carried out.
    pub(super) fn is_busy(&self) -> bool {
        self.state.load(Ordering::Acquire) & BUSY != 0
    }

    /// Closes the connection as soon as the request that runs, if one does,
    /// has been answered.
    pub(super) fn close(&self) {
        if self.state.fetch_or(CLOSING, Ordering::AcqRel) == 0 {
            self.say_goodbye();
        }
    }

    /// Closes the connection without ceremony.
    pub(super) fn abort(&self) {
        self.stream.stop();
    }

    /// Closes the connection if nothing has happened since this was last asked,
    /// and ends it if it has been closed then.
    pub(super) fn close_if_idle(&self) {
        let events = self.events.load(Ordering::Relaxed);
        if self.events_seen.swap(events, Ordering::Relaxed) != events || self.is_busy() {
            return;
        }
        if self.state.load(Ordering::Acquire) & CLOSING == 0 {
            tracing::debug!(
                peer = self.name(),
                "idle for too long, closing the connection"
            );
            self.close();
        } else {
            self.abort();
        }
    }

    /// Closes the connection if its client has not done in time what it must,
    /// and ends it if it has not even closed in turn within `drain_timeout`.
    pub(super) fn close_if_overdue(&self, now: Instant, drain_timeout: Duration) {
        {
            let mut deadline = self.deadline.lock();
            if deadline.is_none_or(|deadline| deadline > now) {
                return;
            }
            *deadline = now.checked_add(drain_timeout);
        }
        if self.state.load(Ordering::Acquire) & CLOSING == 0 {
            tracing::debug!(
                peer = self.name(),
                "a message took too long to arrive or to be taken, closing the connection"
            );
            self.close();
        } else {
            self.abort();
        }
    }

    /// Says by when the client must have sent or taken what is under way.
    pub(super) fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock() = deadline;
    }

    /// Notes that something has arrived.
    #[inline]
    pub(super) fn note_event(&self) {
        // No other thread writes it, so reading and writing need not be one.
        let events = self.events.load(Ordering::Relaxed);
        self.events.store(events.wrapping_add(1), Ordering::Relaxed);
    }

    /// Begins a request, unless the connection is closing.
    #[inline]
    pub(super) fn begin_request(&self) -> bool {
        self.state
            .compare_exchange(0, BUSY, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Ends a request. False when the connection has been closed meanwhile.
    #[inline]
    pub(super) fn end_request(&self) -> bool {
        if self.state.fetch_and(!BUSY, Ordering::AcqRel) & CLOSING == 0 {
            return true;
        }
        self.say_goodbye();
        false
    }

    /// Sends CloseConnection, by which the client knows that what it still
    /// sends has not been begun, and half-closes (CORBA 3.3 part 2, 9.4.7).
    fn say_goodbye(&self) {
        self.send_bodyless(Version::V1_0, MessageType::CloseConnection);
        self.stop_sending();
    }

    pub(super) fn send_bodyless(&self, version: Version, message_type: MessageType) {
        // The peer may be gone; then it needs no message.
        let _ = self.send(&MessageHeader::bodyless(version, message_type).to_bytes());
    }
}
