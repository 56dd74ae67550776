//! From a packet to the TCP segment in it.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice};

use super::Packet;

/// The links whose packets are understood, by the numbers that captures have for
/// them (LINKTYPE_…).
mod number {
    pub(super) const NULL: i32 = 0;
    pub(super) const ETHERNET: i32 = 1;
    /// Raw IP has had several numbers.
    pub(super) const RAW: [i32; 3] = [12, 14, 101];
    pub(super) const LOOP: i32 = 108;
    pub(super) const LINUX_SLL: i32 = 113;
    pub(super) const IPV4: i32 = 228;
    pub(super) const IPV6: i32 = 229;
    pub(super) const LINUX_SLL2: i32 = 276;
}

/// The octets in front of the packet: those of a loopback, and of the two forms
/// that Linux has for captures on all interfaces.
const FAMILY: usize = 4;
const SLL: usize = 16;
const SLL2: usize = 20;

/// A TCP segment.
#[derive(Debug)]
pub(crate) struct Segment<'p> {
    pub(crate) time: Option<Duration>,
    pub(crate) from: SocketAddr,
    pub(crate) to: SocketAddr,
    pub(crate) sequence: u32,
    pub(crate) begins: bool,
    pub(crate) acknowledges: bool,
    pub(crate) resets: bool,
    pub(crate) payload: &'p [u8],
    /// Octets of the payload that were not captured.
    pub(crate) cut: usize,
}

/// Why a packet gives no segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Refusal {
    /// It is something else than TCP.
    NotTcp,
    /// It is malformed, or too little of it was captured.
    Malformed,
    /// It is a part of an IP packet.
    IpFragment,
    /// Its link is not known.
    Link(i32),
}

/// The segment in a packet.
pub(crate) fn segment<'p>(packet: &Packet<'p>) -> Result<Segment<'p>, Refusal> {
    let octets = packet.octets;
    let behind = |size: usize| octets.get(size..).ok_or(Refusal::Malformed);
    let protocol = |at: usize| {
        let octets = octets.get(at..).and_then(|rest| rest.first_chunk());
        octets.map(|octets| EtherType(u16::from_be_bytes(*octets)))
    };
    let sliced = match packet.link {
        number::ETHERNET => {
            LaxSlicedPacket::from_ethernet(octets).map_err(|_| Refusal::Malformed)?
        }
        number::LINUX_SLL => {
            let protocol = protocol(SLL - 2).ok_or(Refusal::Malformed)?;
            LaxSlicedPacket::from_ether_type(protocol, behind(SLL)?)
        }
        number::LINUX_SLL2 => {
            let protocol = protocol(0).ok_or(Refusal::Malformed)?;
            LaxSlicedPacket::from_ether_type(protocol, behind(SLL2)?)
        }
        number::NULL | number::LOOP => from_ip(behind(FAMILY)?)?,
        number::IPV4 | number::IPV6 => from_ip(octets)?,
        link if number::RAW.contains(&link) => from_ip(octets)?,
        link => return Err(Refusal::Link(link)),
    };
    let (from, to, is_cut, is_fragment): (IpAddr, IpAddr, _, _) = match &sliced.net {
        Some(LaxNetSlice::Ipv4(ip)) => (
            ip.header().source_addr().into(),
            ip.header().destination_addr().into(),
            ip.payload().incomplete,
            ip.is_payload_fragmented(),
        ),
        Some(LaxNetSlice::Ipv6(ip)) => (
            ip.header().source_addr().into(),
            ip.header().destination_addr().into(),
            ip.payload().incomplete,
            ip.is_payload_fragmented(),
        ),
        _ => return Err(Refusal::NotTcp),
    };
    let tcp = match &sliced.transport {
        Some(TransportSlice::Tcp(tcp)) => tcp,
        Some(_) => return Err(Refusal::NotTcp),
        None if is_fragment => return Err(Refusal::IpFragment),
        None if sliced.stop_err.is_some() => return Err(Refusal::Malformed),
        None => return Err(Refusal::NotTcp),
    };
    if is_fragment {
        return Err(Refusal::IpFragment);
    }
    let cut = match is_cut {
        true => packet.length.saturating_sub(octets.len()),
        false => 0,
    };
    Ok(Segment {
        time: packet.time,
        from: SocketAddr::new(from, tcp.source_port()),
        to: SocketAddr::new(to, tcp.destination_port()),
        sequence: tcp.sequence_number(),
        begins: tcp.syn(),
        acknowledges: tcp.ack(),
        resets: tcp.rst(),
        payload: tcp.payload(),
        cut,
    })
}

fn from_ip(octets: &[u8]) -> Result<LaxSlicedPacket<'_>, Refusal> {
    LaxSlicedPacket::from_ip(octets).map_err(|_| Refusal::Malformed)
}
