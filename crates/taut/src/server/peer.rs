//! A connection that a client opened, as all threads may touch it.

use std::io::{self, IoSlice};
use std::sync::Arc;
#[cfg(feature = "reactor")]
use std::sync::OnceLock;
#[cfg(feature = "bidirectional")]
use std::sync::Weak;
#[cfg(feature = "reactor")]
use std::sync::atomic::AtomicU32;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
#[cfg(feature = "reactor")]
use parking_lot::MutexGuard;
use taut_cdr::Encoder;
use taut_giop::Version;
#[cfg(feature = "bidirectional")]
use taut_giop::bidirectional::ListenPoint;
use taut_giop::framing::Fragments;
use taut_giop::message::{MessageHeader, MessageType};

use super::duty::{Duty, Rest};
#[cfg(feature = "reactor")]
use super::handover::Handover;
#[cfg(feature = "reactor")]
use super::outbox::Outbox;
use super::rate::Rate;
#[cfg(feature = "bidirectional")]
use crate::connection::{Carrier, Origin, SharedConnection};
use crate::counters::{self, Tally};
use crate::settings::Settings;
use crate::transport::{Source, Stream};

/// A connection, as others than the thread that reads it may touch it: to
/// send a reply, to close it, or to read it in the other's place.
#[derive(Debug)]
pub(super) struct Peer {
    stream: Stream,
    /// Larger messages are sent in pieces of this size.
    fragment_size: usize,
    /// How long the client may take for what it must do.
    #[cfg(feature = "reactor")]
    message_timeout: Duration,
    drain_timeout: Duration,
    /// Where the client is. Asked once: a socket that failed does not know it.
    source: Option<Source>,
    /// Who reads, and what is under way.
    duty: Duty,
    /// The request that the thread on duty carries out, or carried out last.
    #[cfg(feature = "reactor")]
    request_id: AtomicU32,
    /// The last request that an overseer has found under way, and one more; 0:
    /// none was.
    #[cfg(feature = "reactor")]
    overseen: AtomicU64,
    /// What the thread on duty leaves to whoever relieves it.
    #[cfg(feature = "reactor")]
    handover: Mutex<Handover>,
    /// Whether a servant has kept a thread while this client went on.
    #[cfg(feature = "reactor")]
    is_multiplexed: AtomicBool,
    /// Whether the client has broken the rules.
    has_breached: AtomicBool,
    cancels: Mutex<Rate>,
    tally: Tally,
    /// What had arrived when that was last looked at, to find idle connections.
    received_before: AtomicU64,
    deadlines: Mutex<Deadlines>,
    /// The calls that this ORB makes over the connection, where requests go both
    /// ways.
    #[cfg(feature = "bidirectional")]
    calls: OnceLock<Arc<SharedConnection>>,
    /// Itself.
    #[cfg(feature = "bidirectional")]
    this: Weak<Self>,
    /// What waits to be sent, where sending must not wait: from when the reactor
    /// reads the connection.
    #[cfg(feature = "reactor")]
    outbox: OnceLock<Outbox>,
    /// The end points that the client has named, and whether they are its own.
    #[cfg(feature = "bidirectional")]
    listen_points: Mutex<Vec<(ListenPoint, bool)>>,
}

/// By when the client must have done its part.
#[derive(Debug, Default)]
struct Deadlines {
    /// A message that has begun must have arrived.
    arrival: Option<Instant>,
    /// What waits to be sent must have been taken; after the goodbye, the client
    /// must have closed too.
    departure: Option<Instant>,
}

impl Peer {
    /// A connection whose thread may wait while it sends.
    pub(super) fn waiting(stream: Stream, settings: &Settings) -> Arc<Self> {
        Arc::new_cyclic(|_this| Self {
            #[cfg(feature = "bidirectional")]
            calls: OnceLock::new(),
            #[cfg(feature = "bidirectional")]
            this: Weak::clone(_this),
            source: stream.source(),
            stream,
            fragment_size: settings.fragment_size,
            #[cfg(feature = "reactor")]
            message_timeout: settings.message_timeout,
            drain_timeout: settings.drain_timeout,
            duty: Duty::new(),
            #[cfg(feature = "reactor")]
            request_id: AtomicU32::new(0),
            #[cfg(feature = "reactor")]
            overseen: AtomicU64::new(0),
            #[cfg(feature = "reactor")]
            handover: Mutex::default(),
            #[cfg(feature = "reactor")]
            is_multiplexed: AtomicBool::new(false),
            has_breached: AtomicBool::new(false),
            cancels: Mutex::new(Rate::per_second(settings.max_cancels_per_second)),
            tally: Tally::default(),
            received_before: AtomicU64::new(u64::MAX),
            deadlines: Mutex::default(),
            #[cfg(feature = "bidirectional")]
            listen_points: Mutex::default(),
            #[cfg(feature = "reactor")]
            outbox: OnceLock::new(),
        })
    }

