//! What is sent to the client.

use std::io::{self, IoSlice};
#[cfg(feature = "reactor")]
use std::time::Instant;

use taut_cdr::Encoder;
use taut_giop::Version;
use taut_giop::framing::Fragments;
use taut_giop::message::{MessageHeader, MessageType};

use super::Peer;
#[cfg(feature = "reactor")]
use crate::server::outbox::Outbox;

impl Peer {
    /// Sends octets, or promises to, where the sender must not wait.
    #[inline(always)]
    pub(in crate::server) fn send(&self, octets: &[u8]) -> io::Result<()> {
        #[cfg(feature = "reactor")]
        if let Some(outbox) = self.outbox.get() {
            return self.post_one(outbox, octets);
        }
        self.stream.send(octets)
    }

    #[cfg(feature = "reactor")]
    #[inline(never)]
    fn post_one(&self, outbox: &Outbox, octets: &[u8]) -> io::Result<()> {
        self.post(outbox, &mut [IoSlice::new(octets)])
    }

    #[cfg(feature = "reactor")]
    #[inline]
    fn post(&self, outbox: &Outbox, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let has_room = outbox.send(&self.stream, parts)?;
        if !has_room {
            self.note_congestion();
        }
        Ok(())
    }

    /// The client has to take what waits, and in time.
    #[cfg(feature = "reactor")]
    #[cold]
    #[inline(never)]
    fn note_congestion(&self) {
        let deadline = Instant::now().checked_add(self.message_timeout);
        let departure = &mut self.deadlines.lock().departure;
        *departure = departure.or(deadline);
    }

    /// Sends a whole message, in fragments if it is too large.
    #[inline(always)]
    pub(in crate::server) fn send_message(&self, message: &[u8]) -> io::Result<()> {
        if message.len() <= self.fragment_size {
            return self.send(message);
        }
        self.send_in_fragments(message)
    }

    #[cold]
    #[inline(never)]
    fn send_in_fragments(&self, message: &[u8]) -> io::Result<()> {
        let not_whole = || io::Error::other("what is to be sent is no whole message");
        for piece in Fragments::new(message, self.fragment_size).ok_or_else(not_whole)? {
            self.send_parts([piece.head(), piece.payload])?;
        }
        Ok(())
    }

    /// [`send`](Self::send) of two parts, in one go.
    fn send_parts(&self, parts: [&[u8]; 2]) -> io::Result<()> {
        let mut parts = parts.map(IoSlice::new);
        #[cfg(feature = "reactor")]
        if let Some(outbox) = self.outbox.get() {
            return self.post(outbox, &mut parts);
        }
        self.stream.send_parts(&mut parts)
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
        match message.len() + tail.len() <= self.fragment_size {
            true => self.send_parts([message, tail]),
            false => self.send_in_fragments(&[message, tail].concat()),
        }
    }

    /// Whether the client does not take its replies.
    #[inline]
    pub(in crate::server) fn is_congested(&self) -> bool {
        #[cfg(feature = "reactor")]
        return self.outbox.get().is_some_and(Outbox::is_congested);
        // Whoever sends waits.
        #[cfg(not(feature = "reactor"))]
        false
    }

    /// Sends what waits, as far as there is room. True when nothing waits any
    /// more.
    #[cfg(feature = "reactor")]
    pub(in crate::server) fn flush(&self) -> io::Result<bool> {
        let Some(outbox) = self.outbox.get() else {
            return Ok(true);
        };
        let is_empty = outbox.flush(&self.stream)?;
        if is_empty && !self.duty.is_closing() {
            self.deadlines.lock().departure = None;
        }
        Ok(is_empty)
    }

    pub(in crate::server) fn send_bodyless(&self, version: Version, message_type: MessageType) {
        // The peer may be gone; then it needs no message.
        let _ = self.send(&MessageHeader::bodyless(version, message_type).to_bytes());
    }
}
