//! The layout of messages as the standard describes it (CORBA 3.3 part 2, 9.3
//! and 9.4), written once more and otherwise than in the crate: as a list of
//! what may not be divided. From it a sender of GIOP 1.1 makes fragments. The layout of
//! GIOPlite is written down likewise.

use taut_cdr::ByteOrder;
use taut_giop::Version;
use taut_giop::message::MessageType;

use super::said::{Body, Said, Target, Value};
use super::{in_order, piece_of};

/// An item that stands in one piece.
#[derive(Debug, Clone)]
pub enum Atom {
    /// A number, at a multiple of its own size.
    Number(Vec<u8>),
    Octet(u8),
    /// Nothing, up to a multiple of 8, if anything follows.
    Align8,
}

struct Atoms {
    order: ByteOrder,
    list: Vec<Atom>,
}

/// Returns the parts of a message behind its first header.
pub fn atoms(said: &Said, version: Version, order: ByteOrder) -> Vec<Atom> {
    let list = Vec::new();
    let mut atoms = Atoms { order, list };
    atoms.message(said, version);
    atoms.list
}

/// Pieces that begin at the atoms with these numbers, which ascend, each aligned
/// from its own start as in GIOP 1.1. With no number: the whole message.
pub fn pieces_of_1_1(
    version: Version,
    order: ByteOrder,
    message_type: MessageType,
    atoms: &[Atom],
    begins: &[usize],
) -> Vec<Vec<u8>> {
    let mut bounds = begins.to_vec();
    bounds.push(atoms.len());
    let mut start = 0;
    let mut pieces = Vec::new();
    for (index, &end) in bounds.iter().enumerate() {
        let message_type = match index {
            0 => message_type,
            _ => MessageType::Fragment,
        };
        let more = index < begins.len();
        let content = lay_out(version, &atoms[start..end]);
        pieces.push(piece_of(version, order, message_type, more, &content));
        start = end;
    }
    pieces
}

/// The whole of a message.
pub fn laid_out(said: &Said, version: Version, order: ByteOrder) -> Vec<u8> {
    let atoms = atoms(said, version, order);
    let pieces = pieces_of_1_1(version, order, said.message_type(), &atoms, &[]);
    let mut message = pieces[0].clone();
    if version == Version::LITE {
        let (detail, has_contexts) = match said {
            Said::Request {
                response, contexts, ..
            } => (response.to_octet(), !contexts.is_empty()),
            Said::Reply { contexts, .. } => (0, !contexts.is_empty()),
            Said::LocateReply { status, .. } => (*status as u8, false),
            _ => (0, false),
        };
        message[1] |= u8::from(has_contexts) << 2;
        message[2] = detail;
    }
    message
}

/// The octets behind a header of 12, or of 8 in GIOPlite.
fn lay_out(version: Version, atoms: &[Atom]) -> Vec<u8> {
    let header = if version == Version::LITE { 8 } else { 12 };
    let mut octets = vec![0; header];
    for (index, atom) in atoms.iter().enumerate() {
        match atom {
            Atom::Number(number) => {
                octets.resize(octets.len().next_multiple_of(number.len()), 0);
                octets.extend(number);
            }
            Atom::Octet(octet) => octets.push(*octet),
            Atom::Align8 if index + 1 < atoms.len() => {
                octets.resize(octets.len().next_multiple_of(8), 0);
            }
            Atom::Align8 => {}
        }
    }
    octets.split_off(header)
}

impl Atoms {
    fn number<const N: usize>(&mut self, big_endian: [u8; N]) {
        self.list
            .push(Atom::Number(in_order(self.order, big_endian).to_vec()));
    }

    fn long(&mut self, number: usize) {
        self.number((number as u32).to_be_bytes());
    }

    fn octets(&mut self, octets: &[u8]) {
        self.list.extend(octets.iter().copied().map(Atom::Octet));
    }

    fn sequence(&mut self, octets: &[u8]) {
        self.long(octets.len());
        self.octets(octets);
    }

    fn string(&mut self, text: &[u8]) {
        self.long(text.len() + 1);
        self.octets(text);
        self.octets(&[0]);
    }

