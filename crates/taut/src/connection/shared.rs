//! A connection that many calls share (the *shared* strategy).
//!
//! Requests go out one after the other; replies come back in any order. Of the
//! threads that wait for one, the *leader* reads: it gives each reply to the
//! thread it belongs to, and when it has its own, makes another that waits the
//! leader. No thread of the ORB's stands between a caller and its reply, and no
//! thread reads unless it waits.
//!
//! A connection on which requests come in too (bidirectional GIOP) is read by the
//! server instead, which hands the replies over; nobody leads there.

use std::cell::Cell;
use std::io;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use taut_cdr::{Decoder, Encode};
use taut_giop::Limits;
use taut_giop::message::{
    self as giop, HEADER_SIZE, LocateReplyHeader, MessageHeader, MessageType, ReplyHeader,
};

use super::budget::Permit;
use super::client::{END_PATIENCE, limit_wait, receive, send};
use super::incoming::Incoming;
use super::{Carrier, ConnectionFault, Outgoing};
use crate::counters::client::Open;
use crate::message::Message;
use crate::settings::Settings;
use crate::transport::Stream;

/// An open connection for many calls at once.
#[derive(Debug)]
pub(crate) struct SharedConnection {
    line: Line,
    /// Who is at the other end.
    peer: String,
    fragment_size: usize,
    call_timeout: Option<Duration>,
    max_in_flight: usize,
    max_stray_replies: usize,
    lists: Limits,
    /// How long a call waits when there are too many in flight.
    patience: Duration,
    sending: Mutex<Sending>,
    calls: Mutex<Calls>,
    /// A call has ended.
    room: Condvar,
    /// What the peer's system had acknowledged when the connection was new.
    acknowledged_at_start: Option<u64>,
    /// Where this ORB has opened it.
    _open: Option<Open>,
}

/// How octets get to the peer and back.
#[derive(Debug)]
enum Line {
    /// The connection is read here.
    Own { stream: Stream, _permit: Permit },
    /// It is read elsewhere.
    Carried {
        carrier: Weak<dyn Carrier>,
        /// What the first request tells the peer of our own end points.
        listen_points: Box<[u8]>,
    },
}

/// Who has opened a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This ORB.
    Here,
    /// The peer.
    There,
}

/// The sending side. Who holds it may write a request and send it.
#[derive(Debug)]
pub(crate) struct Sending {
    /// Where requests are written.
    pub(crate) outgoing: Outgoing,
    /// Whether a request has told the peer what the first one must: our
    /// transmission code sets and end points.
    pub(crate) is_introduced: bool,
    next_request_id: u32,
    /// The next request's id when it was last looked for idle connections.
    id_seen: Option<u32>,
    /// Octets sent.
    sent: u64,
}

/// The calls that wait for their replies.
#[derive(Debug)]
struct Calls {
    /// The oldest first.
    waiting: Vec<Entry>,
    /// The receiving side, unless a leader has it.
    incoming: Option<Incoming>,
    /// Why no reply will come any more.
    end: Option<End>,
}

#[derive(Debug)]
struct Entry {
    request_id: u32,
    waiter: Arc<Waiter>,
    /// Whether its thread waits, so that it can lead; else it still sends.
    can_lead: bool,
}

/// Where a thread waits.
#[derive(Debug, Default)]
struct Waiter {
    turn: Mutex<Turn>,
    changed: Condvar,
}

/// What a thread that waits is to do.
#[derive(Debug, Default)]
enum Turn {
    /// To go on waiting.
    #[default]
    Wait,
    /// To read.
    Lead(Incoming),
    /// To take its reply.
    Take(MessageHeader, Message),
    /// To give up.
    End(End),
}

/// Why a connection ended, for each of its calls.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) fault: Arc<ConnectionFault>,
    /// Whether the peer has said that what it has not answered was not begun.
    said_goodbye: bool,
    /// What the peer's system has acknowledged, where the end proves that this
    /// is all that it will have received.
    acknowledged: Option<u64>,
}

/// A call that expects a reply.
#[derive(Debug)]
pub(crate) struct Call {
    request_id: u32,
    waiter: Arc<Waiter>,
    /// Octets sent before its request.
    sent_before: u64,
}