    /// A connection that is served with others, for which nobody waits.
    #[cfg(feature = "reactor")]
    pub(super) fn reactive(stream: Stream, settings: &Settings) -> Arc<Self> {
        let peer = Self::waiting(stream, settings);
        peer.become_reactive();
        peer
    }

    /// From here on nobody waits while it sends.
    #[cfg(feature = "reactor")]
    pub(super) fn become_reactive(&self) {
        self.outbox.get_or_init(Outbox::default);
    }

    /// Whether nobody waits while it sends.
    #[cfg(feature = "reactor")]
    pub(super) fn is_reactive(&self) -> bool {
        self.outbox.get().is_some()
    }

    /// Returns when nobody waits any more while it sends: whoever relieves a
    /// thread says so at once.
    #[cfg(feature = "reactor")]
    pub(super) fn wait_until_reactive(&self) {
        self.outbox.wait();
    }

    /// Who is at the other end.
    pub(super) fn name(&self) -> &str {
        self.stream.peer()
    }

    /// Where the client is.
    pub(super) fn source(&self) -> Option<Source> {
        self.source
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Who reads the connection, and what is under way.
    #[inline]
    pub(super) fn duty(&self) -> &Duty {
        &self.duty
    }

    /// What the thread on duty leaves to whoever relieves it.
    #[cfg(feature = "reactor")]
    pub(super) fn handover(&self) -> MutexGuard<'_, Handover> {
        self.handover.lock()
    }

    /// Whether the client has sent more than what is being carried out, or has
    /// closed.
    #[cfg(feature = "reactor")]
    pub(super) fn has_unread(&self) -> bool {
        self.handover.lock().has_octets() || self.stream.has_arrived()
    }

    /// Whether the client may cancel one more request now.
    pub(super) fn admits_cancel(&self) -> bool {
        self.cancels.lock().admits(Instant::now())
    }

    /// Notes that the client has broken the rules, so that its connection ends.
    pub(super) fn note_breach(&self) {
        self.has_breached.store(true, Ordering::Relaxed);
    }

    /// Whether the client has broken the rules.
    pub(super) fn has_breached(&self) -> bool {
        self.has_breached.load(Ordering::Relaxed)
    }

    /// Notes which request is going to be carried out. False when its id is that
    /// of another which still is.
    #[cfg(feature = "reactor")]
    #[inline(always)]
    pub(super) fn note_request(&self, request_id: u32) -> bool {
        self.request_id.store(request_id, Ordering::Relaxed);
        !self.duty.has_apart() || !self.handover.lock().is_apart(request_id)
    }

    /// No other is.
    #[cfg(not(feature = "reactor"))]
    #[inline(always)]
    pub(super) fn note_request(&self, _: u32) -> bool {
        true
    }

    /// The request that the thread on duty carries out.
    #[cfg(feature = "reactor")]
    pub(super) fn request_id(&self) -> u32 {
        self.request_id.load(Ordering::Relaxed)
    }

    /// Whether the thread on duty has been running one and the same servant since
    /// this was last asked.
    #[cfg(feature = "reactor")]
    pub(super) fn is_kept(&self) -> bool {
        let now = match self.duty.is_in_upcall() {
            true => u64::from(self.request_id()) + 1,
            false => 0,
        };
        self.overseen.swap(now, Ordering::Relaxed) == now && now != 0
    }

    /// Notes that a servant has kept a thread while this client went on. It will
    /// happen again, and then a thread is to be relieved at once.
    #[cfg(feature = "reactor")]
    pub(super) fn note_multiplexing(&self) {
        self.is_multiplexed.store(true, Ordering::Relaxed);
    }

    /// Whether a servant has kept a thread while this client went on.
    #[cfg(feature = "reactor")]
    pub(super) fn is_multiplexed(&self) -> bool {
        self.is_multiplexed.load(Ordering::Relaxed)
    }

