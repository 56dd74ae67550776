//! A connection that a client opened, and the thread that serves it.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use taut_cdr::{Decoder, Encoder};
use taut_giop::Version;
use taut_giop::framing::{Framer, Step};
use taut_giop::message::{FrameError, MessageHeader, MessageType, PlainRequest};

use super::ObjectAdapter;
use super::dispatch::Dispatcher;
use crate::connection::reserve_for;
use crate::settings::Settings;
use crate::transport::Stream;

/// A request is being carried out.
const BUSY: u8 = 1;
/// No further request will be.
const CLOSING: u8 = 2;

/// What the initial buffers of a connection hold.
const INITIAL_CAPACITY: usize = 4 * 1024;
/// A buffer that a large message made grow beyond this is not kept.
const MAX_KEPT_CAPACITY: usize = 1024 * 1024;

/// A connection, as others may touch it: to close it.
#[derive(Debug)]
pub(super) struct Peer {
    stream: Stream,
    /// `BUSY` and `CLOSING`. Whoever finds the connection closing and not busy
    /// says goodbye: the closer, or the thread when its request is done.
    state: AtomicU8,
    /// Counts what happens; only the connection's own thread writes it.
    events: AtomicU64,
    /// `events` when it was last looked at, to find idle connections.
    events_seen: AtomicU64,
}

/// Why a connection ends.
enum End {
    /// The client closed it, or it failed.
    Gone,
    /// We close it, and have said so.
    Closed,
    /// The client left a message unfinished for too long.
    Silent,
    /// The client broke the rules of GIOP.
    Broken(FrameError),
    /// A message's header cannot be read, or it goes the wrong way.
    Unreadable(Version),
}

