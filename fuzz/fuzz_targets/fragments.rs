//! Pieces of messages in any sequence, told as steps of two octets each: what a
//! framer makes of them is what the rules say (CORBA 3.3 part 2, 9.4.9).

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use taut_cdr::{ByteOrder, Encoder};
use taut_fuzz::Meter;
use taut_giop::Version;
use taut_giop::framing::{Framer, FramingLimits, Step};
use taut_giop::message::{FrameError, MessageHeader, MessageType};

#[global_allocator]
static METER: Meter = Meter::new();

const LIMITS: FramingLimits = FramingLimits {
    max_message_size: 4096,
    max_reassembled_size: 1024,
    max_partial_messages: 3,
    max_partial_bytes: 2048,
    max_empty_fragments: 2,
};

/// A piece of a message, or the passing of an interval of time.
#[derive(Debug, Clone, Copy)]
struct Piece {
    message_type: MessageType,
    version: Version,
    order: ByteOrder,
    more: bool,
    /// Octets that it carries, its request id not counted.
    size: usize,
    request_id: u32,
}

impl Piece {
    fn read(&[flags, rest]: &[u8; 2]) -> Option<Self> {
        let message_type = match flags & 7 {
            0 => MessageType::Request,
            1 => MessageType::Reply,
            2 => MessageType::LocateRequest,
            3 => MessageType::CancelRequest,
            7 => return None,
            _ => MessageType::Fragment,
        };
        let version = match (message_type, flags & 0x18) {
            (MessageType::CancelRequest, 0) => Version::V1_0,
            // Only these have fragments in 1.1.
            (MessageType::Request | MessageType::Reply | MessageType::Fragment, 0) => Version::V1_1,
            _ => Version::V1_2,
        };
        let size = usize::from(rest >> 2);
        Some(Self {
            message_type,
            version,
            order: ByteOrder::from_flag(u8::from(flags & 0x60 == 0)),
            more: flags & 0x80 != 0 && message_type != MessageType::CancelRequest,
            // Mostly such as are allowed where more follows.
            size: if size < 60 { 8 * size } else { size },
            request_id: u32::from(rest & 3),
        })
    }

    /// The octets behind its request id. Of GIOP 1.1, what a request begins with: no
    /// context, and the request id.
    fn payload(&self, step: usize) -> Vec<u8> {
        let mut payload = vec![step as u8; self.size];
        let start = match (self.version, self.message_type) {
            (Version::V1_1, MessageType::Request | MessageType::Reply) => {
                let mut out = Encoder::new(self.order);
                out.write(0_u32);
                out.write(self.request_id);
                out.into_buffer()
            }
            _ => return payload,
        };
        payload.resize(payload.len().max(start.len()), 0);
        payload[..start.len()].copy_from_slice(&start);
        payload
    }

    fn octets(&self, payload: &[u8]) -> Vec<u8> {
        let mut out = Encoder::new(self.order);
        if self.version == Version::V1_2 || self.message_type == MessageType::CancelRequest {
            out.write(self.request_id);
        }
        out.write_bytes(payload);
        let header = MessageHeader {
            version: self.version,
            order: self.order,
            more_fragments: self.more,
            message_type: self.message_type,
            size: out.len() as u32,
        };
        [&header.to_bytes()[..], out.as_bytes()].concat()
    }

    /// The request id by which its message is known among those that are incomplete.
    fn name(&self) -> Option<u32> {
        (self.version == Version::V1_2).then_some(self.request_id)
    }
}

/// A message that is incomplete, as the rules see it.
struct Partial {
    first: Piece,
    octets: Vec<u8>,
    empty_in_a_row: usize,
    is_old: bool,
}

/// The outcome of reading a piece.
#[derive(Debug, PartialEq)]
enum Outcome {
    Kept,
    Message(Vec<u8>),
    Fault,
}

#[derive(Default)]
struct Rules(BTreeMap<Option<u32>, Partial>);

impl Rules {
    fn bytes(&self) -> usize {
        self.0.values().map(|partial| partial.octets.len()).sum()
    }

    fn pass_interval(&mut self) {
        self.0.retain(|_, partial| !partial.is_old);
        self.0
            .values_mut()
            .for_each(|partial| partial.is_old = true);
    }

