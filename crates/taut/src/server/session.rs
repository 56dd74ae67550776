//! What a connection makes of the octets that arrive, whoever reads them.

use std::mem;
use std::ops::Range;
use std::time::{Duration, Instant};

use taut_cdr::Encoder;
use taut_giop::Version;
use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::message::{HEADER_SIZE, MessageHeader, PlainRequest};

use super::ObjectAdapter;
use super::dispatch::Dispatcher;
use super::duty::{Shift, Task};
use super::exchange::{self, End, Whole, handle};
use super::handover::Unread;
use super::peer::Peer;
use crate::buffer_pool;
use crate::message::reserve_for;
use crate::settings::Settings;

/// What the buffers of a connection or a thread hold at first.
pub(super) const INITIAL_CAPACITY: usize = 4 * 1024;
/// A buffer that a large message made grow beyond this is not kept.
pub(super) const MAX_KEPT_CAPACITY: usize = 1024 * 1024;

/// One connection's side of the conversation, as the thread on duty has it.
pub(super) struct Session<A> {
    dispatcher: Dispatcher<A>,
    shift: Shift,
    framer: Framer,
    /// When the message that is arriving in parts began to.
    arriving: Option<Arriving>,
    /// When fragments that came too long ago were last dropped.
    swept: Option<Instant>,
    limits: FramingLimits,
    header_timeout: Duration,
    message_timeout: Duration,
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

impl<A: ObjectAdapter> Session<A> {
    /// The session of the first thread that reads a connection.
    pub(super) fn new(dispatcher: Dispatcher<A>, peer: &Peer, settings: &Settings) -> Self {
        Self {
            dispatcher,
            shift: peer.duty().shift(),
            framer: Framer::new(settings.framing),
            arriving: None,
            swept: None,
            limits: settings.framing,
            header_timeout: settings.header_timeout,
            message_timeout: settings.message_timeout,
        }
    }

    /// The session of a thread that has relieved another, and the octets that
    /// it left.
    pub(super) fn succeed(
        dispatcher: Dispatcher<A>,
        peer: &Peer,
        settings: &Settings,
    ) -> (Self, Vec<u8>) {
        let mut handover = peer.handover();
        handover.toggle_apart(peer.request_id());
        let mut session = Self::new(dispatcher, peer, settings);
        session.dispatcher.set_char_code_set(handover.char_code_set);
        let Some(unread) = handover.take() else {
            return (session, Vec::new());
        };
        let (framer, octets) = unread.into_rest();
        session.framer = framer;
        let waiting = octets.len();
        drop(handover);
        session.note_arrival(peer, waiting, true);
        (session, octets)
    }

    /// Carries out every request that is whole, and leaves in `input` what
    /// belongs to one that is not, with room for more.
    ///
    /// # Errors
    ///
    /// When the connection ends, or another thread reads it from here on.
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
            let shift = self.shift;
            exchange::begin(
                peer,
                shift,
                Version::V1_2,
                request.request_id,
                Task::Request,
            )?;
            out.clear();
            let read = self.dispatcher.plain_request(&request, input, out);
            exchange::conclude(peer, shift, Version::V1_2, request.request_id, read, out)?;
            recycle(input);
            out.shrink(MAX_KEPT_CAPACITY, INITIAL_CAPACITY);
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
        if self.framer.partial_messages() > 0 {
            self.drop_old_fragments();
        }
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
                    header, consumed, ..
                } => {
                    let message = start..start + consumed;
                    start += consumed;
                    if start == input.len() && self.framer.partial_messages() == 0 {
                        let message = Whole::new(header, &input[message]);
                        handle(peer, self.shift, &mut self.dispatcher, &message, out)?;
                    } else {
                        self.handle_before_others(peer, header, input, message, out)?;
                    }
                }
                Step::Reassembled { message, consumed } => {
                    start += consumed;
                    self.leave_copied(peer, &input[start..]);
                    let message = Whole {
                        header: message.header,
                        octets: &message.bytes,
                        realignments: &message.realignments,
                    };
                    handle(peer, self.shift, &mut self.dispatcher, &message, out)?;
                    buffer_pool::give(self.take_back(peer));
                }
                Step::Absorbed { consumed } => start += consumed,
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

    /// Deals with the message in `input` that `range` says, where something has
    /// arrived behind it, which a thread that relieves this one must find.
    fn handle_before_others(
        &mut self,
        peer: &Peer,
        header: MessageHeader,
        input: &mut Vec<u8>,
        range: Range<usize>,
        out: &mut Encoder,
    ) -> Result<(), End> {
        // Whatever is less is copied.
        if input.len() - range.end <= range.len() {
            self.leave_copied(peer, &input[range.end..]);
            let message = Whole::new(header, &input[range]);
            handle(peer, self.shift, &mut self.dispatcher, &message, out)?;
            buffer_pool::give(self.take_back(peer));
            return Ok(());
        }
        let mut octets = buffer_pool::take();
        octets.extend_from_slice(&input[range.clone()]);
        self.leave(peer, |framer| {
            Unread::new(framer, mem::take(input), range.end)
        });
        let message = Whole::new(header, &octets);
        let handled = handle(peer, self.shift, &mut self.dispatcher, &message, out);
        buffer_pool::give(octets);
        if !matches!(handled, Err(End::Relieved { .. })) {
            *input = self.take_back(peer);
        }
        handled
    }

    /// Leaves what has not been dealt with to whoever may relieve this thread.
    fn leave(&mut self, peer: &Peer, unread: impl FnOnce(Framer) -> Unread) {
        let framer = mem::replace(&mut self.framer, Framer::new(self.limits));
        peer.handover().leave(unread(framer));
    }

    fn leave_copied(&mut self, peer: &Peer, octets: &[u8]) {
        self.leave(peer, |framer| Unread::copied(framer, octets));
    }

    /// Takes back what was left to others, for nobody has relieved this thread.
    fn take_back(&mut self, peer: &Peer) -> Vec<u8> {
        let Some(unread) = peer.handover().take() else {
            return Vec::new();
        };
        let (framer, octets) = unread.into_parts();
        self.framer = framer;
        octets
    }

    /// Sees to it that whoever begins a message also ends it: sets the time by
    /// which more must have come, of which the server's watch makes sure.
    fn note_arrival(&mut self, peer: &Peer, waiting: usize, has_progressed: bool) {
        if waiting == 0 && self.framer.partial_messages() == 0 {
            if self.arriving.take().is_some() {
                peer.set_arrival_deadline(None);
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
        peer.set_arrival_deadline(since.checked_add(timeout));
    }

    /// Drops what has been kept of messages whose fragments take too long, however
    /// many come and whatever comes between them. A client that goes on with one
    /// breaks the rules.
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
    match peer.is_congested() {
        true => Standing::Congested,
        false => Standing::Attentive,
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
