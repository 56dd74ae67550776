//! The packets of a pcap or pcapng file.

use std::io::Read;
use std::time::Duration;

use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{Block, InterfaceDescriptionBlock, PcapBlockOwned, PcapError, create_reader};

use crate::{CaptureError, Limits};

/// The most interfaces of a file that are kept in mind.
const MAX_INTERFACES: usize = 4_096;

const NANOSECONDS: u128 = 1_000_000_000;

/// One packet.
pub(crate) struct Packet<'p> {
    /// When it was seen, from 1970 on; simple packets of pcapng do not say.
    pub(crate) time: Option<Duration>,
    /// The kind of link, by its number (LINKTYPE_…).
    pub(crate) link: i32,
    /// The octets that were captured.
    pub(crate) octets: &'p [u8],
    /// How many octets it had.
    pub(crate) length: usize,
}

/// The outcome of looking for the next packet.
pub(crate) enum Step {
    /// It was handed over.
    Packet,
    /// There is none.
    End,
    /// The file ends in the middle of one.
    CutOff,
}

/// A link, and how its packets tell the time.
#[derive(Clone, Copy)]
struct Interface {
    link: i32,
    /// Units of a second.
    resolution: u64,
    /// Seconds to be added.
    offset: i64,
}

impl Interface {
    fn new(block: &InterfaceDescriptionBlock<'_>) -> Self {
        Self {
            link: block.linktype.0,
            resolution: block.ts_resolution().unwrap_or(1_000_000).max(1),
            offset: block.if_tsoffset,
        }
    }

    fn time(&self, units: u64) -> Option<Duration> {
        let seconds = units / self.resolution;
        let rest = u128::from(units % self.resolution) * NANOSECONDS / u128::from(self.resolution);
        let seconds = seconds.checked_add_signed(self.offset)?;
        Some(Duration::new(seconds, u32::try_from(rest).ok()?))
    }
}

/// Reads the packets of a file one after the other; memory does not grow with
/// the file.
pub(crate) struct Packets<'r> {
    reader: Box<dyn PcapReaderIterator + Send + 'r>,
    interfaces: Vec<Interface>,
    /// Whether the times of a pcap file have nanoseconds.
    nanoseconds: bool,
    limit: usize,
}

impl<'r> Packets<'r> {
    pub(super) fn open(
        input: impl Read + Send + 'r,
        limits: &Limits,
    ) -> Result<Self, CaptureError> {
        let limit = limits.max_packet_size.max(64 << 10);
        // Twice as much, for the reader refuses a block that is as large as its
        // buffer.
        let reader =
            create_reader(2 * limit, input).map_err(|_| CaptureError::Malformed { offset: 0 })?;
        Ok(Self {
            reader,
            interfaces: Vec::new(),
            nanoseconds: false,
            limit,
        })
    }

    /// Hands the next packet over.
    pub(crate) fn next(
        &mut self,
        mut packet: impl FnMut(&Packet<'_>),
    ) -> Result<Step, CaptureError> {
        loop {
            let offset = self.reader.consumed() as u64;
            let (interfaces, nanoseconds) = (&mut self.interfaces, &mut self.nanoseconds);
            let found = match self.reader.next() {
                Ok((size, block)) => Ok((size, read(&block, interfaces, nanoseconds, &mut packet))),
                Err(PcapError::Eof) => return Ok(Step::End),
                Err(PcapError::UnexpectedEof) => return Ok(Step::CutOff),
                Err(PcapError::Incomplete(_)) => Err(()),
                Err(PcapError::BufferTooSmall) => {
                    let limit = self.limit;
                    return Err(CaptureError::PacketTooLarge { offset, limit });
                }
                Err(_) => return Err(CaptureError::Malformed { offset }),
            };
            match found {
                Ok((size, is_packet)) => {
                    self.reader.consume(size);
                    if is_packet {
                        return Ok(Step::Packet);
                    }
                    if size == 0 {
                        return Err(CaptureError::Malformed { offset });
                    }
                }
                Err(()) => {
                    let before = self.reader.data().len();
                    if self.reader.refill().is_err() {
                        let error = std::io::Error::other("the file cannot be read on");
                        return Err(CaptureError::Input(error));
                    }
                    let has_grown = self.reader.data().len() > before;
                    if !has_grown && self.reader.reader_exhausted() {
                        return Ok(match before {
                            0 => Step::End,
                            _ => Step::CutOff,
                        });
                    }
                    if !has_grown {
                        let limit = self.limit;
                        return Err(CaptureError::PacketTooLarge { offset, limit });
                    }
                }
            }
        }
    }
}

/// Looks at a block; whether it was a packet.
fn read(
    block: &PcapBlockOwned<'_>,
    interfaces: &mut Vec<Interface>,
    nanoseconds: &mut bool,
    packet: &mut impl FnMut(&Packet<'_>),
) -> bool {
    match block {
        PcapBlockOwned::LegacyHeader(header) => {
            *nanoseconds = header.is_nanosecond_precision();
            interfaces.push(Interface {
                link: header.network.0,
                resolution: 1,
                offset: 0,
            });
            false
        }
        PcapBlockOwned::Legacy(found) => {
            let unit = if *nanoseconds { 1 } else { 1_000 };
            let fraction = found.ts_usec.saturating_mul(unit);
            let time = Duration::from_secs(found.ts_sec.into());
            packet(&Packet {
                time: Some(time + Duration::from_nanos(fraction.into())),
                link: interfaces.first().map_or(-1, |interface| interface.link),
                octets: found.data,
                length: found.origlen as usize,
            });
            true
        }
        PcapBlockOwned::NG(Block::SectionHeader(_)) => {
            interfaces.clear();
            false
        }
        PcapBlockOwned::NG(Block::InterfaceDescription(found)) => {
            if interfaces.len() < MAX_INTERFACES {
                interfaces.push(Interface::new(found));
            }
            false
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(found)) => {
            let interface = usize::try_from(found.if_id)
                .ok()
                .and_then(|index| interfaces.get(index));
            let units = u64::from(found.ts_high) << 32 | u64::from(found.ts_low);
            packet(&Packet {
                time: interface.and_then(|interface| interface.time(units)),
                link: interface.map_or(-1, |interface| interface.link),
                octets: found.packet_data(),
                length: found.origlen as usize,
            });
            true
        }
        PcapBlockOwned::NG(Block::SimplePacket(found)) => {
            packet(&Packet {
                time: None,
                link: interfaces.first().map_or(-1, |interface| interface.link),
                octets: found.packet_data(),
                length: found.origlen as usize,
            });
            true
        }
        PcapBlockOwned::NG(_) => false,
    }
}