impl Peer {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            state: AtomicU8::new(0),
            events: AtomicU64::new(0),
            events_seen: AtomicU64::new(u64::MAX),
        }
    }

    /// Who is at the other end.
    pub(super) fn name(&self) -> &str {
        self.stream.peer()
    }

    /// Whether a request is being carried out.
    pub(super) fn is_busy(&self) -> bool {
        self.state.load(Ordering::Acquire) & BUSY != 0
    }

    /// Closes the connection as soon as the request that runs, if one does,
    /// has been answered.
    pub(super) fn close(&self) {
        if self.state.fetch_or(CLOSING, Ordering::AcqRel) == 0 {
            self.say_goodbye();
        }
    }

    /// Closes the connection without ceremony.
    pub(super) fn abort(&self) {
        self.stream.stop_receiving();
    }

    /// Closes the connection if nothing has happened since this was last asked,
    /// and ends it if it has been closed then.
    pub(super) fn close_if_idle(&self) {
        let events = self.events.load(Ordering::Relaxed);
        if self.events_seen.swap(events, Ordering::Relaxed) != events || self.is_busy() {
            return;
        }
        if self.state.load(Ordering::Acquire) & CLOSING == 0 {
            tracing::debug!(
                peer = self.name(),
                "idle for too long, closing the connection"
            );
            self.close();
        } else {
            self.abort();
        }
    }

    /// Notes that something has arrived.
    #[inline]
    fn note_event(&self) {
        // No other thread writes it, so reading and writing need not be one.
        let events = self.events.load(Ordering::Relaxed);
        self.events.store(events.wrapping_add(1), Ordering::Relaxed);
    }

    /// Begins a request, unless the connection is closing.
    #[inline]
    fn begin_request(&self) -> bool {
        self.state
            .compare_exchange(0, BUSY, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Ends a request. False when the connection has been closed meanwhile.
    #[inline]
    fn end_request(&self) -> bool {
        if self.state.fetch_and(!BUSY, Ordering::AcqRel) & CLOSING == 0 {
            return true;
        }
        self.say_goodbye();
        false
    }

    /// Sends CloseConnection, by which the client knows that what it still
    /// sends has not been begun, and half-closes (CORBA 3.3 part 2, 9.4.7).
    fn say_goodbye(&self) {
        self.send_bodyless(Version::V1_0, MessageType::CloseConnection);
        self.stream.stop_sending();
    }

    fn send_bodyless(&self, version: Version, message_type: MessageType) {
        // The peer may be gone; then it needs no message.
        let _ = self
            .stream
            .send(&MessageHeader::bodyless(version, message_type).to_bytes());
    }
}

/// Serves a connection until it ends. `settled` is called when a request has
/// been answered on a connection that is closing.
pub(super) fn serve<A: ObjectAdapter>(
    peer: &Arc<Peer>,
    mut dispatcher: Dispatcher<A>,
    settings: &Settings,
    settled: impl Fn(),
) {
    tracing::debug!(peer = peer.name(), "connection accepted");
    let end = serve_until_end(peer, &mut dispatcher, settings, &settled);
    match end {
        End::Gone => tracing::debug!(peer = peer.name(), "connection closed by the client"),
        End::Closed => tracing::debug!(peer = peer.name(), "connection closed"),
        End::Silent => {
            tracing::debug!(
                peer = peer.name(),
                "a message took too long to arrive, closing the connection"
            );
            peer.close();
        }
        End::Broken(error) => {
            tracing::warn!(peer = peer.name(), %error, "protocol error, closing the connection");
            let _ = peer.stream.send(&error.answer());
        }
        End::Unreadable(version) => {
            tracing::warn!(
                peer = peer.name(),
                "unreadable message, closing the connection"
            );
            peer.send_bodyless(version, MessageType::MessageError);
        }
    }
    drain(peer, settings);
}

fn serve_until_end<A: ObjectAdapter>(
    peer: &Peer,
    dispatcher: &mut Dispatcher<A>,
    settings: &Settings,
    settled: &impl Fn(),
) -> End {
    let mut framer = Framer::new(settings.framing);
    let mut input: Vec<u8> = Vec::with_capacity(INITIAL_CAPACITY);
    let mut out = Encoder::with_buffer(Vec::with_capacity(INITIAL_CAPACITY), settings.byte_order);
    // The octets of `input` before it have been dealt with.
    let mut start = 0;
    let mut patience = Patience::new(peer, settings);
    loop {
        // Mostly, what is received is just one message, and the message a
        // plain request.
        if start == input.len() {
            recycle(&mut input);
            start = 0;
            if let Err(end) = patience.rest().and_then(|()| receive(peer, &mut input)) {
                return end;
            }
            if let Some(request) = PlainRequest::read(&input) {
                start = input.len();
                let handled = carry_out(peer, Version::V1_2, &mut out, |out| {
                    dispatcher.plain_request(&request, &input, out)
                });
                if let Err(end) = handled {
                    settled();
                    return end;
                }
                continue;
            }
        }
        let handled = match framer.next(&input[start..]) {
            Ok(Step::Message {
                header,
                bytes,
                consumed,
            }) => {
                start += consumed;
                handle(peer, dispatcher, &header, header.decoder(bytes), &mut out)
            }
            Ok(Step::Reassembled { message, consumed }) => {
                start += consumed;
                handle(
                    peer,
                    dispatcher,
                    &message.header,
                    message.decoder(),
                    &mut out,
                )
            }
            Ok(Step::Absorbed { consumed }) => {
                start += consumed;
                Ok(())
            }
            Ok(Step::NeedMore { total }) => {
                input.drain(..start);
                start = 0;
                reserve_for(&mut input, total);
                patience
                    .within_message()
                    .and_then(|()| receive(peer, &mut input))
            }
            Err(error) => return End::Broken(error),
        };
        if let Err(end) = handled {
            settled();
            return end;
        }
        out.shrink(MAX_KEPT_CAPACITY, INITIAL_CAPACITY);
    }
}

/// Waits for octets, as long as the peer's time-out allows.
#[inline]
fn receive(peer: &Peer, input: &mut Vec<u8>) -> Result<(), End> {
    match peer.stream.receive(input) {
        Ok(0) => Err(End::Gone),
        Ok(_) => {
            peer.note_event();
            Ok(())
        }
        Err(error) => Err(match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => End::Silent,
            _ => End::Gone,
        }),
    }
}

/// How long a connection's thread waits for the rest of a message. Between
/// messages it waits without a time-out, which would cost the kernel a timer for
/// every call: idle connections are found by looking at them all now and then.
struct Patience<'p> {
    peer: &'p Peer,
    message_timeout: Duration,
    /// When the message that is arriving must have arrived.
    deadline: Option<Instant>,
}

