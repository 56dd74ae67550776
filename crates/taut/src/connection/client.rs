//! One connection that this ORB opened.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use taut_giop::framing::{Framer, Step};
use taut_giop::message::{FrameError, MessageHeader};

use super::Outgoing;
use crate::message::Message;
use crate::settings::Settings;
use crate::transport::Stream;

/// An open connection, with what must be remembered from call to call.
#[derive(Debug)]
pub(crate) struct ClientConnection {
    stream: Stream,
    framer: Framer,
    /// Where requests are written.
    pub(crate) outgoing: Outgoing,
    /// Octets that arrived behind the last message.
    surplus: Vec<u8>,
    /// Even: odd ids belong to the side that accepts (CORBA 3.3 part 2, 9.4.2).
    next_request_id: u32,
    /// Whether a request has told the peer our transmission code sets.
    pub(crate) code_sets_sent: bool,
    /// What the peer's system had acknowledged when the connection was new.
    acknowledged_at_start: Option<u64>,
    /// Octets sent before the last request, and so all acknowledged: each of
    /// the requests was answered.
    sent_before: u64,
    /// Octets sent.
    sent: u64,
    call_timeout: Option<Duration>,
}

/// Why a connection failed.
#[derive(Debug)]
pub(crate) enum ConnectionFault {
    /// The operating system's word.
    Io(io::Error),
    /// The peer closed it without saying so in GIOP.
    Closed,
    /// The peer was silent for longer than a call may wait.
    TimedOut,
    /// What arrived is not GIOP, or exceeds a limit.
    Frame(FrameError),
}

impl ClientConnection {
    /// # Errors
    ///
    /// What the operating system answers to the time-outs.
    pub(super) fn new(stream: Stream, settings: &Settings) -> io::Result<Self> {
        if settings.call_timeout.is_some() {
            stream.set_receive_timeout(settings.call_timeout)?;
            stream.set_send_timeout(settings.call_timeout)?;
        }
        let acknowledged_at_start = stream.acknowledged();
        Ok(Self {
            stream,
            framer: Framer::new(settings.framing),
            outgoing: Outgoing::new(settings.byte_order),
            surplus: Vec::new(),
            next_request_id: 0,
            code_sets_sent: false,
            acknowledged_at_start,
            sent_before: 0,
            sent: 0,
            call_timeout: settings.call_timeout,
        })
    }

    /// An id that no other request on this connection has, until 2³¹ later.
    #[inline]
    pub(crate) fn next_request_id(&mut self) -> u32 {
        let id = self.next_request_id;
        self.next_request_id = id.wrapping_add(2);
        id
    }

    /// Sends the message that was written to [`outgoing`](Self::outgoing).
    #[inline]
    pub(crate) fn send(&mut self) -> io::Result<()> {
        let message = self.outgoing.as_bytes();
        self.sent_before = self.sent;
        self.sent += message.len() as u64;
        let sent = self.stream.send(message);
        self.outgoing.recycle();
        sent
    }

    /// Waits for what arrives next, and appends it to the buffer: mostly, all
    /// of one message. Whether it is, [`complete`](Self::complete) tells.
    #[inline]
    pub(crate) fn receive(&mut self, buffer: &mut Vec<u8>) -> Result<(), ConnectionFault> {
        match self.stream.receive(buffer) {
            Ok(0) => Err(ConnectionFault::Closed),
            Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes one whole message of the octets that have arrived, waiting for
    /// more if need be. Octets behind it are kept for the next.
    pub(crate) fn complete(
        &mut self,
        message: &mut Message,
    ) -> Result<MessageHeader, ConnectionFault> {
        let buffer = &mut message.octets;
        if !self.surplus.is_empty() {
            buffer.splice(..0, self.surplus.drain(..));
        }
        let mut deadline = None;
        let header = loop {
            match self.framer.next(buffer).map_err(ConnectionFault::Frame)? {
                Step::Message {
                    header, consumed, ..
                } => {
                    if consumed < buffer.len() {
                        self.surplus = buffer.split_off(consumed);
                    }
                    break header;
                }
                Step::Reassembled {
                    message: whole,
                    consumed,
                } => {
                    self.surplus = buffer.split_off(consumed);
                    *buffer = whole.bytes;
                    message.realignments = whole.realignments;
                    break whole.header;
                }
                Step::Absorbed { consumed } => {
                    buffer.drain(..consumed);
                }
                Step::NeedMore { total } => {
                    reserve_for(buffer, total);
                    if let Some(timeout) = self.call_timeout {
                        let deadline = *deadline.get_or_insert_with(|| Instant::now() + timeout);
                        self.limit_wait(deadline)?;
                    }
                    self.receive(buffer)?;
                }
            }
        };
        if deadline.is_some() {
            self.stream.set_receive_timeout(self.call_timeout)?;
        }
        Ok(header)
    }

    /// Lets the next receive wait until the deadline and no longer.
    fn limit_wait(&self, deadline: Instant) -> Result<(), ConnectionFault> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ConnectionFault::TimedOut);
        }
        Ok(self.stream.set_receive_timeout(Some(left))?)
    }

    /// Whether the connection ended before the last request got there, so that
    /// the peer cannot have executed it. That is what becomes of a connection
    /// whose server went away while it lay idle.
    ///
    /// The end must have come in order (end of stream, or EPIPE once the peer's
    /// system has refused the request): such an end acknowledges all that the
    /// peer had received. A reset may come at any time, and proves nothing.
    #[cold]
    pub(crate) fn ended_before_request(&self, fault: &ConnectionFault) -> bool {
        let in_order = match fault {
            ConnectionFault::Closed => true,
            ConnectionFault::Io(error) => error.kind() == io::ErrorKind::BrokenPipe,
            ConnectionFault::Frame(_) | ConnectionFault::TimedOut => false,
        };
        let acknowledged = self.stream.acknowledged().zip(self.acknowledged_at_start);
        in_order
            && acknowledged
                .is_some_and(|(now, at_start)| now.saturating_sub(at_start) <= self.sent_before)
    }

    /// Whether more has arrived than was asked for, so that the connection
    /// should not be kept.
    #[inline]
    pub(super) fn has_surplus(&self) -> bool {
        !self.surplus.is_empty()
    }

    /// Who is at the other end, for messages to people.
    pub(crate) fn peer(&self) -> &str {
        self.stream.peer()
    }
}

/// Makes room for a message of `total` octets, as far as what has arrived
/// makes the promise credible: memory grows with the data, not with its claims.
#[inline]
pub(crate) fn reserve_for(buffer: &mut Vec<u8>, total: usize) {
    const FREE: usize = 64 * 1024;
    let missing = total.saturating_sub(buffer.len());
    if buffer.capacity() - buffer.len() < missing.max(1) {
        let credible = FREE.max(2 * buffer.len());
        buffer.reserve(missing.clamp(1, credible));
    }
}

impl From<io::Error> for ConnectionFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Which of them the system says when a socket's time-out is over
            // differs from system to system.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::TimedOut,
            _ => Self::Io(error),
        }
    }
}

impl fmt::Display for ConnectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Closed => f.write_str("the peer closed the connection"),
            Self::TimedOut => f.write_str("the peer did not answer in time"),
            Self::Frame(error) => error.fmt(f),
        }
    }
}