/// Why a call got no reply.
#[derive(Debug)]
pub(crate) struct NoReply {
    pub(crate) fault: Arc<ConnectionFault>,
    /// Whether the request certainly was not executed.
    pub(crate) not_executed: bool,
}

impl SharedConnection {
    /// A connection that is read by those who wait.
    ///
    /// # Errors
    ///
    /// What the operating system answers to the time-outs.
    pub(super) fn new(stream: Stream, permit: Permit, settings: &Settings) -> io::Result<Self> {
        stream.set_send_timeout(settings.call_timeout)?;
        let acknowledged_at_start = stream.acknowledged();
        let peer = stream.peer().to_owned();
        Ok(Self {
            acknowledged_at_start,
            ..Self::on(
                Line::Own {
                    stream,
                    _permit: permit,
                },
                peer,
                Origin::Here,
                settings,
            )
        })
    }

    /// A connection that is read elsewhere; replies come by
    /// [`take_reply`](Self::take_reply). What it must tell the peer of our own
    /// end points, if anything, is in `listen_points`.
    pub(crate) fn carried(
        carrier: Weak<dyn Carrier>,
        peer: &str,
        origin: Origin,
        listen_points: &[u8],
        settings: &Settings,
    ) -> Self {
        let listen_points = listen_points.into();
        let line = Line::Carried {
            carrier,
            listen_points,
        };
        Self::on(line, peer.to_owned(), origin, settings)
    }

    fn on(line: Line, peer: String, origin: Origin, settings: &Settings) -> Self {
        let incoming = match &line {
            Line::Own { .. } => Some(Incoming::new(settings.framing)),
            Line::Carried { .. } => None,
        };
        Self {
            line,
            peer,
            fragment_size: settings.fragment_size,
            call_timeout: settings.call_timeout,
            max_in_flight: settings.max_requests_in_flight.max(1),
            max_stray_replies: settings.max_stray_replies,
            lists: settings.lists,
            patience: settings.connection_wait,
            sending: Mutex::new(Sending {
                outgoing: Outgoing::new(settings.byte_order),
                is_introduced: false,
                // Odd ids belong to the side that accepts (CORBA 3.3 part 2,
                // 9.4.2).
                next_request_id: u32::from(origin == Origin::There),
                id_seen: None,
                sent: 0,
            }),
            calls: Mutex::new(Calls {
                waiting: Vec::new(),
                incoming,
                end: None,
            }),
            room: Condvar::new(),
            acknowledged_at_start: None,
            _open: (origin == Origin::Here).then(Open::new),
        }
    }

    /// Whether requests come in on it too.
    pub(super) fn is_bidirectional(&self) -> bool {
        matches!(self.line, Line::Carried { .. })
    }

    /// Whether the other side has opened it.
    pub(super) fn is_offered(&self) -> bool {
        self.is_bidirectional() && self.listen_points().is_none()
    }

    /// What a first request has to tell the peer of our own end points: the
    /// data of a service context.
    pub(crate) fn listen_points(&self) -> Option<&[u8]> {
        match &self.line {
            Line::Carried { listen_points, .. } if !listen_points.is_empty() => Some(listen_points),
            _ => None,
        }
    }

