//! Fragments joined to messages, whatever is wrong with them (CORBA 3.3 part 2,
//! 9.4.9).
//!
//! [`taut_giop::framing::Framer`] refuses what breaks a rule; here it is marked,
//! and joined nevertheless.

use taut_cdr::{ByteOrder, Realignment};
use taut_explain::{Mark, Preamble, Rule};
use taut_giop::Version;
use taut_giop::message::{HEADER_SIZE, MessageType};

use crate::Limits;

/// Where the payload of a fragment of GIOP 1.2 begins: behind its request id.
const PAYLOAD_1_2: usize = HEADER_SIZE + 4;

/// The outcome of joining a piece.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    /// Which piece of its message it is, from 1; 0 when it belongs to none.
    pub(crate) number: usize,
    /// The request id that names its message, in GIOP 1.2.
    pub(crate) request_id: Option<u32>,
    /// The message, if this was the last piece.
    pub(crate) whole: Option<Whole>,
    /// The faults of the piece.
    pub(crate) marks: Vec<Mark>,
    /// Whether a message was given up for this one.
    pub(crate) gave_up: bool,
}

/// A message whose pieces have all come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    /// The message with the header it would have in one piece.
    pub(crate) bytes: Vec<u8>,
    /// Where alignment starts anew.
    pub(crate) realignments: Vec<Realignment>,
}

struct Partial {
    version: Version,
    order: ByteOrder,
    request_id: Option<u32>,
    bytes: Vec<u8>,
    realignments: Vec<Realignment>,
    pieces: usize,
    is_request: bool,
    /// Whether it grew too large to be kept; its pieces are counted only.
    is_too_large: bool,
}

/// The messages of one direction that are incomplete, the oldest first.
#[derive(Default)]
pub(crate) struct Joiner {
    partials: Vec<Partial>,
    kept: usize,
}

impl Joiner {
    /// Octets of incomplete messages.
    pub(crate) fn kept(&self) -> usize {
        self.kept
    }

    /// How many messages are incomplete.
    pub(crate) fn incomplete(&self) -> usize {
        self.partials.len()
    }

    /// Forgets all that is incomplete: octets are missing.
    pub(crate) fn clear(&mut self) {
        self.partials.clear();
        self.kept = 0;
    }

    /// Drops what was kept of a request that is cancelled.
    pub(crate) fn cancel(&mut self, request_id: u32) {
        let cancelled = self
            .partials
            .iter()
            .position(|partial| partial.is_request && partial.request_id == Some(request_id));
        if let Some(index) = cancelled {
            self.remove(index);
        }
    }

    /// Takes a piece: a message that announces fragments, or a fragment.
    pub(crate) fn piece(&mut self, preamble: &Preamble, bytes: &[u8], limits: &Limits) -> Joined {
        let mut marks = Vec::new();
        let request_id = match preamble.version.minor {
            0 | 1 => None,
            _ => {
                let id = request_id(preamble.order, bytes);
                if id.is_none() {
                    let what = "a piece is too short for its request id";
                    marks.push(Mark::new(Rule::Fragment, HEADER_SIZE, what));
                }
                id
            }
        };
        if preamble.version.minor >= 2 && preamble.more_fragments && !bytes.len().is_multiple_of(8)
        {
            let what = format!(
                "a piece of {} octets is not the last and not a multiple of 8",
                bytes.len()
            );
            marks.push(Mark::new(Rule::Fragment, 8, what));
        }
        let mut joined = Joined {
            number: 0,
            request_id,
            whole: None,
            marks,
            gave_up: false,
        };
        if preamble.version.minor >= 2 && request_id.is_none() {
            return joined;
        }
        match preamble.message_type {
            Some(MessageType::Fragment) => self.append(preamble, bytes, limits, &mut joined),
            _ => self.start(preamble, bytes, limits, &mut joined),
        }
        joined
    }

