//! The receiving side of a connection.

use taut_giop::framing::Reassembled;
use taut_giop::message::MessageHeader;

use super::ConnectionFault;
use crate::message::{Message, reserve_for};
use crate::messaging::{Assembly, Found, Messaging};
use crate::settings::Settings;
use crate::waiting::Waiting;

/// The receiving side of a connection.
#[derive(Debug)]
pub(super) struct Incoming {
    /// How long replies take. It goes with the thread that reads, and lies apart for those
    /// that block.
    pub(super) waiting: Box<Waiting>,
    assembly: Assembly,
    /// Whether it has made a message of what arrived.
    has_spoken: bool,
    /// Octets that arrived behind the last message, from `taken` on.
    surplus: Vec<u8>,
    taken: usize,
}

impl Incoming {
    pub(super) fn new(messaging: Messaging, settings: &Settings) -> Self {
        Self {
            waiting: Box::new(Waiting::new(settings)),
            assembly: Assembly::new(messaging, settings),
            has_spoken: false,
            surplus: Vec::new(),
            taken: 0,
        }
    }

    /// Makes one whole message of the octets in `message` and those that
    /// `receive` appends when they are not enough. Octets behind the message
    /// are kept for the next.
    pub(super) fn complete(
        &mut self,
        message: &mut Message,
        receive: impl FnMut(&mut Waiting, &mut Vec<u8>) -> Result<(), ConnectionFault>,
    ) -> Result<MessageHeader, ConnectionFault> {
        let header = self.read(message, receive)?;
        self.has_spoken = true;
        Ok(header)
    }

    fn read(
        &mut self,
        message: &mut Message,
        mut receive: impl FnMut(&mut Waiting, &mut Vec<u8>) -> Result<(), ConnectionFault>,
    ) -> Result<MessageHeader, ConnectionFault> {
        if self.has_surplus() {
            if message.octets.is_empty()
                && let Some(header) = self.next_of_surplus(message)?
            {
                return Ok(header);
            }
            let rest = self.surplus.drain(self.taken..);
            message.octets.splice(..0, rest);
            self.surplus.clear();
            self.taken = 0;
        }
        loop {
            let buffer = &mut message.octets;
            let mut start = 0;
            let found = self.assembly.next(buffer, &mut start);
            match found.map_err(|error| ConnectionFault::of_framing(error, self.has_spoken))? {
                Found::Message { header, range } => {
                    self.surplus.extend_from_slice(&buffer[range.end..]);
                    buffer.truncate(range.end);
                    buffer.drain(..range.start);
                    return Ok(header);
                }
                Found::Reassembled(whole) => {
                    self.surplus.extend_from_slice(&buffer[start..]);
                    return Ok(take_reassembled(message, whole));
                }
                Found::Part { needed } => {
                    buffer.drain(..start);
                    reserve_for(buffer, needed);
                    receive(&mut self.waiting, buffer)?;
                }
            }
        }
    }

    /// The next message, if all of it is in the surplus. One after the other is
    /// taken without the others being moved.
    fn next_of_surplus(
        &mut self,
        message: &mut Message,
    ) -> Result<Option<MessageHeader>, ConnectionFault> {
        let found = self.assembly.next(&self.surplus, &mut self.taken);
        Ok(
            match found.map_err(|error| ConnectionFault::of_framing(error, self.has_spoken))? {
                Found::Message { header, range } => {
                    message.octets.extend_from_slice(&self.surplus[range]);
                    Some(header)
                }
                Found::Reassembled(whole) => Some(take_reassembled(message, whole)),
                Found::Part { .. } => None,
            },
        )
    }

    /// Drops what has been kept for longer than `limits.message_timeout`, and at most twice as
    /// long, of messages in fragments for which nobody waits.
    pub(super) fn drop_old_fragments(&mut self, is_awaited: impl Fn(u32) -> bool) {
        self.assembly.drop_old_fragments(is_awaited);
    }

    /// Takes back what has arrived of a message that is not complete.
    pub(super) fn put_back(&mut self, octets: &mut Vec<u8>) {
        self.surplus.append(octets);
    }

    /// Whether more has arrived than one message.
    #[inline]
    pub(super) fn has_surplus(&self) -> bool {
        self.taken < self.surplus.len()
    }
}

/// Makes `message` the one that came in fragments, and returns its header.
fn take_reassembled(message: &mut Message, whole: Reassembled) -> MessageHeader {
    message.octets = whole.bytes;
    message.realign(whole.realignments);
    whole.header
}
