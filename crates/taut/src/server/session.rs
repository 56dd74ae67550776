//! The session of a connection: from octets to messages, whichever thread reads them.

mod message;
mod relief;
mod reply_batch;

use std::hint::cold_path;
use std::sync::Arc;

use taut_cdr::Encoder;
use taut_giop::Version;
use taut_giop::message::{FrameError, PlainRequest};

use super::ObjectAdapter;
use super::duty::Shift;
use super::end::End;
use super::handover::Octets;
use super::load::Load;
use super::peer::Peer;
use super::request_in_progress::RequestInProgress;
use super::service::Service;
use crate::buffer_pool::{INITIAL_CAPACITY, MAX_KEPT_CAPACITY};
use crate::message::reserve_for;
use crate::messaging::{Arrival, Assembly, Found};
use crate::settings::Settings;
use message::{Whole, handle};
pub(super) use reply_batch::ReplyBatch;

/// The reading side of a connection, as the thread on duty has it.
pub(super) struct Session<A> {
    service: Service<A>,
    assembly: Assembly,
    /// How long the message may take that is arriving in parts.
    arrival: Arrival,
    /// The way that is tried first with the next message.
    way: Way,
    /// Where others find what is in the buffer while a message of it is served.
    shared: Option<Arc<Octets>>,
    /// Which replies wait for others.
    batch: ReplyBatch,
}

/// The form of the requests that have come last: the next will be as they.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Plain ones of GIOP.
    Plain,
    /// Those of GIOP that tell their quality.
    Qualified,
    /// Those of GIOPlite; for good.
    Lite,
}

/// How a session stands after it has handled what arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// All that arrived has been handled, or kept.
    Attentive,
    /// The client does not take its replies: the rest has to wait.
    Congested,
}

impl<A: ObjectAdapter> Session<A> {
    /// The session of the first thread that reads a connection.
    pub(super) fn new(service: Service<A>, settings: &Settings) -> Self {
        Self {
            assembly: Assembly::new(service.messaging(), settings),
            batch: ReplyBatch::new(settings, service.is_real_time()),
            way: match service.messaging().is_lite() {
                false => Way::Plain,
                true => Way::Lite,
            },
            service,
            arrival: Arrival::new(settings),
            shared: None,
        }
    }

    /// The connection.
    #[inline(always)]
    pub(super) fn peer(&self) -> &Peer {
        self.service.peer()
    }

    /// The shift of the thread that reads the connection by this.
    pub(super) fn shift(&self) -> Shift {
        self.service.shift()
    }

    /// Has requests served from here on as the load of the threads asks for.
    pub(super) fn set_load(&mut self, load: Load) {
        self.service.set_load(load);
    }

    /// Handles every message that is whole, and leaves in `input` what
    /// belongs to one that is not, with room for more.
    ///
    /// # Errors
    ///
    /// When the connection ends, or another thread reads it from here on.
    #[inline]
    pub(super) fn take_in(
        &mut self,
        input: &mut Vec<u8>,
        out: &mut Encoder,
    ) -> Result<Standing, End> {
        // Mostly, what has arrived is just one message, and the message a plain
        // request.
        if !self.arrival.is_under_way()
            && self.expects_plain()
            && let Some(request) = PlainRequest::read(input)
        {
            let request = (Version::V1_2, &request);
            RequestInProgress::serve_plain(&self.service, request, input, out)?;
            return Ok(self.has_served_all(input, out));
        }
        cold_path();
        self.take_in_other(input, out)
    }

    /// Whether plain requests are tried first.
    #[inline(always)]
    fn expects_plain(&self) -> bool {
        // The shape `minimal` has no others.
        !cfg!(feature = "full") || self.way == Way::Plain
    }

