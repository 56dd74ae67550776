//! One connection that this ORB opened.

use std::io::{self, IoSlice};
use std::time::{Duration, Instant};

use taut_giop::message::MessageHeader;

use super::batch::Batch;
use super::budget::Permit;
use super::incoming::Incoming;
use super::queue::Queue;
use super::{ConnectionFault, Outgoing};
use crate::counters::client::Open;
use crate::message::Message;
use crate::messaging::{BODYLESS_MAX, Fragmentation, Messaging};
use crate::settings::{Settings, SyncScope, WaitStrategy};
use crate::transport::Stream;
use crate::waiting::Waiting;

/// How long to wait for certainty whether a peer that has ended a connection
/// still receives: its system says so at once, a way there and back later.
pub(super) const END_PATIENCE: Duration = Duration::from_secs(1);

/// The ids of requests go up to this one. Those beyond belong to the oneways that are
/// left to be sent, which get theirs before it is known over which connection they go.
pub(crate) const MAX_REQUEST_ID: u32 = u32::MAX >> 1;

/// An open connection, with what must be remembered from call to call.
#[derive(Debug)]
pub(crate) struct ClientConnection {
    pub(super) stream: Stream,
    pub(super) incoming: Incoming,
    /// How many octets the last reply had that was nothing but a sequence; 0 where none
    /// came, or the last one was not as large as was expected.
    pub(super) expected_octets: usize,
    /// Where requests are written.
    pub(crate) outgoing: Outgoing,
    /// The oneways that are sent in front of the next message.
    batch: Batch,
    /// Even: odd ids belong to the side that accepts (CORBA 3.3 part 2, 9.4.2).
    next_request_id: u32,
    /// Whether a request has told the peer our transmission code sets.
    pub(crate) code_sets_sent: bool,
    /// The octets that the peer's system had acknowledged when the connection was new.
    acknowledged_at_start: Option<u64>,
    /// Octets sent before the last request, and so all acknowledged: each of
    /// the requests was answered.
    sent_before: u64,
    /// Octets sent.
    sent: u64,
    max_stray_replies: usize,
    /// How messages that are too large for one piece are sent.
    fragmentation: Fragmentation,
    _open: Open,
    /// The next request's id when it was last looked for idle connections.
    id_seen: Option<u32>,
    _permit: Permit,
}

impl ClientConnection {
    pub(super) fn new(
        stream: Stream,
        messaging: Messaging,
        permit: Permit,
        settings: &Settings,
    ) -> Self {
        let acknowledged_at_start = stream.acknowledged();
        Self {
            stream,
            incoming: Incoming::new(messaging, settings),
            expected_octets: 0,
            outgoing: Outgoing::new(settings.wire.byte_order),
            batch: Batch::default(),
            next_request_id: 0,
            code_sets_sent: false,
            acknowledged_at_start,
            sent_before: 0,
            sent: 0,
            max_stray_replies: settings.client.max_stray_replies,
            fragmentation: Fragmentation::new(messaging, settings),
            _open: Open::new(),
            id_seen: None,
            _permit: permit,
        }
    }

    /// An id that no other request on this connection has, until 2³⁰ later.
    #[inline]
    pub(crate) fn next_request_id(&mut self) -> u32 {
        let id = self.next_request_id;
        self.next_request_id = id.wrapping_add(2) & MAX_REQUEST_ID;
        id
    }

    /// Sends the message that was written to [`outgoing`](Self::outgoing), of which the
    /// end may be `lent`, by the deadline.
    #[inline(always)]
    pub(crate) fn send(&mut self, lent: &[u8], deadline: Option<Instant>) -> io::Result<()> {
        if let Some(deadline) = deadline {
            return self.send_until(lent, deadline);
        }
        if !lent.is_empty() {
            return self.send_in_two_parts(lent);
        }
        self.send_whole()
    }

    /// Sends a message whose end is lent from where that lies, in one go, unless it is
    /// cut into fragments or other messages go before it.
    #[cold]
    #[inline(never)]
    fn send_in_two_parts(&mut self, lent: &[u8]) -> io::Result<()> {
        let size = self.outgoing.as_bytes().len() + lent.len();
        let is_alone = !self.has_batch();
        if !self.fragmentation.is_one_piece(size) || !is_alone {
            self.outgoing.complete(lent);
            return self.send_whole();
        }
        self.sent_before = self.sent;
        self.sent += size as u64;
        let parts = [self.outgoing.as_bytes(), lent];
        self.stream
            .send_parts_in_place(&mut parts.map(IoSlice::new))
    }

    /// Sends a message by a deadline, behind what is left of the batch. One that has not
    /// left in full by then makes the connection useless.
    #[cold]
    #[inline(never)]
    fn send_until(&mut self, lent: &[u8], deadline: Instant) -> io::Result<()> {
        self.outgoing.complete(lent);
        if self.has_batch() {
            self.batch
                .send_until(&self.stream, deadline, &mut self.sent)?;
        }
        self.sent_before = self.sent;
        let message = self.outgoing.as_bytes();
        let (fragmentation, sent) = (self.fragmentation, &mut self.sent);
        let done = send_until(&self.stream, message, fragmentation, deadline, sent);
        self.outgoing.recycle();
        done
    }