    /// Whether no call can use it any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.calls.lock().end.is_some()
    }

    /// Whether no call waits for a reply.
    pub(crate) fn is_idle(&self) -> bool {
        self.calls.lock().waiting.is_empty()
    }

    /// Whether it has carried no call since this was last asked, or the peer has
    /// ended it. One that is read elsewhere is looked after there.
    pub(super) fn is_unused(&self) -> bool {
        let Line::Own { stream, .. } = &self.line else {
            return self.has_ended();
        };
        let Some(mut sending) = self.sending.try_lock() else {
            return false;
        };
        let next = sending.next_request_id;
        let is_unused = sending.id_seen.replace(next) == Some(next) || stream.has_arrived();
        is_unused && self.is_idle()
    }

    /// Who is at the other end, for messages to people.
    pub(crate) fn peer(&self) -> &str {
        &self.peer
    }

    /// The sending side.
    pub(crate) fn sending(&self) -> MutexGuard<'_, Sending> {
        self.sending.lock()
    }

    /// Sends the request that was written to `sending`, and notes that it
    /// expects a reply.
    ///
    /// # Errors
    ///
    /// When it did not leave, or too many calls are in flight for too long.
    pub(crate) fn begin(
        &self,
        mut sending: MutexGuard<'_, Sending>,
        request_id: u32,
    ) -> Result<Call, NoReply> {
        let waiter = Waiter::of_this_thread();
        self.enter(Entry {
            request_id,
            waiter: Arc::clone(&waiter),
            can_lead: false,
        })?;
        let call = Call {
            request_id,
            waiter,
            sent_before: sending.sent,
        };
        match self.send(&mut sending) {
            Ok(()) => Ok(call),
            Err(no_reply) => {
                self.leave(request_id);
                Err(no_reply)
            }
        }
    }

    /// Sends the message that was written to `sending`, to which there will be
    /// no reply.
    ///
    /// # Errors
    ///
    /// When it did not leave.
    pub(crate) fn send(&self, sending: &mut Sending) -> Result<(), NoReply> {
        let Sending { outgoing, sent, .. } = sending;
        let message = outgoing.as_bytes();
        let done = match &self.line {
            Line::Own { stream, .. } => send(stream, message, self.fragment_size, sent),
            Line::Carried { carrier, .. } => match carrier.upgrade() {
                Some(carrier) => carrier.send_message(message),
                None => Err(io::ErrorKind::NotConnected.into()),
            },
        };
        outgoing.recycle();
        done.map_err(|error| {
            // Half a message may have left: nothing can follow it.
            let end = self.end(error.into(), false);
            NoReply {
                fault: end.fault,
                not_executed: true,
            }
        })
    }

    /// Waits for the reply to a call, and leaves it in `message`.
    ///
    /// # Errors
    ///
    /// When there will be none, or none came in time.
    pub(crate) fn wait(
        &self,
        call: &Call,
        message: &mut Message,
    ) -> Result<MessageHeader, NoReply> {
        let deadline = self
            .call_timeout
            .and_then(|time| Instant::now().checked_add(time));
        let replied = match self.line_up(call) {
            Some(incoming) => self.lead(incoming, call, deadline, message),
            None => self.follow(call, deadline, message),
        };
        self.room.notify_one();
        // The call has left `calls`, so nobody else will give it anything.
        *call.waiter.turn.lock() = Turn::Wait;
        WAITER.set(Some(Arc::clone(&call.waiter)));
        replied.map_err(|end| self.no_reply(call, end))
    }

    /// Lets a call wait. The receiving side, if nobody has it.
    fn line_up(&self, call: &Call) -> Option<Incoming> {
        let mut calls = self.calls.lock();
        let request_id = call.request_id;
        // It is not there when its reply has come already.
        let entry = calls
            .waiting
            .iter_mut()
            .find(|entry| entry.request_id == request_id)?;
        entry.can_lead = true;
        calls.incoming.take()
    }

    /// Takes a message that was read elsewhere, and that answers something. False
    /// when it cannot be read.
    pub(crate) fn take_reply(&self, header: MessageHeader, message: Message) -> bool {
        let is_readable = match request_id(&header, &message, &self.lists) {
            Answers::Call(request_id) => {
                self.deliver(request_id, header, message);
                true
            }
            Answers::Goodbye | Answers::Nothing => false,
        };
        self.room.notify_one();
        is_readable
    }

    /// Ends the connection, which was read elsewhere.
    pub(crate) fn hang_up(&self, said_goodbye: bool) {
        self.end(ConnectionFault::Closed, said_goodbye);
    }

    /// Reads until the reply to this call has come.
    fn lead(
        &self,
        mut incoming: Incoming,
        call: &Call,
        deadline: Option<Instant>,
        message: &mut Message,
    ) -> Result<MessageHeader, End> {
        let mut strays = 0;
        loop {
            message.clear();
            let completed = incoming.complete(message, |buffer| {
                let Line::Own { stream, .. } = &self.line else {
                    return Err(ConnectionFault::Closed); // nobody leads there
                };
                if let Some(deadline) = deadline {
                    limit_wait(stream, deadline)?;
                }
                receive(stream, buffer)
            });
            let header = match completed {
                Ok(header) => header,
                Err(ConnectionFault::TimedOut) => {
                    incoming.put_back(&mut message.octets);
                    self.step_down(incoming, call.request_id);
                    self.cancel(call.request_id);
                    return Err(End::timed_out());
                }
                Err(fault) => return Err(self.end(fault, false)),
            };
            match request_id(&header, message, &self.lists) {
                Answers::Call(request_id) if request_id == call.request_id => {
                    self.step_down(incoming, request_id);
                    return Ok(header);
                }
                Answers::Call(request_id) => {
                    let message = std::mem::replace(message, Message::take());
                    strays += usize::from(!self.deliver(request_id, header, message));
                    if strays > self.max_stray_replies {
                        let limit = self.max_stray_replies;
                        return Err(self.end(ConnectionFault::StrayReplies { limit }, false));
                    }
                }
                Answers::Goodbye => return Err(self.end(ConnectionFault::Closed, true)),
                Answers::Nothing => {
                    tracing::warn!(peer = self.peer(), "protocol error on a shared connection");
                    return Err(self.end(ConnectionFault::Closed, false));
                }
            }
        }
    }

    /// Waits until another thread has read the reply to this call, or has left
    /// the reading to this one.
    fn follow(
        &self,
        call: &Call,
        deadline: Option<Instant>,
        message: &mut Message,
    ) -> Result<MessageHeader, End> {
        let mut turn = call.waiter.turn.lock();
        loop {
            match std::mem::take(&mut *turn) {
                Turn::Take(header, reply) => {
                    *message = reply;
                    return Ok(header);
                }
                Turn::Lead(incoming) => {
                    drop(turn);
                    return self.lead(incoming, call, deadline, message);
                }
                Turn::End(end) => return Err(end),
                Turn::Wait => {}
            }
            let is_over = match deadline {
                None => {
                    call.waiter.changed.wait(&mut turn);
                    false
                }
                Some(deadline) => call
                    .waiter
                    .changed
                    .wait_until(&mut turn, deadline)
                    .timed_out(),
            };
            if is_over && matches!(*turn, Turn::Wait) {
                drop(turn);
                return self.give_up(call, message);
            }
        }
    }

    /// Ends a call whose time is over, unless something has come after all.
    fn give_up(&self, call: &Call, message: &mut Message) -> Result<MessageHeader, End> {
        self.leave(call.request_id);
        // Nobody can give it anything any more.
        match std::mem::take(&mut *call.waiter.turn.lock()) {
            Turn::Take(header, reply) => {
                *message = reply;
                return Ok(header);
            }
            Turn::Lead(incoming) => self.step_down(incoming, call.request_id),
            Turn::End(end) => return Err(end),
            Turn::Wait => {}
        }
        self.cancel(call.request_id);
        Err(End::timed_out())
    }

    /// Adds a call, when there is room for one.
    fn enter(&self, entry: Entry) -> Result<(), NoReply> {
        let until = Instant::now() + self.patience;
        let mut calls = self.calls.lock();
        loop {
            if let Some(end) = &calls.end {
                return Err(NoReply {
                    fault: Arc::clone(&end.fault),
                    not_executed: true,
                });
            }
            if calls.waiting.len() < self.max_in_flight {
                calls.waiting.push(entry);
                return Ok(());
            }
            if self.room.wait_until(&mut calls, until).timed_out() {
                return Err(NoReply {
                    fault: Arc::new(ConnectionFault::Crowded),
                    not_executed: true,
                });
            }
        }
    }

    /// Takes a call away.
    fn leave(&self, request_id: u32) {
        let mut calls = self.calls.lock();
        calls.waiting.retain(|entry| entry.request_id != request_id);
    }

    /// Gives a thread its reply. False when nobody waits for it: the call has
    /// been given up, or there was none.
    fn deliver(&self, request_id: u32, header: MessageHeader, message: Message) -> bool {
        let mut calls = self.calls.lock();
        let place = calls
            .waiting
            .iter()
            .position(|entry| entry.request_id == request_id);
        let Some(place) = place else {
            return false;
        };
        let waiter = calls.waiting.remove(place).waiter;
        waiter.give(Turn::Take(header, message));
        true
    }

    /// Ends the leadership of a call that ends: the oldest that waits leads.
    fn step_down(&self, incoming: Incoming, request_id: u32) {
        let mut calls = self.calls.lock();
        calls.waiting.retain(|entry| entry.request_id != request_id);
        match calls.waiting.iter().find(|entry| entry.can_lead) {
            Some(next) => next.waiter.give(Turn::Lead(incoming)),
            None => calls.incoming = Some(incoming),
        }
    }

    /// Ends the connection and all its calls.
    fn end(&self, fault: ConnectionFault, said_goodbye: bool) -> End {
        let acknowledged = match &self.line {
            Line::Own { stream, .. } if fault.is_in_order() && !said_goodbye => {
                // From here on, no other thread's request can leave: a peer that
                // still reads would get it behind what is counted.
                stream.stop_sending();
                stream.acknowledged_in_all(END_PATIENCE)
            }
            _ => None,
        };
        let mut calls = self.calls.lock();
        let end = calls.end.get_or_insert_with(|| End {
            acknowledged,
            fault: Arc::new(fault),
            said_goodbye,
        });
        let end = end.clone();
        for entry in calls.waiting.drain(..) {
            entry.waiter.give(Turn::End(end.clone()));
        }
        drop(calls);
        self.stop();
        self.room.notify_all();
        end
    }

    fn stop(&self) {
        match &self.line {
            Line::Own { stream, .. } => stream.stop(),
            Line::Carried { carrier, .. } => {
                if let Some(carrier) = carrier.upgrade() {
                    carrier.stop();
                }
            }
        }
    }

    /// Tells the server that nobody waits any more.
    fn cancel(&self, request_id: u32) {
        let mut sending = self.sending.lock();
        let out = sending.outgoing.restart();
        giop::begin_message(out, taut_giop::Version::V1_0, MessageType::CancelRequest);
        let written = request_id
            .encode(out)
            .and_then(|()| giop::finish_message(out));
        if written.is_ok() {
            // It is advice; a connection that fails is found out by the others.
            let _ = self.send(&mut sending);
        }
    }

    fn no_reply(&self, call: &Call, end: End) -> NoReply {
        let start = self.acknowledged_at_start;
        let was_refused = end
            .acknowledged
            .zip(start)
            .is_some_and(|(now, at_start)| now.saturating_sub(at_start) <= call.sent_before);
        NoReply {
            fault: end.fault,
            not_executed: end.said_goodbye || was_refused,
        }
    }
}

