//! Options of connections over sockets.

use std::io::{self, IoSlice};

use taut_sys::socket_options::{self, NumberOption};
use taut_sys::tcp::TcpStream;
use taut_sys::unix::UnixStream;

use super::{Kind, Stream};
use crate::ChannelOption;

impl Stream {
    /// Sends all octets of all parts, as [`send_parts`](Self::send_parts) does, without a copy
    /// in the system if they are so many that this connection is to
    /// ([`ChannelOption::ZeroCopyFrom`]). Then it returns when the peer's system has them.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub fn send_parts_in_place(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        let octets = parts.iter().map(|part| part.len()).sum();
        match &self.0 {
            Kind::Tcp(connection) if connection.socket.is_sent_in_place(octets) => {
                connection.socket.send_parts_in_place(parts)
            }
            _ => self.send_parts(parts),
        }
    }
}

/// Sets an option of a connection over TCP that not every program needs.
#[cold]
pub(super) fn set_of_tcp(socket: &TcpStream, option: ChannelOption) -> io::Result<()> {
    let set = |option, value| socket_options::set(socket, option, value);
    match option {
        ChannelOption::NoKeepAlive => set(NumberOption::KeepAlive, 0),
        ChannelOption::NoDelay(holds) => set(NumberOption::NoDelay, holds.into()),
        ChannelOption::DontRoute(holds) => set(NumberOption::DontRoute, holds.into()),
        ChannelOption::Dscp(dscp) => socket_options::set_dscp(socket, dscp.get()),
        ChannelOption::QueuePriority(priority) => set(NumberOption::QueuePriority, priority),
        ChannelOption::MaxPacingRate(rate) => socket_options::set_max_pacing_rate(socket, rate),
        ChannelOption::BusyPoll(time) => {
            let micros = u32::try_from(time.as_micros());
            set(NumberOption::BusyPoll, micros.unwrap_or(u32::MAX))
        }
        ChannelOption::IncomingCpu(cpu) => set(NumberOption::IncomingCpu, cpu),
        ChannelOption::CongestionControl(algorithm) => {
            socket_options::set_congestion_control(socket, algorithm.name())
        }
        ChannelOption::NotSentLowWater(octets) => set(NumberOption::NotSentLowWater, octets),
        ChannelOption::ZeroCopyFrom(octets) => socket.set_zero_copy_from(octets),
        ChannelOption::KeepAlive(_)
        | ChannelOption::SendBuffer(_)
        | ChannelOption::ReceiveBuffer(_) => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Sets an option of a connection over a Unix-domain socket, where there is no network.
#[cold]
pub(super) fn set_of_unix(_: &UnixStream, option: ChannelOption) -> io::Result<()> {
    match option {
        // The end of a process of this machine is known at once.
        ChannelOption::NoKeepAlive => Ok(()),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}