    /// Sends octets, or promises to, where the sender must not wait.
    #[inline]
    pub(super) fn send(&self, octets: &[u8]) -> io::Result<()> {
        #[cfg(feature = "reactor")]
        if let Some(outbox) = self.outbox.get() {
            return self.post(outbox, &mut [IoSlice::new(octets)]);
        }
        self.stream.send(octets)
    }

    #[cfg(feature = "reactor")]
    #[inline]
    fn post(&self, outbox: &Outbox, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let has_room = outbox.send(&self.stream, parts)?;
        if !has_room {
            self.note_congestion();
        }
        Ok(())
    }

    /// The client has to take what waits, and in time.
    #[cfg(feature = "reactor")]
    #[cold]
    fn note_congestion(&self) {
        let deadline = Instant::now().checked_add(self.message_timeout);
        let departure = &mut self.deadlines.lock().departure;
        *departure = departure.or(deadline);
    }

    /// Sends a whole message, in fragments if it is too large.
    #[inline]
    pub(super) fn send_message(&self, message: &[u8]) -> io::Result<()> {
        if message.len() <= self.fragment_size {
            return self.send(message);
        }
        self.send_in_fragments(message)
    }

    #[cold]
    fn send_in_fragments(&self, message: &[u8]) -> io::Result<()> {
        let not_whole = || io::Error::other("what is to be sent is no whole message");
        for piece in Fragments::new(message, self.fragment_size).ok_or_else(not_whole)? {
            self.send_parts([piece.head(), piece.payload])?;
        }
        Ok(())
    }

    /// [`send`](Self::send) of two parts, in one go.
    fn send_parts(&self, parts: [&[u8]; 2]) -> io::Result<()> {
        let mut parts = parts.map(IoSlice::new);
        #[cfg(feature = "reactor")]
        if let Some(outbox) = self.outbox.get() {
            return self.post(outbox, &mut parts);
        }
        self.stream.send_parts(&mut parts)
    }

    /// Sends the message that was written, with its tail if it has one.
    #[inline]
    pub(super) fn send_written(&self, message: &Encoder) -> io::Result<()> {
        match message.tail() {
            [] => self.send_message(message.as_bytes()),
            tail => self.send_with_tail(message.as_bytes(), tail),
        }
    }

    #[cold]
    fn send_with_tail(&self, message: &[u8], tail: &[u8]) -> io::Result<()> {
        match message.len() + tail.len() <= self.fragment_size {
            true => self.send_parts([message, tail]),
            false => self.send_in_fragments(&[message, tail].concat()),
        }
    }

    /// Whether the client does not take its replies.
    #[inline]
    pub(super) fn is_congested(&self) -> bool {
        #[cfg(feature = "reactor")]
        return self.outbox.get().is_some_and(Outbox::is_congested);
        // Whoever sends waits.
        #[cfg(not(feature = "reactor"))]
        false
    }

    /// Sends what waits, as far as there is room. True when nothing waits any
    /// more.
    #[cfg(feature = "reactor")]
    pub(super) fn flush(&self) -> io::Result<bool> {
        let Some(outbox) = self.outbox.get() else {
            return Ok(true);
        };
        let is_empty = outbox.flush(&self.stream)?;
        if is_empty && !self.duty.is_closing() {
            self.deadlines.lock().departure = None;
        }
        Ok(is_empty)
    }

    /// Lets requests go both ways, and gives the connection for those from here.
    /// `listen_points` is what the first of them tells of our own end points.
    #[cfg(feature = "bidirectional")]
    pub(super) fn open_both_ways(
        &self,
        origin: Origin,
        listen_points: &[u8],
        settings: &Settings,
    ) -> &Arc<SharedConnection> {
        // Replies must be read while servants run.
        self.note_multiplexing();
        self.calls.get_or_init(|| {
            let carrier: Weak<dyn Carrier> = Weak::<Self>::clone(&self.this);
            let calls =
                SharedConnection::carried(carrier, self.name(), origin, listen_points, settings);
            Arc::new(calls)
        })
    }

