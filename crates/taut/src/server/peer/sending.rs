//! What is sent to the client.

use std::io::{self, IoSlice};
#[cfg(feature = "reactor")]
use std::time::Instant;

use taut_giop::Version;
use taut_giop::framing::Fragments;
use taut_giop::message::{MessageHeader, MessageType};

use super::Peer;
#[cfg(feature = "reactor")]
use crate::server::outbox::Outbox;

impl Peer {
    /// Sends octets, or promises to, where the sender must not wait.
    #[inline]
    pub(in crate::server) fn send(&self, octets: &[u8]) -> io::Result<()> {
        #[cfg(feature = "reactor")]
        if let Some(outbox) = self.outbox.get() {
            return self.post(outbox, &[octets]);
        }
        self.stream.send(octets)
    }

    #[cfg(feature = "reactor")]
    #[inline]
    fn post(&self, outbox: &Outbox, parts: &[&[u8]]) -> io::Result<()> {
        let has_room = outbox.send(&self.stream, parts)?;
        if !has_room {
            self.note_congestion();
        }
        Ok(())
    }

    /// The client has to take what waits, and in time.
    #[cfg(feature = "reactor")]
    #[cold]
    fn note_congestion(&self) {
        let deadline = Instant::now().checked_add(self.message_timeout);
        let departure = &mut self.deadlines.lock().departure;
        *departure = departure.or(deadline);
    }

    /// Sends a whole message, in fragments if it is too large.
    #[inline]
    pub(in crate::server) fn send_message(&self, message: &[u8]) -> io::Result<()> {
        if message.len() <= self.fragment_size {
            return self.send(message);
        }
        self.send_in_fragments(message)
    }

    #[cold]
    fn send_in_fragments(&self, message: &[u8]) -> io::Result<()> {
        let not_whole = || io::Error::other("what is to be sent is no whole message");
        for piece in Fragments::new(message, self.fragment_size).ok_or_else(not_whole)? {
            let parts = [piece.head(), piece.payload];
            #[cfg(feature = "reactor")]
            if let Some(outbox) = self.outbox.get() {
                self.post(outbox, &parts)?;
                continue;
            }
            self.stream.send_parts(&mut parts.map(IoSlice::new))?;
        }
        Ok(())
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