    fn contexts(&mut self, contexts: &[(u32, Vec<u8>)]) {
        self.long(contexts.len());
        for (id, data) in contexts {
            self.long(*id as usize);
            self.sequence(data);
        }
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Key(key) => {
                self.number(0_u16.to_be_bytes());
                self.sequence(key);
            }
            Target::Profile { tag, data } => {
                self.number(1_u16.to_be_bytes());
                self.long(*tag as usize);
                self.sequence(data);
            }
            Target::Reference { index, ior } => {
                self.number(2_u16.to_be_bytes());
                self.long(*index as usize);
                self.string(ior.type_id.as_bytes());
                self.long(ior.profiles.len());
                for profile in &ior.profiles {
                    self.long(profile.tag as usize);
                    self.sequence(&profile.data);
                }
            }
        }
    }

    fn key(&mut self, target: &Target) {
        let Target::Key(key) = target else {
            panic!("but in GIOP 1.2 there are only keys");
        };
        self.sequence(key);
    }

    /// The end of a header of a Request or a Reply of GIOPlite.
    fn lite(&mut self, contexts: &[(u32, Vec<u8>)]) {
        if !contexts.is_empty() {
            self.contexts(contexts);
        }
        self.list.push(Atom::Align8);
    }

    fn message(&mut self, said: &Said, version: Version) {
        let new = version == Version::V1_2;
        let lite = version == Version::LITE;
        match said {
            Said::Request {
                request_id,
                response,
                target,
                operation,
                contexts,
                body,
            } => {
                if lite {
                    self.long(*request_id as usize);
                    self.key(target);
                    self.string(operation);
                    self.lite(contexts);
                } else if new {
                    self.long(*request_id as usize);
                    self.octets(&[response.to_octet(), 0, 0, 0]);
                    self.target(target);
                    self.string(operation);
                    self.contexts(contexts);
                    self.list.push(Atom::Align8);
                } else {
                    self.contexts(contexts);
                    self.long(*request_id as usize);
                    self.octets(&[u8::from(response.expects_reply())]);
                    if version == Version::V1_1 {
                        self.octets(&[0; 3]);
                    }
                    self.key(target);
                    self.string(operation);
                    self.long(0);
                }
                self.body(body, version);
            }
            Said::Reply {
                request_id,
                status,
                contexts,
                body,
            } => {
                if !new && !lite {
                    self.contexts(contexts);
                }
                self.long(*request_id as usize);
                self.long(*status as usize);
                if lite {
                    self.lite(contexts);
                }
                if new {
                    self.contexts(contexts);
                    self.list.push(Atom::Align8);
                }
                self.body(body, version);
            }
            Said::CancelRequest { request_id } => self.long(*request_id as usize),
            Said::LocateRequest { request_id, target } => {
                self.long(*request_id as usize);
                match new {
                    true => self.target(target),
                    false => self.key(target),
                }
            }
            Said::LocateReply {
                request_id,
                status,
                body,
            } => {
                self.long(*request_id as usize);
                if !lite {
                    self.long(*status as usize);
                }
                self.body(body, version);
            }
            Said::CloseConnection | Said::MessageError => {}
        }
    }

    fn body(&mut self, body: &Body, version: Version) {
        if body.0.is_empty() {
            return;
        }
        self.sequence(&body.kinds());
        for value in &body.0 {
            match value {
                Value::Octet(value) => self.octets(&[*value]),
                Value::Short(value) => self.number(value.to_be_bytes()),
                Value::Long(value) => self.number(value.to_be_bytes()),
                Value::Double(value) => self.number(value.to_be_bytes()),
                Value::Doubles(values) => {
                    self.long(values.len());
                    for value in values {
                        self.number(value.to_be_bytes());
                    }
                }
                Value::Octets(octets) => self.sequence(octets),
                Value::Text(text) => self.string(text.as_bytes()),
                Value::Wide(text) if version >= Version::V1_2 => {
                    let units = text.encode_utf16().flat_map(u16::to_be_bytes);
                    self.sequence(&units.collect::<Vec<_>>());
                }
                Value::Wide(text) => {
                    self.long(text.encode_utf16().count() + 1);
                    for unit in text.encode_utf16().chain([0]) {
                        self.number(unit.to_be_bytes());
                    }
                }
            }
        }
    }
}
