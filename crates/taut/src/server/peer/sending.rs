//! The messages that are sent to the client.

use std::io::{self, ErrorKind, IoSlice};
use std::time::{Duration, Instant};

use taut_cdr::Encoder;
use taut_giop::Version;
use taut_giop::message::MessageType;

use super::Peer;
use crate::counters;
use crate::server::outbox::Outbox;

/// The longest single wait for room in a socket's buffer, where no time-out ends it.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Peer {
    /// Sends octets, or promises to, where the sender must not wait.
    #[inline(always)]
    pub(in crate::server) fn send(&self, octets: &[u8]) -> io::Result<()> {
        if let Some(outbox) = self.outbox() {
            return self.post_one(outbox, octets);
        }
        match self.stream.try_send(octets) {
            Ok(sent) if sent == octets.len() => Ok(()),
            sent => self.send_rest(&mut [IoSlice::new(octets)], sent, &mut None),
        }
    }

    /// Sends what a first attempt has left of `parts`, and waits for the client to take
    /// it. All of a reply has one deadline, which is set the first time that it has to
    /// wait: a client that takes a little now and then does not put it off.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimedOut`] when the client has not taken it in time; what else the
    /// operating system answers. The connection is closed then.
    #[cold]
    #[inline(never)]
    fn send_rest(
        &self,
        mut parts: &mut [IoSlice<'_>],
        sent: io::Result<usize>,
        deadline: &mut Option<Instant>,
    ) -> io::Result<()> {
        match sent {
            Ok(sent) => IoSlice::advance_slices(&mut parts, sent),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        let time = Some(self.message_timeout).filter(|time| !time.is_zero());
        let set_deadline = || time.and_then(|time| Instant::now().checked_add(time));
        *deadline = deadline.or_else(set_deadline);
        self.account
            .add(&self.this, parts.iter().map(|part| part.len()).sum());
        self.account.enforce();
        let done = self.send_until(parts, *deadline);
        self.account.clear();
        if let Err(error) = &done
            && error.kind() == ErrorKind::TimedOut
        {
            counters::server::timed_out("message");
            tracing::warn!(
                peer = self.name(),
                setting = "limits.message_timeout",
                "a message took too long to arrive or to be taken, closing the connection"
            );
        }
        done.inspect_err(|_| self.abort())
    }

    fn send_until(
        &self,
        mut parts: &mut [IoSlice<'_>],
        deadline: Option<Instant>,
    ) -> io::Result<()> {
        while !parts.is_empty() {
            match self.stream.try_send_parts(parts) {
                Ok(sent) => IoSlice::advance_slices(&mut parts, sent),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if parts.is_empty() {
                break;
            }
            let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
            match deadline.map_or(LONGEST_WAIT, left) {
                Duration::ZERO => return Err(ErrorKind::TimedOut.into()),
                left => self.stream.wait_for_room(left)?,
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn post_one(&self, outbox: &Outbox, octets: &[u8]) -> io::Result<()> {
        self.post(outbox, &mut [IoSlice::new(octets)])
    }

    #[inline]
    fn post(&self, outbox: &Outbox, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let has_room = outbox.send(&self.stream, parts, (&self.account, &self.this))?;
        if !has_room {
            self.note_congestion();
        }
        Ok(())
    }

    /// The client has to take what waits, and in time.
    #[cold]
    #[inline(never)]
    pub(super) fn note_congestion(&self) {
        let deadline = Instant::now().checked_add(self.message_timeout);
        let mut deadlines = self.deadlines.lock();
        deadlines.departure = deadlines.departure.or(deadline);
        drop(deadlines);
        self.account.enforce();
    }

    /// Whether a message of so many octets is sent in one piece.
    #[inline]
    pub(in crate::server) fn sends_whole(&self, octets: usize) -> bool {
        self.fragmentation.is_one_piece(octets)
    }

    /// Sends a whole message, in fragments if it is too large.
    #[inline(always)]
    pub(in crate::server) fn send_message(&self, message: &[u8]) -> io::Result<()> {
        if self.fragmentation.is_one_piece(message.len()) {
            return self.send(message);
        }
        self.send_in_fragments(message)
    }

    #[cold]
    #[inline(never)]
    fn send_in_fragments(&self, message: &[u8]) -> io::Result<()> {
        let mut deadline = None;
        self.fragmentation
            .send_pieces(message, &mut |parts| self.send_parts(parts, &mut deadline))
    }

    /// [`send`](Self::send) of two parts, in one go. They are parts of a reply that has
    /// had to wait before if it has a deadline.
    fn send_parts(&self, parts: [&[u8]; 2], deadline: &mut Option<Instant>) -> io::Result<()> {
        let mut parts = parts.map(IoSlice::new);
        if let Some(outbox) = self.outbox() {
            return self.post(outbox, &mut parts);
        }
        match self.stream.try_send_parts(&parts) {
            Ok(sent) if sent == parts.iter().map(|part| part.len()).sum() => Ok(()),
            sent => self.send_rest(&mut parts, sent, deadline),
        }
    }

    /// Sends the message that was written, with its tail if it has one.
    #[inline(always)]
    pub(in crate::server) fn send_written(&self, message: &Encoder) -> io::Result<()> {
        match message.tail() {
            [] => self.send_message(message.as_bytes()),
            tail => self.send_with_tail(message.as_bytes(), tail),
        }
    }

    #[cold]
    #[inline(never)]
    fn send_with_tail(&self, message: &[u8], tail: &[u8]) -> io::Result<()> {
        match self.fragmentation.is_one_piece(message.len() + tail.len()) {
            true => self.send_parts([message, tail], &mut None),
            false => self.send_in_fragments(&[message, tail].concat()),
        }
    }

    /// Whether the client does not take its replies.
    #[inline]
    pub(in crate::server) fn is_congested(&self) -> bool {
        self.outbox().is_some_and(Outbox::is_congested)
    }

    /// Sends what waits, as far as there is room. True when nothing waits any
    /// more.
    pub(in crate::server) fn flush(&self) -> io::Result<bool> {
        let Some(outbox) = self.outbox() else {
            return Ok(true);
        };
        let is_empty = outbox.flush(&self.stream, &self.account)?;
        if is_empty && !self.duty.is_closing() {
            self.deadlines.lock().departure = None;
        }
        Ok(is_empty)
    }

    pub(in crate::server) fn send_bodyless(&self, version: Version, message_type: MessageType) {
        // The peer may be gone; then it needs no message.
        let message = self.messaging().bodyless(version, message_type);
        let _ = self.send(message.as_bytes());
    }

    /// Sends a last message and half-closes the connection, so that no reply to a request
    /// that is under way comes between or behind.
    pub(in crate::server) fn leave_with(&self, version: Version, message_type: MessageType) {
        let message = self.messaging().bodyless(version, message_type);
        self.leave_with_octets(message.as_bytes());
    }

    /// [`leave_with`](Self::leave_with) a message that is there already.
    pub(in crate::server) fn leave_with_octets(&self, message: &[u8]) {
        let Some(outbox) = self.outbox() else {
            // Only the thread that serves the connection sends. The peer may be gone; then
            // it needs no message.
            let _ = self.send(message);
            return self.stop_sending();
        };
        self.set_departure();
        let sent = outbox.send_last(&self.stream, message, (&self.account, &self.this));
        if let Ok(false) = sent {
            self.note_congestion();
        }
    }

    /// [`leave_with`](Self::leave_with), by a thread that must not wait for the client.
    pub(in crate::server) fn leave_at_once_with(&self, version: Version, of: MessageType) {
        if self.outbox().is_some() {
            return self.leave_with(version, of);
        }
        self.send_bodyless_at_once(version, of);
        self.stop_sending();
    }

    /// [`send_bodyless`](Self::send_bodyless), by a thread that must not wait for a client
    /// that takes nothing, which does not get it then.
    pub(in crate::server) fn send_bodyless_at_once(
        &self,
        version: Version,
        message_type: MessageType,
    ) {
        let message = self.messaging().bodyless(version, message_type);
        let message = message.as_bytes();
        if let Some(outbox) = self.outbox() {
            let _ = self.post_one(outbox, message);
            return;
        }
        let _ = self.stream.try_send(message);
    }
}