    /// The same for all that is no plain request of GIOP, or was not expected to be one. The way
    /// of those of GIOPlite, and of those that tell their quality, is as short, and apart from
    /// theirs.
    #[inline(never)]
    fn take_in_other(&mut self, input: &mut Vec<u8>, out: &mut Encoder) -> Result<Standing, End> {
        if self.arrival.is_under_way() {
            return self.take_in_any(input, out);
        }
        if self.way != Way::Lite && RequestInProgress::serve_prioritized(&self.service, input, out)?
        {
            self.way = Way::Qualified;
            return Ok(self.has_served_all(input, out));
        }
        cold_path();
        if self.way == Way::Lite {
            return self.take_in_lite(input, out);
        }
        if RequestInProgress::serve_qualified(&self.service, input, out)? {
            self.way = Way::Qualified;
            return Ok(self.has_served_all(input, out));
        }
        if self.way == Way::Qualified
            && let Some(request) = PlainRequest::read(input)
        {
            self.way = Way::Plain;
            let request = (Version::V1_2, &request);
            RequestInProgress::serve_plain_apart(&self.service, request, input, out)?;
            return Ok(self.has_served_all(input, out));
        }
        self.take_in_any(input, out)
    }

    /// The same for GIOPlite.
    fn take_in_lite(&mut self, input: &mut Vec<u8>, out: &mut Encoder) -> Result<Standing, End> {
        if let Some(request) = PlainRequest::read_lite(input) {
            let request = (Version::LITE, &request);
            RequestInProgress::serve_plain_apart(&self.service, request, input, out)?;
            return Ok(self.has_served_all(input, out));
        }
        self.take_in_any(input, out)
    }

    /// Empties the buffers behind a request that was all of what had arrived.
    #[inline(always)]
    fn has_served_all(&self, input: &mut Vec<u8>, out: &mut Encoder) -> Standing {
        recycle(input);
        out.shrink(MAX_KEPT_CAPACITY, INITIAL_CAPACITY);
        self.standing()
    }

    #[cold]
    #[inline(never)]
    fn take_in_any(&mut self, input: &mut Vec<u8>, out: &mut Encoder) -> Result<Standing, End> {
        self.peer().note_version_before(input.len());
        self.assembly.drop_old_fragments(|_| false);
        // The octets before it have been handled.
        let mut start = 0;
        let needed = loop {
            if self.standing() == Standing::Congested {
                input.drain(..start);
                return Ok(Standing::Congested);
            }
            self.peer().note_version_of(&input[start..]);
            let found = self.assembly.next(input, &mut start);
            match found.map_err(|error| self.broken(error, &input[start..]))? {
                Found::Message { header, range } => {
                    self.note_arrived();
                    if range.end == input.len() && !self.assembly.has_partials() {
                        let message = Whole::new(header, &input[range]);
                        handle(&mut self.service, &message, out)?;
                    } else {
                        start = self.handle_before_others(header, input, range, out)?;
                    }
                }
                Found::Reassembled(message) => {
                    self.note_arrived();
                    let message = Whole {
                        header: message.header,
                        octets: &message.bytes,
                        realignments: &message.realignments,
                    };
                    self.handle_reassembled(&message, input, start, out)?;
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
            self.peer().note_version_of(input);
            reserve_for(input, needed);
        }
        self.note_arrival(input.len(), has_progressed);
        Ok(Standing::Attentive)
    }

    /// Notes that a message is there in full: from here on it is the servant that takes
    /// time, and not the client.
    fn note_arrived(&mut self) {
        if self.arrival.end() {
            self.peer().set_arrival_deadline(None);
        }
    }

    /// Sees to it that a client that begins a message also ends it: sets the time by
    /// which more must have come, of which the server's watch makes sure.
    fn note_arrival(&mut self, waiting: usize, has_progressed: bool) {
        if waiting == 0 && !self.assembly.has_partials() {
            return self.note_arrived();
        }
        let has_header = waiting == 0 || waiting >= self.service.messaging().header_size();
        let peer = self.service.peer();
        self.arrival.note(has_header, has_progressed, |deadline| {
            peer.set_arrival_deadline(deadline);
        });
    }

    /// Whether the client takes its replies.
    #[inline]
    fn standing(&self) -> Standing {
        match self.peer().is_congested() {
            true => Standing::Congested,
            false => Standing::Attentive,
        }
    }

    /// The end of a connection on which such octets came, which break the rules of framing.
    fn broken(&self, error: FrameError, octets: &[u8]) -> End {
        let (messaging, peer) = (self.service.messaging(), self.peer());
        peer.note_version_of(octets);
        let answer = messaging.answer(&error, peer.version(), octets);
        End::Broken { error, answer }
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
