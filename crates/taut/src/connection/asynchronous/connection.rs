//! A connection for calls that are awaited.

use std::io::{self, ErrorKind};
use std::mem;
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use taut_cdr::Result as CdrResult;
use taut_giop::message::MessageHeader;
use taut_giop::{Limits, Version};
use taut_sync::lock::Mutex;
use taut_sys::poll::Doorbell;

use super::calls::{Calls, Reply, Wakers};
use super::home::Home;
use super::outbox::Outbox;
use super::reading::Reading;
use crate::connection::budget::Permit;
use crate::connection::shared::call_table::CallPlace;
use crate::connection::{ConnectionFault, MAX_REQUEST_ID, Outgoing};
use crate::counters::client::Open;
use crate::message::Message;
use crate::messaging::{Fragmentation, Messaging};
use crate::settings::Settings;
use crate::transport::Stream;

pub(crate) use super::calls::Ticket;

/// With at most so many calls in flight, each request is sent by the thread that makes it.
/// With more the engine sends all of one turn together.
const FEW: usize = 4;

/// The time in which CancelRequests are counted.
const CANCELS_SPAN: Duration = Duration::from_secs(1);

/// An open connection for any number of calls that are awaited.
pub(crate) struct AsyncConnection {
    pub(super) stream: Stream,
    pub(super) messaging: Messaging,
    fragmentation: Fragmentation,
    pub(super) lists: Limits,
    pub(super) max_stray_replies: usize,
    /// Rung when the engine is to send.
    pub(super) bell: OnceLock<Doorbell>,
    /// Where it is found for further calls.
    home: Weak<Home>,
    state: Mutex<State>,
    pub(super) reading: Mutex<Reading>,
    /// The octets that the peer's system had acknowledged when the connection was new.
    acknowledged_at_start: Option<u64>,
    _open: Open,
}

struct State {
    writing: Writing,
    outbox: Outbox,
    calls: Calls,
    next_request_id: u32,
    /// The next request's id when it was last looked for idle connections.
    id_seen: Option<u32>,
    /// How many CancelRequests there have been since.
    cancels: (Option<Instant>, u32),
    max_cancels: u32,
    end: Option<End>,
    /// Why nothing can be sent any more.
    send_fault: Option<ConnectionFault>,
    permit: Option<Permit>,
}

/// The state of a connection that the next request depends on.
pub(crate) struct Writing {
    /// Where requests are written.
    pub(crate) outgoing: Outgoing,
    /// Whether a request has told the peer our transmission code sets.
    pub(crate) code_sets_sent: bool,
    /// The highest version of GIOP of the requests so far.
    pub(crate) version: Version,
}

/// Why a connection ended.
#[derive(Clone)]
struct End {
    fault: Arc<ConnectionFault>,
    said_goodbye: bool,
    /// The octets that the peer's system has acknowledged, where the end proves that this
    /// is all that it will have received.
    acknowledged: Option<u64>,
}

/// A call that was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent(CallPlace);

/// The state of a request that was to be sent.
pub(crate) enum Began {
    /// It waits for its turn.
    Waits,
    /// It will be replied to.
    Sent(Sent),
    /// It has left, and nothing comes back.
    Left,
    /// It waits until the transport takes it, and nothing comes back.
    Leaves(Ticket),
}

/// Why a request did not get a reply.
#[derive(Debug)]
pub(crate) enum Lost {
    /// It could not be written.
    NotWritten(taut_cdr::Error),
    /// The connection has ended.
    Connection {
        fault: Arc<ConnectionFault>,
        /// Whether the request certainly was not executed.
        not_executed: bool,
    },
}

/// The event that the sender of a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaits {
    /// The reply.
    Reply,
    /// That the transport has taken it.
    Transport,
    /// Nothing.
    Nothing,
}

impl Sent {
    /// The id of the request.
    pub(crate) fn request_id(self) -> u32 {
        self.0.request_id
    }
}

