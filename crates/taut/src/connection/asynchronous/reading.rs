//! Reading what arrives on a connection, without waiting.

use std::io::ErrorKind;
use std::sync::Arc;

use taut_giop::message::{MessageHeader, MessageType};

use super::calls::Wakers;
use super::connection::AsyncConnection;
use crate::connection::ConnectionFault;
use crate::connection::shared::answers::{Answers, answers};
use crate::message::{Message, reserve_for};
use crate::messaging::{Assembly, Found, Messaging};
use crate::settings::Settings;

/// The least room for what arrives.
const ROOM: usize = 64 * 1024;

/// A buffer that has grown beyond this is freed when it is empty.
const MAX_KEPT: usize = 1024 * 1024;

/// So many replies are delivered together at most.
const BATCH: usize = 128;

/// So many octets are read from one connection before the others have their turn.
const TURN: usize = 1024 * 1024;

/// The receiving side, which the engine's thread alone uses.
pub(super) struct Reading {
    assembly: Assembly,
    /// The octets that have arrived and are no whole message yet.
    buffer: Vec<u8>,
    /// Whether a message has come.
    has_spoken: bool,
    replies: Vec<(u32, MessageHeader, Message)>,
}

/// The next thing to do when all has been read that is there.
pub(super) enum Read {
    /// To wait for more.
    All,
    /// To go on, behind other connections.
    Some,
    /// The connection is over.
    Over {
        fault: ConnectionFault,
        said_goodbye: bool,
    },
}

impl Reading {
    pub(super) fn new(messaging: Messaging, settings: &Settings) -> Self {
        Self {
            assembly: Assembly::new(messaging, settings),
            buffer: Vec::new(),
            has_spoken: false,
            replies: Vec::new(),
        }
    }

    /// Finds messages in the buffer from `start` on, no more than are delivered together.
    /// Returns the octets that the next one needs, as far as that is known; none if there
    /// may be further messages.
    fn parse(
        &mut self,
        connection: &AsyncConnection,
        start: &mut usize,
    ) -> Result<Option<usize>, (ConnectionFault, bool)> {
        while self.replies.len() < BATCH {
            let found = self.assembly.next(&self.buffer, start);
            let (header, message) = match found {
                Ok(Found::Message { header, range }) => {
                    (header, Message::of(self.buffer[range].to_vec()))
                }
                Ok(Found::Reassembled(whole)) => {
                    let mut message = Message::of(whole.bytes);
                    message.realign(whole.realignments);
                    (whole.header, message)
                }
                Ok(Found::Part { needed }) => return Ok(Some(needed)),
                Err(error) => {
                    let fault = ConnectionFault::of_framing(error, self.has_spoken);
                    return Err((fault, false));
                }
            };
            self.has_spoken = true;
            match answers(connection.messaging, &header, &message, &connection.lists) {
                Answers::Call(request_id) => self.replies.push((request_id, header, message)),
                Answers::Goodbye => return Err((ConnectionFault::Closed, true)),
                Answers::Nothing => {
                    return Err((ConnectionFault::Unexpected(header.message_type), false));
                }
            }
        }
        Ok(None)
    }

    fn make_room(&mut self, needed: usize) {
        if self.buffer.is_empty() && self.buffer.capacity() > MAX_KEPT {
            self.buffer = Vec::new();
        }
        if self.buffer.capacity() - self.buffer.len() < ROOM / 4 {
            self.buffer.reserve(ROOM);
        }
        reserve_for(&mut self.buffer, needed);
    }
}

impl AsyncConnection {
    /// Reads what has arrived, and gives each call its reply.
    pub(super) fn read(self: &Arc<Self>, wakers: &mut Wakers) -> Read {
        let mut reading = self.reading.lock();
        let reading = &mut *reading;
        let (mut needed, mut read) = (0, 0);
        let over = |fault| Read::Over {
            fault,
            said_goodbye: false,
        };
        reading
            .assembly
            .drop_old_fragments(|request_id| self.awaits_reply(request_id));
        loop {
            reading.make_room(needed);
            let room = reading.buffer.capacity() - reading.buffer.len();
            let count = match self.stream.try_receive(&mut reading.buffer) {
                Ok(0) => return over(ConnectionFault::Closed.of_waiting(self.messaging, 2)),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Read::All,
                Err(error) => return over(ConnectionFault::from(error)),
            };
            let mut start = 0;
            needed = loop {
                let parsed = reading.parse(self, &mut start);
                let within_limit = self.deliver(&mut reading.replies, wakers);
                match parsed {
                    Err((fault, said_goodbye)) => {
                        return Read::Over {
                            fault,
                            said_goodbye,
                        };
                    }
                    Ok(_) if !within_limit => {
                        let limit = self.max_stray_replies;
                        return over(ConnectionFault::StrayReplies { limit });
                    }
                    Ok(Some(needed)) => break needed,
                    Ok(None) => {}
                }
            };
            reading.buffer.drain(..start);
            read += count;
            if self.stream.is_drained(count, room) {
                return Read::All;
            }
            if read > TURN {
                return Read::Some;
            }
        }
    }

    /// Ends the connection for all calls, because its peer broke the rules.
    #[cold]
    pub(crate) fn refuse(self: &Arc<Self>, found: MessageType) {
        let mut wakers = Wakers::new();
        self.end(ConnectionFault::Unexpected(found), false, None, &mut wakers);
        super::connection::wake(&mut wakers);
    }
}
