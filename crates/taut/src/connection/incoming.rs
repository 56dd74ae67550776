//! What arrives on a connection, made into messages.

use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::message::MessageHeader;

use super::ConnectionFault;
use crate::message::{Message, reserve_for};

/// The receiving side of a connection.
#[derive(Debug)]
pub(super) struct Incoming {
    framer: Framer,
    /// Octets that arrived behind the last message.
    surplus: Vec<u8>,
}

impl Incoming {
    pub(super) fn new(limits: FramingLimits) -> Self {
        Self {
            framer: Framer::new(limits),
            surplus: Vec::new(),
        }
    }

    /// Makes one whole message of the octets in `message` and those that
    /// `receive` appends when they are not enough. Octets behind the message
    /// are kept for the next.
    pub(super) fn complete(
        &mut self,
        message: &mut Message,
        mut receive: impl FnMut(&mut Vec<u8>) -> Result<(), ConnectionFault>,
    ) -> Result<MessageHeader, ConnectionFault> {
        let buffer = &mut message.octets;
        if !self.surplus.is_empty() {
            buffer.splice(..0, self.surplus.drain(..));
        }
        loop {
            match self.framer.next(buffer).map_err(ConnectionFault::Frame)? {
                Step::Message {
                    header, consumed, ..
                } => {
                    if consumed < buffer.len() {
                        self.surplus.extend_from_slice(&buffer[consumed..]);
                        buffer.truncate(consumed);
                    }
                    return Ok(header);
                }
                Step::Reassembled {
                    message: whole,
                    consumed,
                } => {
                    self.surplus.extend_from_slice(&buffer[consumed..]);
                    *buffer = whole.bytes;
                    message.realignments = whole.realignments;
                    return Ok(whole.header);
                }
                Step::Absorbed { consumed } => {
                    buffer.drain(..consumed);
                }
                Step::NeedMore { total } => {
                    reserve_for(buffer, total);
                    receive(buffer)?;
                }
            }
        }
    }

    /// Takes back what has arrived of a message that is not complete.
    pub(super) fn put_back(&mut self, octets: &mut Vec<u8>) {
        self.surplus.append(octets);
    }

    /// Whether more has arrived than one message.
    #[inline]
    pub(super) fn has_surplus(&self) -> bool {
        !self.surplus.is_empty()
    }
}
