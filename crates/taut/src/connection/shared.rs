//! A connection that many calls share (the *shared* strategy).
//!
//! Requests go out one after the other; replies come back in any order. Of the
//! threads that wait for one, the *leader* reads: it gives each reply to the
//! thread it belongs to, and when it has its own, makes another that waits the
//! leader. No thread of the ORB's stands between a caller and its reply, and no
//! thread reads unless it waits.
//!
//! Where the connection has a server role too (bidirectional GIOP, see `roles`), that reads
//! it and hands the replies over; nobody leads there.

pub(super) mod answers;
pub(super) mod call_table;
mod calls;
mod line;
mod oneways;
mod sending;
mod waiter;

use std::io;
use std::sync::Arc;
use std::sync::Weak;
use std::time::{Duration, Instant};

use taut_giop::Limits;
use taut_giop::message::{MessageHeader, MessageType};
use taut_sync::lock::{Mutex, MutexGuard};

use super::ConnectionFault;
use super::ServerRole;
use super::budget::Permit;
use super::client::{END_PATIENCE, within};
use super::incoming::Incoming;
use super::patience::Patience;
use crate::counters::client::Open;
use crate::message::Message;
use crate::messaging::{Fragmentation, Messaging};
use crate::nested_calls;
use crate::settings::{Settings, WaitStrategy};
use crate::transport::Stream;
use crate::waiting::Waiting;
use answers::{Answers, answers};
use call_table::CallPlace;
use calls::Calls;
use line::Line;
use waiter::{End, Turn, Waiter};

pub(crate) use sending::{Origin, Sending};

/// An open connection for many calls at once.
#[derive(Debug)]
pub(crate) struct SharedConnection {
    line: Line,
    origin: Origin,
    /// The name of the peer.
    peer: String,
    /// How messages that are too large for one piece are sent.
    fragmentation: Fragmentation,
    max_stray_replies: usize,
    lists: Limits,
    /// How long a call waits when there are too many in flight.
    patience: Duration,
    sending: Mutex<Sending>,
    calls: Calls,
    /// The octets that the peer's system had acknowledged when the connection was new.
    acknowledged_at_start: Option<u64>,
    /// Counts it where this ORB has opened it.
    _open: Option<Open>,
    /// Until it ends, where it is one of those that this ORB may have open.
    permit: Mutex<Option<Permit>>,
}

/// A call that expects a reply.
#[derive(Debug)]
pub(crate) struct Call {
    place: CallPlace,
    /// How its thread waits if it is the one that reads.
    strategy: WaitStrategy,
    waiter: Arc<Waiter>,
    /// Octets sent before its request.
    sent_before: u64,
    /// When it ends, with or without a reply.
    deadline: Option<Instant>,
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
    pub(super) fn new(
        stream: Stream,
        messaging: Messaging,
        permit: Permit,
        settings: &Settings,
    ) -> Self {
        let acknowledged_at_start = stream.acknowledged();
        let peer = stream.peer().to_owned();
        Self {
            acknowledged_at_start,
            permit: Mutex::new(Some(permit)),
            ..Self::on(Line::Own(stream), messaging, peer, Origin::Here, settings)
        }
    }

    /// The client role of a connection beside its server role: replies come by
    /// [`take_reply`](Self::take_reply). The end points of our own that it must tell the
    /// peer, if any, are in `listen_points`.
    pub(crate) fn beside(
        server_role: Weak<dyn ServerRole>,
        messaging: Messaging,
        peer: &str,
        origin: Origin,
        listen_points: &[u8],
        settings: &Settings,
    ) -> Self {
        let listen_points = listen_points.into();
        let line = Line::Beside {
            server_role,
            listen_points,
        };
        Self::on(line, messaging, peer.to_owned(), origin, settings)
    }

    fn on(
        line: Line,
        messaging: Messaging,
        peer: String,
        origin: Origin,
        settings: &Settings,
    ) -> Self {
        let incoming = match &line {
            Line::Own(_) => Some(Incoming::new(messaging, settings)),
            Line::Beside { .. } => None,
        };
        Self {
            line,
            origin,
            peer,
            fragmentation: Fragmentation::new(messaging, settings),
            max_stray_replies: settings.client.max_stray_replies,
            lists: settings.limits.lists,
            patience: settings.client.connection_wait,
            sending: Mutex::new(Sending::new(origin, settings)),
            calls: Calls::new(settings.client.max_requests_in_flight.max(1), incoming),
            acknowledged_at_start: None,
            _open: (origin == Origin::Here).then(Open::new),
            permit: Mutex::new(None),
        }
    }

