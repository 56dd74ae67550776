//! Why a capture cannot be read.

use std::{fmt, io};

/// Why a capture cannot be read (any further).
#[derive(Debug)]
#[non_exhaustive]
pub enum CaptureError {
    /// The input cannot be read.
    Input(io::Error),
    /// There is nothing.
    Empty,
    /// The input begins like a capture, a dump or a message, and is none.
    Unrecognised,
    /// A digit of a hex dump is missing or wrong.
    Dump {
        /// The line, from 1.
        line: usize,
        /// The fault.
        what: &'static str,
    },
    /// The hex dump is larger than [`max_dump_size`](crate::Limits::max_dump_size).
    DumpTooLarge {
        /// The limit in force.
        limit: usize,
    },
    /// More octets than [`max_passed_over`](crate::Limits::max_passed_over) would be passed
    /// over in a row: the header of a message announces them, or no message was found among
    /// them.
    TooMuchPassedOver {
        /// The limit in force.
        limit: u64,
    },
    /// A packet is larger than [`max_packet_size`](crate::Limits::max_packet_size).
    PacketTooLarge {
        /// Where it begins in the file.
        offset: u64,
        /// The limit in force.
        limit: usize,
    },
    /// A block of the file is malformed.
    Malformed {
        /// Where it begins in the file.
        offset: u64,
    },
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => write!(f, "{error}"),
            Self::Empty => f.write_str("there is nothing to explain"),
            Self::Unrecognised => f.write_str(
                "this is none of pcap, pcapng, a hex dump (plain, xxd, hexdump -C, od -tx1) or \
                 GIOP messages as they are",
            ),
            Self::Dump { line, what } => write!(f, "line {line} of the hex dump: {what}"),
            Self::DumpTooLarge { limit } => {
                write!(f, "the dump is longer than {limit} octets (max_dump_size)")
            }
            Self::TooMuchPassedOver { limit } => write!(
                f,
                "more than {limit} octets in a row are not of a message that can be explained \
                 (max_passed_over)"
            ),
            Self::PacketTooLarge { offset, limit } => write!(
                f,
                "the packet at octet {offset} of the file is larger than {limit} octets \
                 (max_packet_size)"
            ),
            Self::Malformed { offset } => write!(
                f,
                "the octets at {offset} of the file are no packet; the packets before them are \
                 explained"
            ),
        }
    }
}

impl std::error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Input(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for CaptureError {
    fn from(error: io::Error) -> Self {
        Self::Input(error)
    }
}