    /// Whether anything is sent in front of the next message.
    #[inline(always)]
    fn has_batch(&self) -> bool {
        SyncScope::MAY_BE_NONE && !self.batch.is_empty()
    }

    /// Sends a message that is all in the buffer.
    #[inline(always)]
    fn send_whole(&mut self) -> io::Result<()> {
        if self.has_batch() {
            return self.send_behind_batch();
        }
        let message = self.outgoing.as_bytes();
        self.sent_before = self.sent;
        let sent = send(&self.stream, message, self.fragmentation, &mut self.sent);
        self.outgoing.recycle();
        sent
    }

    /// Waits until the deadline for what arrives next, and appends it to the buffer:
    /// mostly, all of one message. Whether it is, [`complete`](Self::complete) tells.
    #[inline(always)]
    pub(crate) fn receive(
        &mut self,
        strategy: WaitStrategy,
        buffer: &mut Vec<u8>,
        deadline: Option<Instant>,
    ) -> Result<(), ConnectionFault> {
        let waiting = &mut self.incoming.waiting;
        receive(&self.stream, waiting, strategy, buffer, deadline)
    }

    /// Makes one whole message of the octets that have arrived, waiting for
    /// more until the deadline if need be. Octets behind it are kept for the next.
    pub(crate) fn complete(
        &mut self,
        strategy: WaitStrategy,
        message: &mut Message,
        deadline: Option<Instant>,
    ) -> Result<MessageHeader, ConnectionFault> {
        let (stream, strategy) = (&self.stream, strategy.for_the_rest());
        self.incoming.complete(message, |waiting, buffer| {
            receive(stream, waiting, strategy, buffer, deadline)
        })
    }

    /// How many replies to nobody are passed over.
    pub(crate) fn max_stray_replies(&self) -> usize {
        self.max_stray_replies
    }

    /// Returns the fault of waiting for the reply to the last request.
    #[cold]
    #[inline(never)]
    pub(crate) fn fault_of_waiting(&self, fault: ConnectionFault) -> ConnectionFault {
        let last_id = self.next_request_id.wrapping_sub(2);
        match fault {
            // Plain replies to earlier requests were read by their octets.
            ConnectionFault::OtherProtocol(error) if last_id != 0 => ConnectionFault::Frame(error),
            fault => fault.of_waiting(self.messaging(), last_id),
        }
    }

    /// Whether the connection ended before the last request got there, so that
    /// the peer cannot have executed it. That is what becomes of a connection
    /// whose server went away while it lay idle.
    ///
    /// The end must have come in order (end of stream, or EPIPE once the peer's
    /// system has refused the request): such an end acknowledges all that the
    /// peer had received. And the peer's system must receive no more: who has
    /// only ended his own sending may still get the request. A reset that comes
    /// first may come at any time, and proves nothing.
    ///
    /// To be certain may take a while; it is given up at the deadline.
    #[cold]
    #[inline(never)]
    pub(crate) fn ended_before_request(
        &self,
        fault: &ConnectionFault,
        deadline: Option<Instant>,
    ) -> bool {
        if !fault.is_in_order() {
            return false;
        }
        let patience = within(END_PATIENCE, deadline);
        let in_all = self.stream.acknowledged_in_all(patience);
        in_all
            .zip(self.acknowledged_at_start)
            .is_some_and(|(now, at_start)| now.saturating_sub(at_start) <= self.sent_before)
    }

    /// The protocol of its messages.
    #[inline(always)]
    pub(super) fn messaging(&self) -> Messaging {
        self.fragmentation.messaging()
    }

    /// Whether it has carried no call since this was last asked, or the peer has
    /// ended it.
    pub(super) fn is_idle(&mut self) -> bool {
        let seen = self.id_seen.replace(self.next_request_id);
        seen == Some(self.next_request_id) || self.stream.has_arrived()
    }

    /// Whether more has arrived than was asked for, so that the connection
    /// should not be kept.
    #[inline]
    pub(super) fn has_surplus(&self) -> bool {
        self.incoming.has_surplus()
    }

    /// Names the peer, for messages to people.
    pub(crate) fn peer(&self) -> &str {
        self.stream.peer()
    }
}

/// Where oneways that were left to be sent go over the connection as well.
impl ClientConnection {
    /// Takes what waits in the queue beside it, to send it in front of the next message.
    pub(super) fn load(&mut self, queue: &Queue) {
        queue.hand_over(self.taking(), queue);
    }

    /// Where it takes what it sends in front of the next message.
    pub(super) fn taking(&mut self) -> &mut Batch {
        // It is in use.
        self.id_seen = None;
        &mut self.batch
    }

    /// Returns the oneways that the connection has taken and not sent.
    pub(super) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Whether the peer has ended it, as far as is known.
    pub(super) fn has_ended(&self) -> bool {
        has_ended(&self.stream, self.messaging())
    }

