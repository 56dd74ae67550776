//! What arrives on a connection, made into messages.

use std::time::Instant;

use taut_giop::framing::{Framer, Step};
use taut_giop::message::MessageHeader;

use super::ConnectionFault;
use crate::fragment_sweep::FragmentSweep;
use crate::message::{Message, reserve_for};
use crate::settings::Settings;
use crate::waiting::Waiting;

/// The receiving side of a connection.
#[derive(Debug)]
pub(super) struct Incoming {
    /// How long replies take. It goes with whoever reads, and is out of the way of who
    /// blocks.
    pub(super) waiting: Box<Waiting>,
    framer: Framer,
    /// Octets that arrived behind the last message, from `taken` on.
    surplus: Vec<u8>,
    taken: usize,
    fragment_sweep: FragmentSweep,
}

impl Incoming {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            waiting: Box::new(Waiting::new(settings)),
            framer: Framer::new(settings.framing),
            surplus: Vec::new(),
            taken: 0,
            fragment_sweep: FragmentSweep::every(settings.message_timeout),
        }
    }

    /// Makes one whole message of the octets in `message` and those that
    /// `receive` appends when they are not enough. Octets behind the message
    /// are kept for the next.
    pub(super) fn complete(
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
        let buffer = &mut message.octets;
        // The octets before it have been dealt with.
        let mut start = 0;
        loop {
            match self
                .framer
                .next(&buffer[start..])
                .map_err(ConnectionFault::Frame)?
            {
                Step::Message {
                    header, consumed, ..
                } => {
                    let end = start + consumed;
                    self.surplus.extend_from_slice(&buffer[end..]);
                    buffer.truncate(end);
                    buffer.drain(..start);
                    return Ok(header);
                }
                Step::Reassembled {
                    message: whole,
                    consumed,
                } => {
                    self.surplus.extend_from_slice(&buffer[start + consumed..]);
                    *buffer = whole.bytes;
                    message.realign(whole.realignments);
                    return Ok(whole.header);
                }
                Step::Absorbed { consumed } => start += consumed,
                Step::NeedMore { total } => {
                    buffer.drain(..start);
                    start = 0;
                    reserve_for(buffer, total);
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
        loop {
            let rest = &self.surplus[self.taken..];
            match self.framer.next(rest).map_err(ConnectionFault::Frame)? {
                Step::Message {
                    header,
                    bytes,
                    consumed,
                } => {
                    message.octets.extend_from_slice(bytes);
                    self.taken += consumed;
                    return Ok(Some(header));
                }
                Step::Reassembled {
                    message: whole,
                    consumed,
                } => {
                    self.taken += consumed;
                    message.octets = whole.bytes;
                    message.realign(whole.realignments);
                    return Ok(Some(whole.header));
                }
                Step::Absorbed { consumed } => self.taken += consumed,
                Step::NeedMore { .. } => return Ok(None),
            }
        }
    }

    /// Drops what has been kept for longer than `message_timeout`, and at most twice as
    /// long, of messages in fragments for which nobody waits.
    pub(super) fn drop_old_fragments(&mut self, is_awaited: impl Fn(u32) -> bool) {
        if self.framer.partial_messages() > 0 {
            let now = Instant::now();
            self.fragment_sweep.sweep(&mut self.framer, now, is_awaited);
        }
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
