//! Faults in a stream of messages.

use core::fmt;

use super::header::MAGIC;
use super::lite;
use super::message_type::MessageType;
use crate::Version;

/// Why bytes are no message, or cannot follow the messages before them. After
/// any of these the stream has no known message boundary or no trustworthy
/// sender: answer with [`FrameError::answer`] and close the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// The message does not begin with "GIOP".
    BadMagic {
        /// The octets that it begins with.
        found: [u8; 4],
    },
    /// The message does not begin as those of GIOPlite do.
    NotLite {
        /// Its first octets.
        found: [u8; 4],
    },
    /// The message is written in a version of GIOPlite that is not spoken here.
    UnsupportedLite {
        /// The message's version; the one spoken here is 1.
        version: u8,
    },
    /// The message is written in a version of GIOP that is not spoken here.
    UnsupportedVersion {
        /// The message's version.
        version: Version,
        /// The highest version spoken here, in which to answer.
        highest: Version,
    },
    /// The flags have bits that this version does not define.
    InvalidFlags {
        /// The message's version.
        version: Version,
        /// The flags found.
        flags: u8,
    },
    /// The message has a type that this version does not define.
    UnknownType {
        /// The message's version.
        version: Version,
        /// The type found.
        octet: u8,
    },
    /// A message of a type that carries something carries nothing.
    EmptyMessage {
        /// The message's type.
        message_type: MessageType,
    },
    /// Fragments are announced for a message that cannot have any.
    NotFragmentable {
        /// The message's version.
        version: Version,
        /// The message's type.
        message_type: MessageType,
    },
    /// The message is larger than `max_message_size` allows.
    MessageTooLarge {
        /// Octets of the message, its header included.
        size: u64,
        /// The limit in force.
        limit: usize,
    },
    /// The fragments of a message make more than `max_reassembled_size` allows.
    ReassembledTooLarge {
        /// Octets so far, the header included.
        size: u64,
        /// The limit in force.
        limit: usize,
    },
    /// More messages are incomplete at once than `max_partial_messages` allows.
    TooManyPartials {
        /// The limit in force.
        limit: usize,
    },
    /// The incomplete messages take more room than `max_partial_bytes` allows.
    PartialsTooLarge {
        /// The limit in force.
        limit: usize,
    },
    /// More fragments in a row than `max_empty_fragments` carry nothing and are
    /// not the last.
    TooManyEmptyFragments {
        /// The limit in force.
        limit: usize,
    },
    /// A fragment of a message that was not begun, or was cancelled.
    FragmentWithoutStart {
        /// The request id, where the version has one in fragments.
        request_id: Option<u32>,
    },
    /// A fragmented message, or a fragment, too short for its request id.
    MissingRequestId,
    /// A fragmented message begins although one with its request id is incomplete.
    RequestIdInUse {
        /// The request id.
        request_id: u32,
    },
    /// A GIOP 1.1 message is begun in pieces before the one before it is complete.
    InterleavedFragments,
    /// A fragment has another version or byte order than its message.
    FragmentMismatch,
    /// A GIOP 1.2 piece that is not the last has a size that is no multiple of 8
    /// (CORBA 3.3 part 2, 9.4.9).
    MisalignedFragment {
        /// Octets of the piece, its header included.
        size: usize,
    },
}

/// The remedy when one side speaks GIOP and the other GIOPlite.
const REMEDY: &str = "give -ORBgioplite to both sides or to neither";

impl FrameError {
    /// Whether the peer speaks the other of the two protocols: GIOP where GIOPlite is
    /// expected, or, as far as can be seen, GIOPlite where GIOP is.
    pub fn is_of_other_protocol(&self) -> bool {
        match self {
            Self::BadMagic { found } => lite::seems_to_begin(*found),
            Self::NotLite { found } => *found == MAGIC,
            _ => false,
        }
    }
}

/// The name of the protocol, with its version.
struct Protocol(Version);

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_lite() {
            true => f.write_str("GIOPlite"),
            false => write!(f, "GIOP {}", self.0),
        }
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadMagic { found } if self.is_of_other_protocol() => write!(
                f,
                "the message begins with \"{}\", which looks like GIOPlite and not like GIOP: {REMEDY}",
                found.escape_ascii()
            ),
            Self::NotLite { found } if self.is_of_other_protocol() => write!(
                f,
                "the message begins with \"{}\", so the peer speaks GIOP and not GIOPlite: {REMEDY}",
                found.escape_ascii()
            ),
            Self::NotLite { found } => write!(
                f,
                "the message begins with \"{}\", as none of GIOPlite does",
                found.escape_ascii()
            ),
            Self::UnsupportedLite { version } => write!(
                f,
                "version {version} of GIOPlite is not supported, only version {}: \
                 both sides must use the same release",
                Version::LITE.minor
            ),
            Self::BadMagic { found } => write!(
                f,
                "the message begins with \"{}\", not with \"GIOP\"",
                found.escape_ascii()
            ),
            Self::UnsupportedVersion { version, highest } => {
                write!(
                    f,
                    "GIOP {version} is not supported; {highest} is the highest version"
                )
            }
            Self::InvalidFlags { version, flags } => {
                write!(
                    f,
                    "the flags {flags:#04x} have no meaning in {}",
                    Protocol(*version)
                )
            }
            Self::UnknownType { version, octet } => {
                write!(f, "{} has no message type {octet}", Protocol(*version))
            }
            Self::EmptyMessage { message_type } => {
                write!(f, "a {} message has a size of 0", message_type.name())
            }
            Self::NotFragmentable {
                version,
                message_type,
            } => write!(
                f,
                "a {} message of {} cannot have fragments",
                message_type.name(),
                Protocol(*version)
            ),
            Self::MessageTooLarge { size, limit } => write!(
                f,
                "the message has {size} octets, the limit (max_message_size) is {limit}"
            ),
            Self::ReassembledTooLarge { size, limit } => write!(
                f,
                "the fragments make {size} octets, the limit (max_reassembled_size) is {limit}"
            ),
            Self::TooManyPartials { limit } => write!(
                f,
                "more incomplete messages than the limit (max_partial_messages) of {limit}"
            ),
            Self::PartialsTooLarge { limit } => write!(
                f,
                "incomplete messages take more than the limit (max_partial_bytes) of {limit} octets"
            ),
            Self::TooManyEmptyFragments { limit } => write!(
                f,
                "more empty fragments in a row than the limit (max_empty_fragments) of {limit}"
            ),
            Self::FragmentWithoutStart {
                request_id: Some(id),
            } => write!(f, "a fragment of request {id}, which is not incomplete"),
            Self::FragmentWithoutStart { request_id: None } => {
                f.write_str("a fragment where no message is incomplete")
            }
            Self::MissingRequestId => f.write_str("a fragment is too short for its request id"),
            Self::RequestIdInUse { request_id } => write!(
                f,
                "request {request_id} begins again before its fragments are complete"
            ),
            Self::InterleavedFragments => {
                f.write_str("a GIOP 1.1 message begins in pieces inside another")
            }
            Self::FragmentMismatch => {
                f.write_str("a fragment has another version or byte order than its message")
            }
            Self::MisalignedFragment { size } => write!(
                f,
                "a piece of {size} octets is not the last and not a multiple of 8"
            ),
        }
    }
}

impl core::error::Error for FrameError {}
