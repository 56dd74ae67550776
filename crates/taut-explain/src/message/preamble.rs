//! The header of a message, whatever is wrong with it.

use alloc::format;
use alloc::vec::Vec;

use taut_cdr::ByteOrder;

use super::{Mark, Rule};
use taut_giop::Version;
use taut_giop::message::{HEADER_SIZE, MAGIC, MessageType};

/// The flag of little-endian byte order.
const LITTLE_ENDIAN: u8 = 1;
/// The flag that announces further fragments.
const MORE_FRAGMENTS: u8 = 2;
/// The first four octets of a compressed message.
const COMPRESSED: [u8; 4] = *b"ZIOP";
/// The highest minor version that the standard defines; its messages have the
/// layout of 1.2.
const HIGHEST_MINOR: u8 = 3;

/// The twelve octets that a message begins with, as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preamble {
    /// The octets that should be "GIOP".
    pub magic: [u8; 4],
    /// The version.
    pub version: Version,
    /// The flags; in GIOP 1.0 the byte order alone.
    pub flags: u8,
    /// The byte order that the flags tell.
    pub order: ByteOrder,
    /// Whether the flags announce further fragments.
    pub more_fragments: bool,
    /// The type's number.
    pub type_octet: u8,
    /// The type, if there is such a one.
    pub message_type: Option<MessageType>,
    /// Octets behind this header.
    pub size: u32,
}

impl Preamble {
    /// Reads a header.
    pub fn new(bytes: &[u8; HEADER_SIZE]) -> Self {
        let [
            m0,
            m1,
            m2,
            m3,
            major,
            minor,
            flags,
            type_octet,
            s0,
            s1,
            s2,
            s3,
        ] = *bytes;
        let order = ByteOrder::from_flag(flags);
        Self {
            magic: [m0, m1, m2, m3],
            version: Version::new(major, minor),
            flags,
            order,
            more_fragments: minor >= 1 && flags & MORE_FRAGMENTS != 0,
            type_octet,
            message_type: MessageType::from_octet(type_octet),
            size: match order {
                ByteOrder::Big => u32::from_be_bytes([s0, s1, s2, s3]),
                ByteOrder::Little => u32::from_le_bytes([s0, s1, s2, s3]),
            },
        }
    }

    /// Whether a message begins here at all: the magic number is right.
    pub fn is_giop(&self) -> bool {
        self.magic == MAGIC
    }

    /// Whether the message is compressed (ZIOP): its size is right, what stands
    /// in it is hidden.
    pub fn is_compressed(&self) -> bool {
        self.magic == COMPRESSED
    }

    /// Whether what stands behind the header can be read.
    pub fn is_readable(&self) -> bool {
        self.is_giop() && self.has_known_version()
    }

    /// Whether the header is likely that of a message, for who looks for one in
    /// the middle of a stream.
    pub fn is_plausible(&self) -> bool {
        (self.is_giop() || self.is_compressed())
            && self.has_known_version()
            && self.message_type.is_some()
            && self.flags & !self.known_flags() == 0
    }

    /// Octets of the message, this header included.
    pub fn total_size(&self) -> u64 {
        u64::from(self.size) + HEADER_SIZE as u64
    }

    /// Returns the faults of the header.
    pub fn marks(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        if !self.is_giop() && !self.is_compressed() {
            let what = format!(
                "the message begins with \"{}\", not with \"GIOP\"",
                self.magic.escape_ascii()
            );
            marks.push(Mark::new(Rule::Magic, 0, what));
            return marks;
        }
        if !self.has_known_version() {
            let what = format!("there is no GIOP {}", self.version);
            marks.push(Mark::new(Rule::Version, 4, what));
            return marks;
        }
        if self.flags & !self.known_flags() != 0 {
            let what = format!(
                "the flags {:#04x} have no meaning in GIOP {}",
                self.flags, self.version
            );
            marks.push(Mark::new(Rule::Flags, 6, what));
        }
        let Some(kind) = self.message_type.filter(|kind| self.knows(*kind)) else {
            let what = format!(
                "GIOP {} has no message type {}",
                self.version, self.type_octet
            );
            marks.push(Mark::new(Rule::MessageType, 7, what));
            return marks;
        };
        if self.more_fragments && !kind.is_fragmentable(self.version) {
            let what = format!(
                "a {} of GIOP {} cannot have fragments",
                kind.name(),
                self.version
            );
            marks.push(Mark::new(Rule::Fragment, 6, what));
        }
        let is_bodyless = matches!(
            kind,
            MessageType::CloseConnection | MessageType::MessageError
        );
        let may_be_empty = kind == MessageType::Fragment && self.version.minor == 1;
        if self.size == 0 && !is_bodyless && !may_be_empty {
            let what = format!("a {} has a size of 0", kind.name());
            marks.push(Mark::new(Rule::Size, 8, what));
        }
        marks
    }

    fn has_known_version(&self) -> bool {
        self.version.major == 1 && self.version.minor <= HIGHEST_MINOR
    }

    fn knows(&self, kind: MessageType) -> bool {
        kind != MessageType::Fragment || self.version.minor >= 1
    }

    fn known_flags(&self) -> u8 {
        match self.version.minor {
            0 => LITTLE_ENDIAN,
            _ => LITTLE_ENDIAN | MORE_FRAGMENTS,
        }
    }
}
