//! Oneways that leave together (`SYNC_NONE`).

use std::io::{self, ErrorKind, IoSlice};
use std::time::{Duration, Instant};

use crate::buffer_pool::MAX_KEPT_CAPACITY;
use crate::counters;
use crate::transport::Stream;

/// How long to wait for room before it is asked whether that is still wanted.
const ROOM_PATIENCE: Duration = Duration::from_millis(100);

/// Messages one behind the other, whole or in fragments, which leave in one piece. One
/// that ends before it has left is lost, and that is counted.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    octets: Vec<u8>,
    messages: usize,
    /// How many octets have left.
    sent: usize,
    /// Whether one of the messages tells the code sets.
    is_introduced: bool,
}

impl Batch {
    /// Whether nothing is to be sent.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.octets.is_empty()
    }

    /// How many messages there are, of which the first may have left in part.
    pub(super) fn messages(&self) -> usize {
        self.messages
    }

    /// The octets that have not left.
    pub(super) fn rest(&self) -> &[u8] {
        &self.octets[self.sent..]
    }

    /// Whether one of the messages tells the code sets.
    pub(super) fn is_introduced(&self) -> bool {
        self.is_introduced
    }

    /// Adds the octets of a message, which tells the code sets or does not.
    pub(super) fn push(&mut self, octets: &[u8], is_introduced: bool) {
        self.octets.extend_from_slice(octets);
        self.messages += 1;
        self.is_introduced |= is_introduced;
    }

    /// Moves all of another to the end of this one.
    pub(super) fn append(&mut self, other: &mut Self) {
        if self.is_empty() {
            std::mem::swap(self, other);
            return;
        }
        self.octets.extend_from_slice(other.rest());
        self.messages += other.messages;
        self.is_introduced |= other.is_introduced;
        other.clear();
    }

    /// Notes that all of it has left. The memory is kept for the next.
    pub(super) fn clear(&mut self) {
        if self.octets.capacity() > MAX_KEPT_CAPACITY {
            self.octets = Vec::new();
        }
        self.octets.clear();
        self.messages = 0;
        self.sent = 0;
        self.is_introduced = false;
    }

    /// Sends what there is room for. True when all of it has left.
    pub(super) fn try_send(&mut self, stream: &Stream) -> io::Result<bool> {
        while self.sent < self.octets.len() {
            match stream.try_send(self.rest()) {
                Ok(more) => self.sent += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        self.clear();
        Ok(true)
    }

    /// Sends all of it, and waits for room as long as `goes_on` says.
    pub(super) fn send(&mut self, stream: &Stream, goes_on: &dyn Fn() -> bool) -> io::Result<()> {
        while !self.try_send(stream)? {
            if !goes_on() {
                return Err(ErrorKind::TimedOut.into());
            }
            stream.wait_for_room(ROOM_PATIENCE)?;
        }
        Ok(())
    }

    /// Sends all of it by a deadline, and adds what leaves to `sent`. Octets that have left
    /// by then stay sent, and the rest can be sent later.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimedOut`] when some has not left by the deadline.
    pub(super) fn send_until(
        &mut self,
        stream: &Stream,
        deadline: Instant,
        sent: &mut u64,
    ) -> io::Result<()> {
        let mut left = 0;
        let done = stream.send_parts_until(&mut [IoSlice::new(self.rest())], deadline, &mut left);
        *sent += left;
        self.sent += left as usize;
        done.map(|()| self.clear())
    }

    /// Gives the messages up, for this reason.
    pub(super) fn lose(&mut self, reason: &'static str) {
        if self.messages > 0 {
            let lost = self.messages;
            counters::client::oneways_lost(reason, lost);
            tracing::warn!(lost, reason, "oneways were lost");
        }
        self.clear();
    }
}

/// Messages that end with their connection are lost.
impl Drop for Batch {
    fn drop(&mut self) {
        self.lose("connection");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_comes_behind_and_keeps_what_it_tells() {
        let mut one = Batch::default();
        one.push(b"one", false);
        let mut other = Batch::default();
        other.push(b"two", true);
        other.push(b"three", false);
        one.append(&mut other);
        assert_eq!((one.rest(), one.messages()), (&b"onetwothree"[..], 3));
        assert!(one.is_introduced() && other.is_empty() && !other.is_introduced());

        other.append(&mut one);
        assert_eq!((other.rest().len(), one.messages()), (11, 0));
        other.clear();
    }
}