impl<'p> Patience<'p> {
    fn new(peer: &'p Peer, settings: &Settings) -> Self {
        Self {
            peer,
            message_timeout: settings.message_timeout,
            deadline: None,
        }
    }

    /// Between messages. Costs nothing unless a message came in parts before.
    #[inline]
    fn rest(&mut self) -> Result<(), End> {
        match self.deadline.take() {
            None => Ok(()),
            Some(_) => self.set(None),
        }
    }

    /// Within a message. The socket's time-out is set once for each; that the
    /// parts together take no longer is seen to by the clock.
    #[cold]
    fn within_message(&mut self) -> Result<(), End> {
        let now = Instant::now();
        match self.deadline {
            Some(deadline) if now >= deadline => Err(End::Silent),
            Some(_) => Ok(()),
            None => {
                self.deadline = Some(now + self.message_timeout);
                self.set(Some(self.message_timeout))
            }
        }
    }

    fn set(&self, timeout: Option<Duration>) -> Result<(), End> {
        let timeout = timeout.filter(|timeout| !timeout.is_zero());
        let set = self.peer.stream.set_receive_timeout(timeout);
        set.map_err(|_| End::Gone)
    }
}

/// Empties a buffer; one that a large message made grow is not kept.
#[inline]
fn recycle(buffer: &mut Vec<u8>) {
    if buffer.capacity() > MAX_KEPT_CAPACITY {
        *buffer = Vec::with_capacity(INITIAL_CAPACITY);
    }
    buffer.clear();
}

/// Carries out a request, unless the connection is closing, and sends what
/// `request` leaves in `out`.
#[inline]
fn carry_out(
    peer: &Peer,
    version: Version,
    out: &mut Encoder,
    request: impl FnOnce(&mut Encoder) -> taut_cdr::Result<()>,
) -> Result<(), End> {
    if !peer.begin_request() {
        return Err(End::Closed);
    }
    out.clear();
    let read = request(out);
    let sent = match read {
        Ok(()) if !out.is_empty() => peer.stream.send(out.as_bytes()),
        _ => Ok(()),
    };
    let open = peer.end_request();
    match (read, sent) {
        (Err(_), _) => Err(End::Unreadable(version)),
        (_, Err(_)) => Err(End::Gone),
        _ if open => Ok(()),
        _ => Err(End::Closed),
    }
}

/// Deals with one whole message, whatever it is.
#[cold]
fn handle<A: ObjectAdapter>(
    peer: &Peer,
    dispatcher: &mut Dispatcher<A>,
    header: &MessageHeader,
    input: taut_cdr::Result<Decoder<'_>>,
    out: &mut Encoder,
) -> Result<(), End> {
    let unreadable = |_| End::Unreadable(header.version);
    match header.message_type {
        MessageType::Request => carry_out(peer, header.version, out, |out| {
            dispatcher.request(header.version, input?, out, |acknowledgement| {
                let _ = peer.stream.send(acknowledgement);
            })
        }),
        MessageType::LocateRequest => {
            out.clear();
            dispatcher
                .locate(header.version, input.map_err(unreadable)?, out)
                .map_err(unreadable)?;
            peer.stream.send(out.as_bytes()).map_err(|_| End::Gone)
        }
        // Advice to drop a request; by the time it is read here the request
        // has been answered.
        MessageType::CancelRequest => Ok(()),
        MessageType::CloseConnection | MessageType::MessageError => Err(End::Gone),
        MessageType::Reply | MessageType::LocateReply | MessageType::Fragment => {
            Err(End::Unreadable(header.version))
        }
    }
}

/// Half-closes, then reads what still comes until the client closes too: a
/// socket that is closed with unread octets would take the last message back.
fn drain(peer: &Peer, settings: &Settings) {
    peer.stream.stop_sending();
    if peer
        .stream
        .set_receive_timeout(Some(settings.drain_timeout))
        .is_err()
    {
        return;
    }
    // However much the peer still sends, and however slowly: once the time is
    // over, the connection is.
    let deadline = Instant::now() + settings.drain_timeout;
    let mut discarded = Vec::with_capacity(INITIAL_CAPACITY);
    while let Ok(1..) = peer.stream.receive(&mut discarded) {
        discarded.clear();
        if Instant::now() >= deadline {
            break;
        }
    }
}