impl Sending {
    /// An id that no other request on this connection has, until 2³¹ later.
    pub(crate) fn next_request_id(&mut self) -> u32 {
        let id = self.next_request_id;
        self.next_request_id = id.wrapping_add(2);
        id
    }
}

thread_local! {
    /// Where this thread waited last.
    static WAITER: Cell<Option<Arc<Waiter>>> = const { Cell::new(None) };
}

impl Waiter {
    /// The place where this thread waits; another while it waits there already.
    fn of_this_thread() -> Arc<Self> {
        WAITER.take().unwrap_or_default()
    }

    fn give(&self, turn: Turn) {
        *self.turn.lock() = turn;
        self.changed.notify_one();
    }
}

impl End {
    fn timed_out() -> Self {
        Self {
            fault: Arc::new(ConnectionFault::TimedOut),
            said_goodbye: false,
            acknowledged: None,
        }
    }
}

/// What a message is the answer to.
enum Answers {
    Call(u32),
    /// Nothing further: CloseConnection.
    Goodbye,
    /// It cannot be one.
    Nothing,
}

fn request_id(header: &MessageHeader, message: &Message, lists: &Limits) -> Answers {
    let read = || -> taut_cdr::Result<Option<u32>> {
        let mut input: Decoder<'_> = header.decoder(&message.octets)?;
        debug_assert_eq!(input.position(), HEADER_SIZE);
        Ok(match header.message_type {
            MessageType::Reply => {
                Some(ReplyHeader::decode_within(header.version, &mut input, lists)?.request_id)
            }
            MessageType::LocateReply => {
                Some(LocateReplyHeader::decode(header.version, &mut input)?.request_id)
            }
            _ => None,
        })
    };
    match read() {
        Ok(Some(request_id)) => Answers::Call(request_id),
        Ok(None) if header.message_type == MessageType::CloseConnection => Answers::Goodbye,
        _ => Answers::Nothing,
    }
}