    /// The protocol of its messages.
    fn messaging(&self) -> Messaging {
        self.fragmentation.messaging()
    }

    /// Whether requests come in on it too.
    pub(super) fn is_bidirectional(&self) -> bool {
        matches!(self.line, Line::Beside { .. })
    }

    /// Whether the other side has opened it.
    pub(super) fn is_offered(&self) -> bool {
        self.origin == Origin::There
    }

    /// Returns the end points of our own of which a first request tells the peer: the data
    /// of a service context.
    pub(crate) fn listen_points(&self) -> Option<&[u8]> {
        match &self.line {
            Line::Beside { listen_points, .. } if !listen_points.is_empty() => Some(listen_points),
            _ => None,
        }
    }

    /// Whether no call can use it any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.calls.have_ended()
    }

    /// Whether no call waits for a reply.
    pub(crate) fn is_idle(&self) -> bool {
        self.calls.are_none()
    }

    /// Whether it has carried no call since this was last asked, or the peer has
    /// ended it. One that is read elsewhere is looked after there.
    pub(super) fn is_unused(&self) -> bool {
        if self.is_bidirectional() {
            return self.has_ended();
        }
        let Some(stream) = self.line.own() else {
            return false;
        };
        let Some(mut sending) = self.sending.try_lock() else {
            return false;
        };
        let is_unused = sending.is_unused() || stream.has_arrived();
        is_unused && self.is_idle()
    }

    /// Names the peer, for messages to people.
    pub(crate) fn peer(&self) -> &str {
        &self.peer
    }

    /// The sending side.
    ///
    /// # Errors
    ///
    /// [`ConnectionFault::NotTaken`] when others have it at the deadline: the peer does not
    /// take what they send.
    pub(crate) fn sending(
        &self,
        deadline: Option<Instant>,
    ) -> Result<MutexGuard<'_, Sending>, ConnectionFault> {
        match deadline {
            None => Ok(self.sending.lock()),
            Some(deadline) => {
                let sending = nested_calls::wait(|| self.sending.try_lock_until(deadline));
                sending.ok_or(ConnectionFault::NotTaken)
            }
        }
    }

    /// Sends the request that was written to `sending`, and notes that it
    /// expects a reply by the deadline. It leaves within the caller's patience.
    ///
    /// # Errors
    ///
    /// When it did not leave, or too many calls are in flight for too long.
    pub(crate) fn begin(
        &self,
        sending: &mut Sending,
        request_id: u32,
        strategy: WaitStrategy,
        (patience, deadline): (Patience, Option<Instant>),
    ) -> Result<Call, NoReply> {
        let waiter = Waiter::of_this_thread();
        let sent_before = sending.sent_before();
        let place = self
            .calls
            .enter(request_id, &waiter, patience.for_room(self.patience))
            .map_err(|fault| NoReply {
                fault,
                not_executed: true,
            })?;
        let call = Call {
            place,
            strategy,
            waiter,
            sent_before,
            deadline,
        };
        match self.send(sending, patience.deadline) {
            Ok(()) => Ok(call),
            Err(no_reply) => {
                self.calls.leave(place);
                Err(no_reply)
            }
        }
    }

    /// Sends the message that was written to `sending`, to which there will be
    /// no reply, by the deadline.
    ///
    /// # Errors
    ///
    /// When it did not leave.
    pub(crate) fn send(
        &self,
        sending: &mut Sending,
        deadline: Option<Instant>,
    ) -> Result<(), NoReply> {
        let done = match deadline {
            None => self.send_written(sending).map_err(|error| (error, true)),
            Some(deadline) => self.send_written_until(sending, deadline),
        };
        sending.outgoing.recycle();
        done.map_err(|(error, has_begun)| {
            let fault = ConnectionFault::of_sending(error);
            let fault = match has_begun || !fault.is_late() {
                // Half a message may have left: nothing can follow it.
                true => self.end(fault, false, deadline).fault,
                false => Arc::new(fault),
            };
            NoReply {
                fault,
                not_executed: true,
            }
        })
    }

    /// Sends what was written to `sending` by a deadline, behind what that has taken.
    ///
    /// # Errors
    ///
    /// With the error it says whether a part of the message may have left.
    #[cold]
    #[inline(never)]
    fn send_written_until(
        &self,
        sending: &mut Sending,
        deadline: Instant,
    ) -> Result<(), (io::Error, bool)> {
        let Sending { outgoing, sent, .. } = sending;
        if !sending.batch.is_empty() {
            let done = self
                .line
                .send_batch_until(&mut sending.batch, deadline, sent);
            done.map_err(|error| (error, false))?;
        }
        let (message, before) = (outgoing.as_bytes(), *sent);
        let done = self
            .line
            .send_until(message, self.fragmentation, deadline, sent);
        done.map_err(|error| (error, *sent != before))
    }

    /// Sends what was written to `sending`, behind what that has taken.
    fn send_written(&self, sending: &mut Sending) -> io::Result<()> {
        let Sending { outgoing, sent, .. } = sending;
        let message = outgoing.as_bytes();
        if !sending.batch.is_empty() {
            let batch = &mut sending.batch;
            return self
                .line
                .send_behind(batch, message, self.fragmentation, sent);
        }
        self.line.send(message, self.fragmentation, sent)
    }

    /// Waits for the reply to a call, and leaves it in `message`.
    ///
    /// # Errors
    ///
    /// When there will be none, or none came in time.
    pub(crate) fn wait(&self, call: Call, message: &mut Message) -> Result<MessageHeader, NoReply> {
        let replied = match self.calls.line_up(call.place) {
            Some(incoming) => self.lead(incoming, &call, message),
            None => self.follow(&call, message),
        };
        self.calls.make_room();
        let replied = replied.map_err(|end| self.no_reply(&call, end));
        call.waiter.rest();
        replied
    }

    /// Takes a message that was read elsewhere, and that answers something. False
    /// when it cannot be read.
    pub(crate) fn take_reply(&self, header: MessageHeader, message: Message) -> bool {
        match answers(self.messaging(), &header, &message, &self.lists) {
            Answers::Call(request_id) => {
                self.calls.deliver(request_id, header, message);
                true
            }
            Answers::Goodbye | Answers::Nothing => false,
        }
    }

    /// Ends the connection, which was read elsewhere.
    pub(crate) fn hang_up(&self, said_goodbye: bool) {
        self.end(ConnectionFault::Closed, said_goodbye, None);
    }

    /// Reads until the reply to this call has come.
    fn lead(
        &self,
        mut incoming: Incoming,
        call: &Call,
        message: &mut Message,
    ) -> Result<MessageHeader, End> {
        let (own, deadline) = (call.place, call.deadline);
        let mut strays = 0;
        loop {
            message.clear();
            incoming.drop_old_fragments(|id| self.calls.await_reply(id));
            let receive = |waiting: &mut Waiting, buffer: &mut Vec<u8>| {
                self.line.receive(waiting, call.strategy, buffer, deadline)
            };
            let header = match incoming.complete(message, receive) {
                Ok(header) => header,
                Err(ConnectionFault::TimedOut) => {
                    incoming.put_back(&mut message.octets);
                    self.calls.step_down(incoming, own);
                    self.cancel(own.request_id);
                    return Err(End::timed_out());
                }
                Err(fault) => {
                    let fault = fault.of_waiting(self.messaging(), own.request_id);
                    return Err(self.end(fault, false, deadline));
                }
            };
            match answers(self.messaging(), &header, message, &self.lists) {
                Answers::Call(request_id) if request_id == own.request_id => {
                    self.calls.step_down(incoming, own);
                    return Ok(header);
                }
                Answers::Call(request_id) => {
                    let message = std::mem::replace(message, Message::take());
                    strays += usize::from(!self.calls.deliver(request_id, header, message));
                    if strays > self.max_stray_replies {
                        let limit = self.max_stray_replies;
                        let fault = ConnectionFault::StrayReplies { limit };
                        return Err(self.end(fault, false, deadline));
                    }
                }
                Answers::Goodbye => {
                    return Err(self.end(ConnectionFault::Closed, true, deadline));
                }
                Answers::Nothing => {
                    let fault = ConnectionFault::Unexpected(header.message_type);
                    return Err(self.end(fault, false, deadline));
                }
            }
        }
    }

    /// Waits until another thread has read the reply to this call, or has left
    /// the reading to this one.
    fn follow(&self, call: &Call, message: &mut Message) -> Result<MessageHeader, End> {
        match nested_calls::wait(|| call.waiter.wait(call.deadline)) {
            Turn::Take(header, reply) => {
                *message = reply;
                Ok(header)
            }
            Turn::Lead(incoming) => self.lead(incoming, call, message),
            Turn::End(end) => Err(end),
            Turn::Wait => self.give_up(call, message),
        }
    }

    /// Ends a call whose time is over, unless something has come after all.
    fn give_up(&self, call: &Call, message: &mut Message) -> Result<MessageHeader, End> {
        self.calls.leave(call.place);
        match call.waiter.turn() {
            Turn::Take(header, reply) => {
                *message = reply;
                return Ok(header);
            }
            Turn::Lead(incoming) => self.calls.step_down(incoming, call.place),
            Turn::End(end) => return Err(end),
            Turn::Wait => {}
        }
        self.cancel(call.place.request_id);
        Err(End::timed_out())
    }

    /// Ends the connection for all calls, because its peer broke the rules.
    #[cold]
    pub(crate) fn refuse(&self, found: MessageType) {
        let _ = self.end(ConnectionFault::Unexpected(found), false, None);
    }

    /// Ends the connection and all its calls. The fate of their requests is found out by
    /// the deadline, or not at all.
    fn end(&self, fault: ConnectionFault, said_goodbye: bool, deadline: Option<Instant>) -> End {
        let acknowledged = match fault.is_in_order() && !said_goodbye {
            true => {
                let patience = within(END_PATIENCE, deadline);
                self.line.acknowledged_in_all(patience)
            }
            false => None,
        };
        let end = self.calls.end(End {
            acknowledged,
            fault: Arc::new(fault),
            said_goodbye,
        });
        self.line.stop();
        // A thread that still holds the connection does not keep others from connecting.
        *self.permit.lock() = None;
        end
    }

    /// Tells the server that nobody waits any more, if it takes that at once: the time of
    /// the call is over.
    fn cancel(&self, request_id: u32) {
        let Some(mut sending) = self.sending.try_lock() else {
            return;
        };
        let version = sending.version;
        let out = sending.outgoing.restart();
        let messaging = self.messaging();
        let written = messaging.write_cancel_request(out, version, request_id);
        if written.is_ok() {
            // It is advice; a connection that fails is found out by the others.
            let _ = self.send(&mut sending, Some(Instant::now()));
        }
    }

    fn no_reply(&self, call: &Call, end: End) -> NoReply {
        let start = self.acknowledged_at_start;
        let was_refused = end
            .acknowledged
            .zip(start)
            .is_some_and(|(now, at_start)| now.saturating_sub(at_start) <= call.sent_before);
        // A peer that speaks another protocol has executed nothing.
        let is_stranger = end.fault.is_of_other_protocol();
        NoReply {
            fault: end.fault,
            not_executed: end.said_goodbye || was_refused || is_stranger,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Nowhere;

    impl ServerRole for Nowhere {
        fn send_message(&self, _: &[u8], _: Option<Instant>) -> io::Result<()> {
            Err(io::ErrorKind::NotConnected.into())
        }

        fn send_whole(&self, _: &[u8], _: Option<Instant>) -> io::Result<()> {
            Err(io::ErrorKind::NotConnected.into())
        }

        fn stop(&self) {}
    }

    #[test]
    fn a_connection_without_end_points_to_tell_is_not_taken_for_the_peers() {
        let settings = Settings::default();
        let carried = |origin, listen_points: &[u8]| {
            let server_role: Weak<dyn ServerRole> = Weak::<Nowhere>::new();
            SharedConnection::beside(
                server_role,
                Messaging::Giop,
                "peer",
                origin,
                listen_points,
                &settings,
            )
        };
        assert!(!carried(Origin::Here, b"").is_offered());
        assert!(!carried(Origin::Here, b"points").is_offered());
        assert!(carried(Origin::There, b"").is_offered());
    }
}