impl AsyncConnection {
    /// A connection that the engine reads as soon as it has been given to it.
    pub(in crate::connection) fn new(
        stream: Stream,
        messaging: Messaging,
        permit: Permit,
        home: Weak<Home>,
        settings: &Settings,
    ) -> Self {
        let client = &settings.client;
        Self {
            acknowledged_at_start: stream.acknowledged(),
            messaging,
            fragmentation: Fragmentation::new(messaging, settings),
            lists: settings.limits.lists,
            max_stray_replies: client.max_stray_replies,
            bell: OnceLock::new(),
            home,
            state: Mutex::new(State {
                writing: Writing {
                    outgoing: Outgoing::new(settings.wire.byte_order),
                    code_sets_sent: false,
                    version: Version::V1_0,
                },
                outbox: Outbox::default(),
                calls: Calls::new(client.max_requests_in_flight, client.max_unsent_octets),
                next_request_id: 0,
                id_seen: None,
                cancels: (None, 0),
                max_cancels: client.max_cancels_per_second,
                end: None,
                send_fault: None,
                permit: Some(permit),
            }),
            reading: Mutex::new(Reading::new(messaging, settings)),
            _open: Open::new(),
            stream,
        }
    }

    /// Names the peer, for messages to people.
    pub(crate) fn peer(&self) -> &str {
        self.stream.peer()
    }

