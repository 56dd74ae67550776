//! What a connection makes of the octets that arrive, whoever reads them.

use std::time::{Duration, Instant};

use taut_cdr::{Decoder, Encoder};
use taut_giop::Version;
use taut_giop::framing::{Framer, Step};
use taut_giop::message::{FrameError, HEADER_SIZE, MessageHeader, MessageType, PlainRequest};

use super::ObjectAdapter;
use super::dispatch::Dispatcher;
use super::peer::Peer;
use super::rate::Rate;
use crate::message::reserve_for;
use crate::settings::Settings;

/// What the buffers of a connection or a thread hold at first.
pub(super) const INITIAL_CAPACITY: usize = 4 * 1024;
/// A buffer that a large message made grow beyond this is not kept.
pub(super) const MAX_KEPT_CAPACITY: usize = 1024 * 1024;

/// One connection's side of the conversation.
pub(super) struct Session<A> {
    dispatcher: Dispatcher<A>,
    framer: Framer,
    /// When the message that is arriving in parts began to.
    arriving: Option<Arriving>,
    /// When fragments that came too long ago were last dropped.
    swept: Option<Instant>,
    cancels: Rate,
    header_timeout: Duration,
    message_timeout: Duration,
    drain_timeout: Duration,
}

/// A message of which a part has arrived.
struct Arriving {
    since: Instant,
    /// Whether all of its header is there.
    has_header: bool,
}

/// How a session stands after it has dealt with what arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// All that arrived has been dealt with, or kept.
    Attentive,
    /// The client does not take its replies: the rest has to wait.
    Congested,
}

/// Why a connection ends.
#[derive(Debug)]
pub(super) enum End {
    /// The client closed it, or it failed.
    Gone,
    /// We close it, and have said so.
    Closed,
    /// The client broke the rules of GIOP.
    Broken(FrameError),
    /// A message's header cannot be read, or it goes the wrong way.
    Unreadable(Version),
    /// The client cancels more than it may.
    Flood,
}

impl<A: ObjectAdapter> Session<A> {
    pub(super) fn new(dispatcher: Dispatcher<A>, settings: &Settings) -> Self {
        Self {
            dispatcher,
            framer: Framer::new(settings.framing),
            arriving: None,
            swept: None,
            cancels: Rate::per_second(settings.max_cancels_per_second),
            header_timeout: settings.header_timeout,
            message_timeout: settings.message_timeout,
            drain_timeout: settings.drain_timeout,
        }
    }

    /// How long the client may take for a message, and for closing.
    pub(super) fn timeouts(&self) -> (Duration, Duration) {
        (self.message_timeout, self.drain_timeout)
    }

    /// Carries out every request that is whole, and leaves in `input` what
    /// belongs to one that is not, with room for more.
    ///
    /// # Errors
    ///
    /// When the connection ends.
    #[inline]
    pub(super) fn take_in(
        &mut self,
        peer: &Peer,
        input: &mut Vec<u8>,
        out: &mut Encoder,
    ) -> Result<Standing, End> {
        // Mostly, what has arrived is just one message, and the message a plain
        // request.
        if self.arriving.is_none()
            && let Some(request) = PlainRequest::read(input)
        {
            let dispatcher = &self.dispatcher;
            carry_out(peer, Version::V1_2, out, |out| {
                dispatcher.plain_request(&request, input, out)
            })?;
            recycle(input);
            return Ok(standing(peer));
        }
        self.take_in_any(peer, input, out)
    }

    #[cold]
    fn take_in_any(
        &mut self,
        peer: &Peer,
        input: &mut Vec<u8>,
        out: &mut Encoder,
    ) -> Result<Standing, End> {
        // The octets before it have been dealt with.
        let mut start = 0;
        let needed = loop {
            if standing(peer) == Standing::Congested {
                input.drain(..start);
                return Ok(Standing::Congested);
            }
            let step = self.framer.next(&input[start..]).map_err(End::Broken)?;
            match step {
                Step::Message {
                    header,
                    bytes,
                    consumed,
                } => {
                    start += consumed;
                    let message = header.decoder(bytes);
                    handle(
                        peer,
                        &mut self.dispatcher,
                        &mut self.cancels,
                        &header,
                        message,
                        out,
                    )?;
                }
                Step::Reassembled { message, consumed } => {
                    start += consumed;
                    let header = message.header;
                    let message = message.decoder();
                    handle(
                        peer,
                        &mut self.dispatcher,
                        &mut self.cancels,
                        &header,
                        message,
                        out,
                    )?;
                }
                Step::Absorbed { consumed } => {
                    start += consumed;
                    self.drop_old_fragments();
                }
                Step::NeedMore { total } => break total,
            }
            out.shrink(MAX_KEPT_CAPACITY, INITIAL_CAPACITY);
        };
        let has_progressed = start > 0;
        if start == input.len() {
            recycle(input);
        } else {
            input.drain(..start);
            reserve_for(input, needed);
        }
        self.note_arrival(peer, input.len(), has_progressed);
        Ok(Standing::Attentive)
    }