    /// The end points that the client has named, and whether they are its own.
    #[cfg(feature = "bidirectional")]
    pub(super) fn listen_points(&self) -> MutexGuard<'_, Vec<(ListenPoint, bool)>> {
        self.listen_points.lock()
    }

    /// Waits until the peer has taken what was sent before. Replies do not wait for that:
    /// there are never more of them than requests. Calls might be without end.
    #[cfg(feature = "bidirectional")]
    fn wait_until_taken(&self) -> io::Result<()> {
        match self.outbox.get() {
            Some(outbox) if !outbox.wait_until_empty(self.message_timeout) => {
                Err(io::ErrorKind::TimedOut.into())
            }
            _ => Ok(()),
        }
    }

    /// The calls that this ORB makes over the connection.
    #[cfg(feature = "bidirectional")]
    pub(super) fn calls(&self) -> Option<&SharedConnection> {
        self.calls.get().map(Arc::as_ref)
    }

    /// Ends the calls that this ORB makes over the connection.
    #[cfg(feature = "bidirectional")]
    pub(super) fn hang_up(&self, said_goodbye: bool) {
        if let Some(calls) = self.calls() {
            calls.hang_up(said_goodbye);
        }
    }

    /// Half-closes, once everything has been sent; the client has to close too,
    /// and in time.
    pub(super) fn stop_sending(&self) {
        self.deadlines.lock().departure = Instant::now().checked_add(self.drain_timeout);
        #[cfg(feature = "reactor")]
        if let Some(outbox) = self.outbox.get() {
            return outbox.stop_sending(&self.stream);
        }
        self.stream.stop_sending();
    }

    /// Whether a request is being carried out.
    pub(super) fn is_busy(&self) -> bool {
        self.duty.is_busy()
    }

    /// Closes the connection as soon as what is under way has been answered.
    pub(super) fn close(&self) {
        if self.duty.close() == Rest::Goodbye {
            self.say_goodbye();
        }
    }

    /// Closes the connection without ceremony.
    pub(super) fn abort(&self) {
        self.stream.stop();
    }

    /// Closes the connection if nothing has happened since this was last asked,
    /// and ends it if it has been closed then.
    pub(super) fn close_if_idle(&self) {
        let received = self.tally.received();
        let has_moved = self.received_before.swap(received, Ordering::Relaxed) != received;
        #[cfg(feature = "bidirectional")]
        let has_moved = has_moved || self.calls().is_some_and(|calls| !calls.is_idle());
        if has_moved || self.is_busy() {
            return;
        }
        if self.duty.is_closing() {
            self.abort();
        } else {
            counters::server::timed_out("idle");
            tracing::debug!(
                peer = self.name(),
                "idle for too long, closing the connection"
            );
            self.close();
        }
    }

    /// Closes the connection if its client has not done in time what it must,
    /// and ends it if it has not even closed in turn.
    pub(super) fn close_if_overdue(&self, now: Instant) {
        let is_over = |deadline: Option<Instant>| deadline.is_some_and(|time| time <= now);
        let (arrival, departure) = {
            let mut deadlines = self.deadlines.lock();
            let over = (is_over(deadlines.arrival), is_over(deadlines.departure));
            if over.0 {
                deadlines.arrival = None;
            }
            if over.1 {
                deadlines.departure = now.checked_add(self.drain_timeout);
            }
            over
        };
        if departure && self.duty.is_closing() {
            self.abort();
        } else if arrival || departure {
            counters::server::timed_out("message");
            tracing::warn!(
                peer = self.name(),
                "a message took too long to arrive or to be taken, closing the connection"
            );
            self.close();
        }
    }

    /// Says by when the message that is arriving must have arrived.
    pub(super) fn set_arrival_deadline(&self, deadline: Option<Instant>) {
        self.deadlines.lock().arrival = deadline;
    }

    /// What is counted of it.
    #[inline]
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Sends CloseConnection, by which the client knows that what it still
    /// sends has not been begun, and half-closes (CORBA 3.3 part 2, 9.4.7).
    pub(super) fn say_goodbye(&self) {
        self.send_bodyless(Version::V1_0, MessageType::CloseConnection);
        self.stop_sending();
    }

    pub(super) fn send_bodyless(&self, version: Version, message_type: MessageType) {
        // The peer may be gone; then it needs no message.
        let _ = self.send(&MessageHeader::bodyless(version, message_type).to_bytes());
    }
}

/// Where requests go both ways.
#[cfg(feature = "bidirectional")]
impl Carrier for Peer {
    fn send_message(&self, message: &[u8]) -> io::Result<()> {
        self.wait_until_taken()?;
        self.send_message(message)
    }

    #[cfg(feature = "oneway-queue")]
    fn send_whole(&self, messages: &[u8]) -> io::Result<()> {
        self.wait_until_taken()?;
        self.send(messages)
    }

    fn stop(&self) {
        self.abort();
    }
}