    /// Whether no call can use it any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.state.lock().end.is_some()
    }

    /// Whether no call needs it.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.state.lock();
        state.calls.are_none() && state.outbox.waiting() == 0
    }

    /// Whether it has carried no call since this was last asked.
    pub(super) fn is_unused(&self) -> bool {
        let mut state = self.state.lock();
        let next = state.next_request_id;
        let is_unused = state.id_seen.replace(next) == Some(next);
        is_unused && state.calls.are_none() && state.outbox.waiting() == 0
    }

    /// Sends a request of about `octets` octets, as soon as its turn has come, for which the
    /// ticket stands. `write` writes it for a request id. Its waker is woken.
    pub(crate) fn begin(
        &self,
        ticket: &mut Option<Ticket>,
        octets: usize,
        awaits: Awaits,
        waker: &Waker,
        write: impl FnOnce(&mut Writing, u32) -> CdrResult<()>,
    ) -> Result<Began, Lost> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if let Some(end) = &state.end {
            let fault = Arc::clone(&end.fault);
            *ticket = None;
            let not_executed = true;
            return Err(Lost::Connection {
                fault,
                not_executed,
            });
        }
        let waiting = state.outbox.waiting();
        let (is_admitted, before) = state.calls.admit(ticket, octets, waiting, waker);
        if !is_admitted {
            drop(guard);
            drop(before);
            return Ok(Began::Waits);
        }
        let written = state.write(self.fragmentation, awaits, waker, write);
        // The turn of one whose request cannot be written is the next one's.
        let mut wakers = Wakers::new();
        if written.is_err() {
            state.calls.grant(state.outbox.waiting(), &mut wakers);
        }
        let is_ours = state.calls.in_flight() <= FEW;
        drop(guard);
        drop(before);
        wake(&mut wakers);
        let (end, began) = written.map_err(Lost::NotWritten)?;
        if is_ours || !self.ring() {
            self.flush(&mut wakers);
            wake(&mut wakers);
        }
        Ok(match awaits {
            Awaits::Transport => self.leave_by(end, waker),
            Awaits::Reply | Awaits::Nothing => began,
        })
    }

    /// Lets a oneway wait until so many octets have left, unless they have.
    fn leave_by(&self, end: u64, waker: &Waker) -> Began {
        let mut state = self.state.lock();
        if state.outbox.left() >= end {
            return Began::Left;
        }
        match &state.end {
            // It is found out when it is asked for.
            Some(_) => Began::Leaves(Ticket::NONE),
            None => Began::Leaves(state.calls.leave_by(end, waker)),
        }
    }

    /// The reply to a call.
    pub(crate) fn poll(
        &self,
        sent: Sent,
        waker: &Waker,
    ) -> Poll<Result<(MessageHeader, Message), Lost>> {
        let mut state = self.state.lock();
        let (polled, before) = state.calls.poll(sent.0, waker);
        let end = match &polled {
            Poll::Ready(Reply::Never(_)) => state.end.clone(),
            _ => None,
        };
        drop(state);
        drop(before);
        polled.map(|reply| match reply {
            Reply::Come(header, message) => Ok((header, message)),
            Reply::Never(sent_before) => Err(self.lost(end, sent_before)),
        })
    }

    /// Whether a oneway has left.
    pub(crate) fn poll_left(&self, ticket: Ticket, waker: &Waker) -> Poll<Result<(), Lost>> {
        let mut state = self.state.lock();
        let (has_left, before) = state.calls.poll_left(ticket, waker);
        let end = state.end.clone().filter(|_| has_left);
        drop(state);
        drop(before);
        match (has_left, end) {
            (false, _) => Poll::Pending,
            (true, None) => Poll::Ready(Ok(())),
            // It may have left before the end.
            (true, end) => Poll::Ready(Err(self.lost(end, u64::MAX))),
        }
    }

    /// Forgets a future that waits for its turn, or until its octets have left.
    pub(crate) fn forget(&self, ticket: Ticket) {
        let mut state = self.state.lock();
        let waker = state.calls.forget(ticket);
        let mut wakers = Wakers::new();
        let waiting = state.outbox.waiting();
        state.calls.grant(waiting, &mut wakers);
        drop(state);
        drop(waker);
        wake(&mut wakers);
    }

    /// Ends a call for which nobody waits any more, and tells the server so if it has not
    /// replied.
    pub(crate) fn abandon(&self, sent: Sent) {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let (may_be_answered, rest) = state.calls.abandon(sent.0);
        let mut wakers = Wakers::new();
        let is_told = may_be_answered && state.end.is_none() && state.admits_cancel();
        if is_told {
            state.cancel(self.messaging, sent.0.request_id);
        }
        let waiting = state.outbox.waiting();
        state.calls.grant(waiting, &mut wakers);
        drop(guard);
        drop(rest);
        wake(&mut wakers);
        if is_told && !self.ring() {
            self.flush(&mut wakers);
            wake(&mut wakers);
        }
    }

    /// Has the engine send. False if it does not know the connection yet.
    fn ring(&self) -> bool {
        match self.bell.get() {
            Some(bell) => {
                bell.ring();
                true
            }
            None => false,
        }
    }

    /// Sends what waits, as far as the transport takes it.
    pub(super) fn flush(&self, wakers: &mut Wakers) {
        loop {
            let Some(mut taken) = self.state.lock().outbox.take() else {
                return;
            };
            let failed = loop {
                let rest = &taken.octets[taken.sent..];
                if rest.is_empty() {
                    break None;
                }
                match self.stream.try_send(rest) {
                    Ok(count) => taken.sent += count,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break None,
                    Err(error) => break Some(error),
                }
            };
            let mut guard = self.state.lock();
            let state = &mut *guard;
            let goes_on = state.outbox.put_back(taken);
            state.calls.note_left(state.outbox.left(), wakers);
            state.calls.grant(state.outbox.waiting(), wakers);
            drop(guard);
            if let Some(error) = failed {
                return self.note_send_failure(error);
            }
            if !goes_on {
                return;
            }
        }
    }

    /// The peer takes nothing any more. The engine reads what has arrived, and ends the
    /// connection.
    #[cold]
    fn note_send_failure(&self, error: io::Error) {
        let mut state = self.state.lock();
        state.outbox.clear();
        state.send_fault = Some(ConnectionFault::of_sending(error));
        drop(state);
        self.stream.stop();
        self.ring();
    }

    /// Returns why nothing can be sent any more, if that is so and has not been asked.
    pub(super) fn take_send_fault(&self) -> Option<ConnectionFault> {
        self.state.lock().send_fault.take()
    }

    /// Lets further calls open another connection.
    pub(super) fn leave_home(self: &Arc<Self>) {
        if let Some(home) = self.home.upgrade() {
            home.forget(self);
        }
    }

    /// Gives calls the messages that have arrived for them. False when too many came that
    /// nobody waits for.
    pub(super) fn deliver(
        &self,
        replies: &mut Vec<(u32, MessageHeader, Message)>,
        wakers: &mut Wakers,
    ) -> bool {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        for (request_id, header, message) in replies.drain(..) {
            // A reply that nobody waits for is dropped here, which runs no code of others.
            state.calls.reply(request_id, header, message, wakers);
        }
        state.calls.grant(state.outbox.waiting(), wakers);
        state.calls.strays() <= self.max_stray_replies
    }

    /// Whether a call waits for the reply with this id.
    pub(super) fn awaits_reply(&self, request_id: u32) -> bool {
        self.state.lock().calls.await_reply(request_id)
    }

    /// Whether calls wait for replies.
    pub(super) fn has_calls(&self) -> bool {
        self.state.lock().calls.in_flight() > 0
    }

    /// Ends the connection and all its calls; `acknowledged` says what the peer's system
    /// has acknowledged in all, if that is certain.
    pub(super) fn end(
        self: &Arc<Self>,
        fault: ConnectionFault,
        said_goodbye: bool,
        acknowledged: Option<u64>,
        wakers: &mut Wakers,
    ) {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if state.end.is_none() {
            tracing::debug!(peer = self.peer(), %fault, "connection ended");
            state.end = Some(End {
                fault: Arc::new(fault),
                said_goodbye,
                acknowledged,
            });
        }
        state.calls.end(wakers);
        state.outbox.clear();
        let permit = state.permit.take();
        drop(guard);
        drop(permit);
        self.stream.stop();
        self.leave_home();
    }

    fn lost(&self, end: Option<End>, sent_before: u64) -> Lost {
        let Some(end) = end else {
            // A future that asks again after it has got its reply.
            return Lost::Connection {
                fault: Arc::new(ConnectionFault::Closed),
                not_executed: false,
            };
        };
        let was_refused = end
            .acknowledged
            .zip(self.acknowledged_at_start)
            .is_some_and(|(now, at_start)| now.saturating_sub(at_start) <= sent_before);
        let is_known = sent_before != u64::MAX;
        let not_executed =
            is_known && (end.said_goodbye || was_refused || end.fault.is_of_other_protocol());
        Lost::Connection {
            fault: end.fault,
            not_executed,
        }
    }
}

