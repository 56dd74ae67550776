//! What a connection makes of the octets that arrive, whoever reads them.

mod relief;

use std::hint::cold_path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_cdr::Encoder;
use taut_giop::framing::FramingLimits;
use taut_giop::framing::{Framer, Step};
use taut_giop::message::{HEADER_SIZE, PlainRequest};

use super::ObjectAdapter;
use super::dispatch::Dispatcher;
use super::duty::Shift;
use super::exchange::{End, Whole, handle, handle_plain};
use super::handover::Octets;
use super::peer::Peer;
use crate::buffer_pool::{INITIAL_CAPACITY, MAX_KEPT_CAPACITY};
use crate::fragment_sweep::FragmentSweep;
use crate::message::reserve_for;
use crate::settings::Settings;

/// One connection's side of the conversation, as the thread on duty has it.
pub(super) struct Session<A> {
    dispatcher: Dispatcher<A>,
    shift: Shift,
    framer: Framer,
    /// When the message that is arriving in parts began to.
    arriving: Option<Arriving>,
    fragment_sweep: FragmentSweep,
    limits: FramingLimits,
    /// Where others find what is in the buffer while a message of it is carried out.
    shared: Option<Arc<Octets>>,
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
            fragment_sweep: FragmentSweep::every(settings.message_timeout),
            limits: settings.framing,
            shared: None,
            header_timeout: settings.header_timeout,
            message_timeout: settings.message_timeout,
        }
    }

    /// Has requests refused from here on, or carried out again.
    pub(super) fn set_refusing(&mut self, refuses: bool) {
        self.dispatcher.set_refusing(refuses);
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
            handle_plain(peer, self.shift, &self.dispatcher, &request, input, out)?;
            recycle(input);
            out.shrink(MAX_KEPT_CAPACITY, INITIAL_CAPACITY);
            return Ok(standing(peer));
        }
        self.take_in_any(peer, input, out)
    }

    #[cold]
    #[inline(never)]
    fn take_in_any(
        &mut self,
        peer: &Peer,
        input: &mut Vec<u8>,
        out: &mut Encoder,
    ) -> Result<Standing, End> {
        peer.note_version_before(input.len());
        if self.framer.partial_messages() > 0 {
            self.fragment_sweep
                .sweep(&mut self.framer, Instant::now(), |_| false);
        }
        // The octets before it have been dealt with.
        let mut start = 0;
        let needed = loop {
            if standing(peer) == Standing::Congested {
                input.drain(..start);
                return Ok(Standing::Congested);
            }
            let step = self.framer.next(&input[start..]).map_err(|error| {
                peer.note_version_of(&input[start..]);
                End::Broken(error)
            })?;
            match step {
                Step::Message {
                    header, consumed, ..
                } => {
                    self.note_arrived(peer);
                    let message = start..start + consumed;
                    start = if message.end == input.len() && self.framer.partial_messages() == 0 {
                        let end = message.end;
                        let message = Whole::new(header, &input[message]);
                        handle(peer, self.shift, &mut self.dispatcher, &message, out)?;
                        end
                    } else {
                        self.handle_before_others(peer, header, input, message, out)?
                    };
                }
                Step::Reassembled { message, consumed } => {
                    self.note_arrived(peer);
                    start += consumed;
                    let message = Whole {
                        header: message.header,
                        octets: &message.bytes,
                        realignments: &message.realignments,
                    };
                    self.handle_reassembled(peer, &message, input, start, out)?;
                }
                Step::Absorbed { consumed } => {
                    peer.note_version_of(&input[start..]);
                    start += consumed;
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
            peer.note_version_of(input);
            reserve_for(input, needed);
        }
        self.note_arrival(peer, input.len(), has_progressed);
        Ok(Standing::Attentive)
    }

    /// Notes that a message is there in full: from here on it is the servant that takes
    /// time, and not the client.
    fn note_arrived(&mut self, peer: &Peer) {
        if self.arriving.take().is_some() {
            peer.set_arrival_deadline(None);
        }
    }

    /// Sees to it that whoever begins a message also ends it: sets the time by
    /// which more must have come, of which the server's watch makes sure.
    fn note_arrival(&mut self, peer: &Peer, waiting: usize, has_progressed: bool) {
        if waiting == 0 && self.framer.partial_messages() == 0 {
            return self.note_arrived(peer);
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
        cold_path();
        *buffer = Vec::with_capacity(INITIAL_CAPACITY);
    }
    buffer.clear();
}