    /// Sees to it that whoever begins a message also ends it: sets the time by
    /// which more must have come, of which the server's watch makes sure.
    fn note_arrival(&mut self, peer: &Peer, waiting: usize, has_progressed: bool) {
        if waiting == 0 && self.framer.partial_messages() == 0 {
            if self.arriving.take().is_some() {
                peer.set_deadline(None);
            }
            return;
        }
        let has_header = waiting == 0 || waiting >= HEADER_SIZE;
        let since = match &self.arriving {
            Some(arriving) if !has_progressed && arriving.has_header == has_header => return,
            Some(arriving) if !has_progressed => arriving.since,
            _ => Instant::now(),
        };
        let timeout = match has_header {
            true => self.message_timeout,
            false => self.header_timeout,
        };
        self.arriving = Some(Arriving { since, has_header });
        peer.set_deadline(since.checked_add(timeout));
    }

    /// Drops what has been kept of messages whose fragments take too long. A
    /// client that goes on with one breaks the rules.
    fn drop_old_fragments(&mut self) {
        let now = Instant::now();
        let swept = *self.swept.get_or_insert(now);
        if now - swept >= self.message_timeout {
            self.swept = Some(now);
            self.framer.drop_stale_partials();
        }
    }
}

/// Whether the client takes its replies.
#[inline]
fn standing(peer: &Peer) -> Standing {
    match peer.outbox() {
        Some(outbox) if outbox.is_congested() => Standing::Congested,
        _ => Standing::Attentive,
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
        Ok(()) if !out.is_empty() => peer.send_message(out.as_bytes()),
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
fn handle<A: ObjectAdapter>(
    peer: &Peer,
    dispatcher: &mut Dispatcher<A>,
    cancels: &mut Rate,
    header: &MessageHeader,
    input: taut_cdr::Result<Decoder<'_>>,
    out: &mut Encoder,
) -> Result<(), End> {
    let unreadable = |_| End::Unreadable(header.version);
    match header.message_type {
        MessageType::Request => carry_out(peer, header.version, out, |out| {
            dispatcher.request(header.version, input?, out, |acknowledgement| {
                let _ = peer.send(acknowledgement);
            })
        }),
        MessageType::LocateRequest => {
            out.clear();
            dispatcher
                .locate(header.version, input.map_err(unreadable)?, out)
                .map_err(unreadable)?;
            peer.send_message(out.as_bytes()).map_err(|_| End::Gone)
        }
        // Advice to drop a request; by the time it is read here the request
        // has been answered.
        MessageType::CancelRequest if cancels.admits(Instant::now()) => Ok(()),
        MessageType::CancelRequest => Err(End::Flood),
        MessageType::CloseConnection | MessageType::MessageError => Err(End::Gone),
        MessageType::Reply | MessageType::LocateReply | MessageType::Fragment => {
            Err(End::Unreadable(header.version))
        }
    }
}

/// Tells the client why its connection ends, if it must be told, and those who
/// look after the server.
pub(super) fn take_leave(peer: &Peer, end: &End) {
    let name = peer.name();
    match end {
        End::Gone => tracing::debug!(peer = name, "connection closed by the client"),
        End::Closed => tracing::debug!(peer = name, "connection closed"),
        End::Broken(error) => {
            tracing::warn!(peer = name, %error, "protocol error, closing the connection");
            let _ = peer.send(&error.answer());
        }
        End::Unreadable(version) => {
            tracing::warn!(peer = name, "unreadable message, closing the connection");
            peer.send_bodyless(*version, MessageType::MessageError);
        }
        End::Flood => {
            tracing::warn!(
                peer = name,
                "refused: max_cancels_per_second is exceeded, closing the connection"
            );
            peer.close();
        }
    }
    peer.stop_sending();
}