impl State {
    /// Writes a request behind those that wait. Returns how many octets will have left when
    /// it has.
    fn write(
        &mut self,
        fragmentation: Fragmentation,
        awaits: Awaits,
        waker: &Waker,
        write: impl FnOnce(&mut Writing, u32) -> CdrResult<()>,
    ) -> CdrResult<(u64, Began)> {
        let request_id = self.next_request_id();
        write(&mut self.writing, request_id)?;
        let before = self.outbox.end();
        let (message, outbox) = (self.writing.outgoing.as_bytes(), &mut self.outbox);
        match fragmentation.is_one_piece(message.len()) {
            true => outbox.add(message),
            // It is whole: it cannot fail.
            false => drop(fragmentation.send_pieces(message, &mut |parts| {
                parts.iter().for_each(|part| outbox.add(part));
                Ok(())
            })),
        }
        self.writing.outgoing.recycle();
        let end = self.outbox.end();
        let began = match awaits {
            Awaits::Reply => match self.calls.begin(request_id, before, waker.clone()) {
                Some(place) => Began::Sent(Sent(place)),
                None => Began::Left, // the id is free
            },
            Awaits::Transport | Awaits::Nothing => {
                self.calls.forsake();
                Began::Left
            }
        };
        Ok((end, began))
    }

    /// An id that no call has that waits.
    fn next_request_id(&mut self) -> u32 {
        loop {
            let id = self.next_request_id;
            self.next_request_id = id.wrapping_add(2) & MAX_REQUEST_ID;
            if !self.calls.has(id) {
                return id;
            }
        }
    }

    /// Whether the server may be told that a call is given up: servers end connections with
    /// too many CancelRequests.
    fn admits_cancel(&mut self) -> bool {
        let now = Instant::now();
        let (since, count) = &mut self.cancels;
        match since {
            Some(since) if now.duration_since(*since) < CANCELS_SPAN => {}
            _ => (*since, *count) = (Some(now), 0),
        }
        *count = count.saturating_add(1);
        *count <= self.max_cancels
    }

    /// Tells the server that nobody waits for a reply any more. In GIOP 1.0 and 1.1 it does not,
    /// for omniORB ends connections over which a CancelRequest of these comes.
    fn cancel(&mut self, messaging: Messaging, request_id: u32) {
        let version = self.writing.version;
        if messaging == Messaging::Giop && version < Version::V1_2 {
            return;
        }
        let out = self.writing.outgoing.restart();
        if messaging
            .write_cancel_request(out, version, request_id)
            .is_ok()
        {
            self.outbox.add(self.writing.outgoing.as_bytes());
        }
    }
}

/// Wakes all, outside of any lock.
pub(super) fn wake(wakers: &mut Wakers) {
    for waker in mem::take(wakers) {
        waker.wake();
    }
}