    /// Sends what it has taken, as far as there is room. True when that was all.
    pub(super) fn try_flush(&mut self) -> io::Result<bool> {
        let before = self.batch.rest().len();
        let done = self.batch.try_send(&self.stream);
        self.sent += (before - self.batch.rest().len()) as u64;
        done
    }

    /// Sends what it has taken, and waits for room as long as `goes_on` says.
    pub(super) fn flush(&mut self, goes_on: &dyn Fn() -> bool) -> io::Result<()> {
        self.sent += self.batch.rest().len() as u64;
        self.batch.send(&self.stream, goes_on)
    }

    /// Sends the message that was written to `outgoing` behind what it has taken.
    #[cold]
    #[inline(never)]
    fn send_behind_batch(&mut self) -> io::Result<()> {
        let sent = send_behind(
            &self.stream,
            &mut self.batch,
            self.outgoing.as_bytes(),
            self.fragmentation,
            (&mut self.sent_before, &mut self.sent),
        );
        self.outgoing.recycle();
        sent
    }
}

/// Sends a message behind what is left of a batch, in one go if it is not too large, and
/// adds what leaves to `sent`, of which the first number is what leaves before the
/// message.
pub(super) fn send_behind(
    stream: &Stream,
    batch: &mut Batch,
    message: &[u8],
    fragmentation: Fragmentation,
    (sent_before, sent): (&mut u64, &mut u64),
) -> io::Result<()> {
    *sent += batch.rest().len() as u64;
    *sent_before = *sent;
    if fragmentation.is_one_piece(message.len()) {
        *sent += message.len() as u64;
        stream.send_parts(&mut [batch.rest(), message].map(IoSlice::new))?;
        batch.clear();
        return Ok(());
    }
    stream.send(batch.rest())?;
    batch.clear();
    send_in_fragments(stream, message, fragmentation, sent)
}

/// Whether the peer has ended a connection, without that anything is read: it has closed
/// it, or the first that it has to say is goodbye. Something else may have arrived, for
/// some ORBs answer oneways.
pub(super) fn has_ended(stream: &Stream, messaging: Messaging) -> bool {
    let mut octets = [0; BODYLESS_MAX];
    match stream.peek(&mut octets) {
        Ok(0) => true,
        Ok(count) => messaging.is_goodbye(&octets[..count]),
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}

/// Waits until the deadline for what arrives next, and appends it to the buffer.
#[inline(always)]
pub(super) fn receive(
    stream: &Stream,
    waiting: &mut Waiting,
    strategy: WaitStrategy,
    buffer: &mut Vec<u8>,
    deadline: Option<Instant>,
) -> Result<(), ConnectionFault> {
    let received = match deadline {
        None => waiting.receive(strategy, stream, buffer),
        Some(deadline) => receive_until(stream, waiting, strategy, buffer, deadline),
    };
    match received {
        Ok(0) => Err(ConnectionFault::Closed),
        Ok(_) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cold]
#[inline(never)]
fn receive_until(
    stream: &Stream,
    waiting: &mut Waiting,
    strategy: WaitStrategy,
    buffer: &mut Vec<u8>,
    deadline: Instant,
) -> io::Result<usize> {
    waiting.wait_until(
        strategy,
        deadline,
        buffer,
        |buffer| stream.try_receive(buffer),
        |buffer| stream.receive_until(buffer, deadline),
    )
}

/// Returns a time, or what is left of it until the deadline.
pub(super) fn within(time: Duration, deadline: Option<Instant>) -> Duration {
    match deadline {
        None => time,
        Some(deadline) => time.min(deadline.saturating_duration_since(Instant::now())),
    }
}

/// Sends a message by a deadline, in pieces if it is too large, and adds what leaves to
/// `sent`, also if it fails.
pub(super) fn send_until(
    stream: &Stream,
    message: &[u8],
    fragmentation: Fragmentation,
    deadline: Instant,
    sent: &mut u64,
) -> io::Result<()> {
    if fragmentation.is_one_piece(message.len()) {
        let mut parts = [IoSlice::new(message)];
        return stream.send_parts_until(&mut parts, deadline, sent);
    }
    fragmentation.send_pieces(message, &mut |parts| {
        stream.send_parts_until(&mut parts.map(IoSlice::new), deadline, sent)
    })
}

/// Sends a message, in pieces if it is too large, and adds what leaves to `sent`.
#[inline]
pub(super) fn send(
    stream: &Stream,
    message: &[u8],
    fragmentation: Fragmentation,
    sent: &mut u64,
) -> io::Result<()> {
    if fragmentation.is_one_piece(message.len()) {
        *sent += message.len() as u64;
        return stream.send(message);
    }
    send_in_fragments(stream, message, fragmentation, sent)
}

/// Sends a message in pieces, and adds their sizes to `sent`.
#[cold]
#[inline(never)]
fn send_in_fragments(
    stream: &Stream,
    message: &[u8],
    fragmentation: Fragmentation,
    sent: &mut u64,
) -> io::Result<()> {
    fragmentation.send_pieces(message, &mut |parts| {
        *sent += (parts[0].len() + parts[1].len()) as u64;
        stream.send_parts(&mut parts.map(IoSlice::new))
    })
}
