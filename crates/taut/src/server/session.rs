//! What a connection makes of the octets that arrive, whoever reads them.

mod relief;

use std::hint::cold_path;
use std::sync::Arc;

use taut_cdr::Encoder;
use taut_giop::message::FrameError;

use super::ObjectAdapter;
use super::dispatch::Dispatcher;
use super::duty::Shift;
use super::exchange::{End, Whole, handle, handle_plain};
use super::handover::Octets;
use super::peer::Peer;
use crate::buffer_pool::{INITIAL_CAPACITY, MAX_KEPT_CAPACITY};
use crate::message::reserve_for;
use crate::messaging::{Arrival, Assembly, Found};
use crate::settings::Settings;

/// One connection's side of the conversation, as the thread on duty has it.
pub(super) struct Session<A> {
    dispatcher: Dispatcher<A>,
    shift: Shift,
    assembly: Assembly,
    /// How long the message may take that is arriving in parts.
    arrival: Arrival,
    /// Where others find what is in the buffer while a message of it is carried out.
    shared: Option<Arc<Octets>>,
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
            assembly: Assembly::new(peer.messaging(), settings),
            arrival: Arrival::new(settings),
            shared: None,
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
        if !self.arrival.is_under_way()
            && let Some(request) = self.assembly.messaging().plain_request(input)
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
        self.assembly.drop_old_fragments(|_| false);
        // The octets before it have been dealt with.
        let mut start = 0;
        let needed = loop {
            if standing(peer) == Standing::Congested {
                input.drain(..start);
                return Ok(Standing::Congested);
            }
            peer.note_version_of(&input[start..]);
            let found = self.assembly.next(input, &mut start);
            match found.map_err(|error| self.broken(peer, error, &input[start..]))? {
                Found::Message { header, range } => {
                    self.note_arrived(peer);
                    if range.end == input.len() && !self.assembly.has_partials() {
                        let message = Whole::new(header, &input[range]);
                        handle(peer, self.shift, &mut self.dispatcher, &message, out)?;
                    } else {
                        start = self.handle_before_others(peer, header, input, range, out)?;
                    }
                }
                Found::Reassembled(message) => {
                    self.note_arrived(peer);
                    let message = Whole {
                        header: message.header,
                        octets: &message.bytes,
                        realignments: &message.realignments,
                    };
                    self.handle_reassembled(peer, &message, input, start, out)?;
                }
                Found::Part { needed } => break needed,
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
        if self.arrival.end() {
            peer.set_arrival_deadline(None);
        }
    }

    /// Sees to it that whoever begins a message also ends it: sets the time by
    /// which more must have come, of which the server's watch makes sure.
    fn note_arrival(&mut self, peer: &Peer, waiting: usize, has_progressed: bool) {
        if waiting == 0 && !self.assembly.has_partials() {
            return self.note_arrived(peer);
        }
        let has_header = waiting == 0 || waiting >= peer.messaging().header_size();
        self.arrival.note(has_header, has_progressed, |deadline| {
            peer.set_arrival_deadline(deadline);
        });
    }

    /// The end of a connection on which such octets came, which break the rules of framing.
    fn broken(&self, peer: &Peer, error: FrameError, octets: &[u8]) -> End {
        peer.note_version_of(octets);
        let messaging = self.assembly.messaging();
        let answer = messaging.answer(&error, peer.version(), octets);
        End::Broken { error, answer }
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
