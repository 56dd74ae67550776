//! From a file to what it holds: packets with their times, or octets.

mod hex;
mod link;
mod packets;

use std::io::{self, Read};

use crate::{CaptureError, Limits};
use packets::Packets;

pub(crate) use link::{Refusal, Segment, segment};
pub(crate) use packets::{Packet, Step};

/// How much of the input is looked at to find out what it is.
const PROBE: usize = 64 << 10;

/// The octets with which captures begin: pcapng's section header, pcap's magic numbers in
/// both byte orders, for microseconds and nanoseconds.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
const PCAP: [[u8; 4]; 4] = [
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0xa1, 0xb2, 0x3c, 0x4d],
    [0x4d, 0x3c, 0xb2, 0xa1],
];

/// The packets, or the octets of one side, that an input turned out to hold.
pub(crate) enum Capture<'r> {
    /// Packets.
    Packets(Packets<'r>),
    /// Octets that one side sent, to be read in pieces.
    Octets(Box<dyn Read + Send + 'r>),
}

impl<'r> Capture<'r> {
    /// Finds out what the input is.
    pub(crate) fn open(
        mut input: impl Read + Send + 'r,
        limits: &Limits,
    ) -> Result<Self, CaptureError> {
        let mut probe = Vec::new();
        input.by_ref().take(PROBE as u64).read_to_end(&mut probe)?;
        let Some(magic) = probe.first_chunk::<4>() else {
            return Err(match probe.is_empty() {
                true => CaptureError::Empty,
                false => CaptureError::Unrecognised,
            });
        };
        let magic = *magic;
        if magic == PCAPNG || PCAP.contains(&magic) {
            let input = io::Cursor::new(probe).chain(input);
            return Packets::open(input, limits).map(Self::Packets);
        }
        if hex::is_text(&probe) {
            let mut text = probe;
            let limit = limits.max_dump_size;
            // A dump takes about five characters for an octet.
            let most = limit.saturating_mul(5).saturating_sub(text.len());
            input.take(most as u64 + 1).read_to_end(&mut text)?;
            if text.len() > limit.saturating_mul(5) {
                return Err(CaptureError::DumpTooLarge { limit });
            }
            let octets = hex::octets(&text, limit)?;
            return match octets.is_empty() {
                true => Err(CaptureError::Unrecognised),
                false => Ok(Self::Octets(Box::new(io::Cursor::new(octets)))),
            };
        }
        if magic == *b"GIOP" || magic == *b"ZIOP" {
            let input = io::Cursor::new(probe).chain(input);
            return Ok(Self::Octets(Box::new(input)));
        }
        Err(CaptureError::Unrecognised)
    }
}