    fn take(&mut self, piece: Piece, payload: &[u8], octets: &[u8]) -> Outcome {
        match piece.message_type {
            MessageType::CancelRequest => {
                // A peer cancels what it asked.
                self.0.retain(|_, partial| {
                    partial.first.request_id != piece.request_id
                        || partial.first.message_type == MessageType::Reply
                });
                Outcome::Message(octets.to_vec())
            }
            MessageType::Fragment => self.append(piece, payload, octets.len()),
            _ if !piece.more => Outcome::Message(octets.to_vec()),
            _ => self.start(piece, octets),
        }
    }

    fn start(&mut self, piece: Piece, octets: &[u8]) -> Outcome {
        let is_allowed = !self.0.contains_key(&piece.name())
            && self.0.len() < LIMITS.max_partial_messages
            && (piece.version < Version::V1_2 || octets.len().is_multiple_of(8))
            && octets.len() <= LIMITS.max_reassembled_size
            && self.bytes() + octets.len() <= LIMITS.max_partial_bytes;
        if !is_allowed {
            return Outcome::Fault;
        }
        let partial = Partial {
            first: piece,
            octets: octets.to_vec(),
            empty_in_a_row: 0,
            is_old: false,
        };
        self.0.insert(piece.name(), partial);
        Outcome::Kept
    }

    fn append(&mut self, piece: Piece, payload: &[u8], size: usize) -> Outcome {
        let bytes = self.bytes() + payload.len();
        let Some(partial) = self.0.get_mut(&piece.name()) else {
            return Outcome::Fault;
        };
        partial.octets.extend_from_slice(payload);
        partial.empty_in_a_row = match payload {
            [] => partial.empty_in_a_row + 1,
            _ => 0,
        };
        let is_allowed = partial.first.order == piece.order
            && partial.octets.len() <= LIMITS.max_reassembled_size
            && bytes <= LIMITS.max_partial_bytes
            && (!piece.more
                || (partial.empty_in_a_row <= LIMITS.max_empty_fragments
                    && (piece.version < Version::V1_2 || size.is_multiple_of(8))));
        if !is_allowed {
            return Outcome::Fault;
        }
        if piece.more {
            return Outcome::Kept;
        }
        let partial = self.0.remove(&piece.name()).expect("was just found");
        let whole = MessageHeader {
            version: partial.first.version,
            order: partial.first.order,
            more_fragments: false,
            message_type: partial.first.message_type,
            size: (partial.octets.len() - 12) as u32,
        };
        Outcome::Message([&whole.to_bytes()[..], &partial.octets[12..]].concat())
    }
}

fn outcome(step: Result<Step<'_>, FrameError>, octets: usize) -> Outcome {
    match step {
        Ok(Step::Absorbed { consumed }) => {
            assert_eq!(consumed, octets);
            Outcome::Kept
        }
        Ok(Step::Message { bytes, .. }) => Outcome::Message(bytes.to_vec()),
        Ok(Step::Reassembled { message, .. }) => {
            assert!(message.decoder().is_ok());
            Outcome::Message(message.bytes)
        }
        Ok(Step::NeedMore { .. }) => panic!("a piece is whole"),
        Err(error) => {
            let answer = error.answer(Version::V1_0);
            let parsed = answer.first_chunk().map(MessageHeader::parse);
            assert!(parsed.is_some_and(|parsed| parsed.is_ok()));
            assert!(!error.to_string().is_empty());
            Outcome::Fault
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut framer = Framer::new(LIMITS);
    let mut rules = Rules::default();
    for (step, code) in bytes.as_chunks::<2>().0.iter().enumerate() {
        let Some(piece) = Piece::read(code) else {
            framer.drop_stale_partials();
            rules.pass_interval();
            continue;
        };
        let payload = piece.payload(step);
        let octets = piece.octets(&payload);
        let expected = rules.take(piece, &payload, &octets);
        let found = METER.reading(&octets, |octets| outcome(framer.next(octets), octets.len()));
        assert_eq!(found, expected, "step {step}: {piece:?}");
        if expected == Outcome::Fault {
            return; // there is no next message boundary
        }
        assert_eq!(framer.partial_messages(), rules.0.len());
        assert_eq!(framer.partial_bytes(), rules.bytes());
    }
});
