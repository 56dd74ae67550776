//! Messages explained: what they say, and where they break the standard.
//!
//! The readers that an ORB uses refuse a message at its first fault. This one
//! goes on as far as it can: [`Preamble`] reads the header of whatever octets
//! there are, [`message`] what stands behind it, and each notes its [`Mark`]s.

mod exception;
mod parts;
mod preamble;
mod reader;
mod rule;
mod subject;
mod walk;

use alloc::vec::Vec;

use taut_cdr::{Decoder, Realignment};

use super::fact::Fact;
use taut_giop::Limits;
use taut_giop::message::HEADER_SIZE;

pub use preamble::Preamble;
use reader::Reader;
pub use rule::{Mark, Rule};
pub use subject::{Body, Subject};
use walk::Walk;

/// A message explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The subject of the message.
    pub subject: Subject,
    /// The facts that the message states.
    pub facts: Vec<Fact>,
    /// The rules that the message breaks, each with its place.
    pub marks: Vec<Mark>,
    /// Whether all of it could be read, up to the body.
    pub is_readable: bool,
    /// The octets that only the operation's types explain. None when there is no such
    /// thing, or when a fault hides where it begins.
    pub body: Option<Body>,
    /// The code sets that a client names for the connection: those of `char` and
    /// `wchar`.
    pub code_sets: Option<(u32, u32)>,
}

/// Explains a whole message: `bytes` with its header, which `preamble` has been
/// read from. If it was made of fragments, `realignments` say where alignment
/// starts anew; see [`taut_giop::framing::Reassembled`].
///
/// Fragments say nothing by themselves; join them first.
pub fn message(
    preamble: &Preamble,
    bytes: &[u8],
    realignments: &[Realignment],
    limits: &Limits,
) -> Explained {
    let mut input = Decoder::new(bytes, preamble.order);
    // Fewer octets than a header hold nothing behind it either.
    let _ = input.skip(HEADER_SIZE.min(bytes.len()));
    let mut reader = Reader {
        walk: Walk::new(input, bytes, realignments),
        version: preamble.version,
        limits,
        facts: Vec::new(),
        subject: Subject::Unknown,
        body: None,
        code_sets: None,
        is_marked: false,
    };
    let mut is_readable = false;
    if preamble.is_readable()
        && let Some(kind) = preamble.message_type
    {
        match reader.message(kind) {
            Ok(()) => is_readable = true,
            Err(error) => {
                if !reader.is_marked {
                    reader.walk.fault(&error);
                }
                reader.body = None;
            }
        }
    }
    Explained {
        subject: reader.subject,
        facts: reader.facts,
        marks: reader.walk.marks,
        is_readable,
        body: reader.body,
        code_sets: reader.code_sets,
    }
}