    fn start(&mut self, preamble: &Preamble, bytes: &[u8], limits: &Limits, joined: &mut Joined) {
        if let Some(index) = self.position(joined.request_id) {
            let what = match joined.request_id {
                Some(id) => format!("request {id} begins again before its fragments are complete"),
                None => "a message begins in pieces inside another (GIOP 1.1)".to_owned(),
            };
            joined.marks.push(Mark::new(Rule::Fragment, 6, what));
            self.remove(index);
        }
        if self.partials.len() >= limits.max_partial_messages.max(1) {
            self.remove(0);
            joined.gave_up = true;
        }
        joined.number = 1;
        self.kept += bytes.len();
        self.partials.push(Partial {
            version: preamble.version,
            order: preamble.order,
            request_id: joined.request_id,
            bytes: bytes.to_vec(),
            realignments: Vec::new(),
            pieces: 1,
            is_request: matches!(
                preamble.message_type,
                Some(MessageType::Request | MessageType::LocateRequest)
            ),
            is_too_large: false,
        });
    }

    fn append(&mut self, preamble: &Preamble, bytes: &[u8], limits: &Limits, joined: &mut Joined) {
        let Some(index) = self.position(joined.request_id) else {
            let what = match joined.request_id {
                Some(id) => format!("a fragment of request {id}, which is not incomplete"),
                None => "a fragment where no message is incomplete".to_owned(),
            };
            joined.marks.push(Mark::new(Rule::Fragment, 7, what));
            return;
        };
        let payload = match joined.request_id {
            Some(_) => bytes.get(PAYLOAD_1_2..),
            None => bytes.get(HEADER_SIZE..),
        };
        let payload = payload.unwrap_or_default();
        let partial = &mut self.partials[index];
        if (partial.version, partial.order) != (preamble.version, preamble.order) {
            let what = "a fragment has another version or byte order than its message";
            joined.marks.push(Mark::new(Rule::Fragment, 4, what));
        }
        partial.pieces += 1;
        joined.number = partial.pieces;
        if partial.bytes.len() + payload.len() > limits.max_message_size {
            partial.is_too_large = true;
        }
        if !partial.is_too_large {
            let position = partial.bytes.len();
            // A fragment of 1.1 is aligned from its own start.
            if joined.request_id.is_none() {
                let phase = HEADER_SIZE;
                partial.realignments.push(Realignment { position, phase });
            }
            partial.bytes.extend_from_slice(payload);
            self.kept += payload.len();
        }
        if !preamble.more_fragments {
            let partial = self.remove(index);
            joined.gave_up = partial.is_too_large;
            joined.whole = (!partial.is_too_large).then(|| partial.finish());
        }
    }

    fn position(&self, request_id: Option<u32>) -> Option<usize> {
        self.partials
            .iter()
            .position(|partial| partial.request_id == request_id)
    }

    fn remove(&mut self, index: usize) -> Partial {
        let partial = self.partials.remove(index);
        self.kept -= partial.bytes.len();
        partial
    }
}

impl Partial {
    fn finish(self) -> Whole {
        let mut bytes = self.bytes;
        let size = (bytes.len() - HEADER_SIZE.min(bytes.len())) as u32;
        let size = match self.order {
            ByteOrder::Big => size.to_be_bytes(),
            ByteOrder::Little => size.to_le_bytes(),
        };
        if let Some(header) = bytes.first_chunk_mut::<HEADER_SIZE>() {
            header[8..].copy_from_slice(&size);
            // No fragments follow any more.
            header[6] &= !2;
        }
        Whole {
            bytes,
            realignments: self.realignments,
        }
    }
}

/// The four octets behind the header.
fn request_id(order: ByteOrder, bytes: &[u8]) -> Option<u32> {
    let octets = *bytes.get(HEADER_SIZE..)?.first_chunk()?;
    Some(match order {
        ByteOrder::Big => u32::from_be_bytes(octets),
        ByteOrder::Little => u32::from_le_bytes(octets),
    })
}
