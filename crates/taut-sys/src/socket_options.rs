//! Options of sockets by which the system queues, marks, paces and polls for one connection.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::net::sockopt;

/// An option whose value is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NumberOption {
    /// `SO_PRIORITY`: the queue of the network device. More than 6 needs `CAP_NET_ADMIN`.
    QueuePriority,
    /// `SO_DONTROUTE`: 1 sends to hosts of the same network alone.
    DontRoute,
    /// `SO_KEEPALIVE`: 1 asks the peer's system whether it is there.
    KeepAlive,
    /// `SO_BUSY_POLL`: for how many microseconds a receive polls the device. More than the
    /// system's default needs `CAP_NET_ADMIN`.
    BusyPoll,
    /// `SO_INCOMING_CPU`: the CPU by which segments are dealt with.
    IncomingCpu,
    /// `SO_SNDBUF`, as the system has it: Linux counts twice as much as it is asked for.
    SendBuffer,
    /// `SO_RCVBUF`, likewise.
    ReceiveBuffer,
    /// `TCP_NODELAY`: 1 sends each piece at once.
    NoDelay,
    /// `TCP_NOTSENT_LOWAT`: with how many octets that have not left the socket takes more.
    NotSentLowWater,
    /// `SO_ZEROCOPY`: 1 lets sends leave octets where they are.
    ZeroCopy,
}

impl NumberOption {
    const fn level_and_name(self) -> (c_int, c_int) {
        match self {
            Self::QueuePriority => (libc::SOL_SOCKET, libc::SO_PRIORITY),
            Self::DontRoute => (libc::SOL_SOCKET, libc::SO_DONTROUTE),
            Self::KeepAlive => (libc::SOL_SOCKET, libc::SO_KEEPALIVE),
            Self::BusyPoll => (libc::SOL_SOCKET, libc::SO_BUSY_POLL),
            Self::IncomingCpu => (libc::SOL_SOCKET, libc::SO_INCOMING_CPU),
            Self::SendBuffer => (libc::SOL_SOCKET, libc::SO_SNDBUF),
            Self::ReceiveBuffer => (libc::SOL_SOCKET, libc::SO_RCVBUF),
            Self::NoDelay => (libc::IPPROTO_TCP, libc::TCP_NODELAY),
            Self::NotSentLowWater => (libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT),
            Self::ZeroCopy => (libc::SOL_SOCKET, libc::SO_ZEROCOPY),
        }
    }
}

/// Sets an option.
///
/// # Errors
///
/// The operating system's: it does not have the option, or the process may not set it so;
/// [`io::ErrorKind::InvalidInput`] for more than a C `int` holds.
pub fn set(socket: impl AsFd, option: NumberOption, value: u32) -> io::Result<()> {
    let (level, name) = option.level_and_name();
    set_raw(&socket, level, name, as_int(value)?)
}

/// Returns the value of an option.
///
/// # Errors
///
/// The operating system's.
pub fn get(socket: impl AsFd, option: NumberOption) -> io::Result<u32> {
    let (level, name) = option.level_and_name();
    get_raw::<c_int>(&socket, level, name).map(c_int::cast_unsigned)
}

/// Marks the packets of a socket with a differentiated services code point, 0 to 63: `IP_TOS`,
/// and of a socket of IPv6 `IPV6_TCLASS` as well, for its peer may have an address of IPv4.
///
/// The system takes this for a wish for a queue too, so that
/// [`NumberOption::QueuePriority`] is set afterwards.
///
/// # Errors
///
/// The operating system's.
pub fn set_dscp(socket: impl AsFd, dscp: u8) -> io::Result<()> {
    let octet = c_int::from(dscp) << 2;
    if is_ipv6(&socket)? {
        set_raw(&socket, libc::IPPROTO_IPV6, libc::IPV6_TCLASS, octet)?;
    }
    set_raw(&socket, libc::IPPROTO_IP, libc::IP_TOS, octet)
}

/// Returns the code point of the packets of a socket.
///
/// # Errors
///
/// The operating system's.
pub fn dscp(socket: impl AsFd) -> io::Result<u8> {
    let octet: c_int = match is_ipv6(&socket)? {
        true => get_raw(&socket, libc::IPPROTO_IPV6, libc::IPV6_TCLASS)?,
        false => get_raw(&socket, libc::IPPROTO_IP, libc::IP_TOS)?,
    };
    Ok((octet >> 2) as u8)
}

/// Sets the most octets in a second that the system sends (`SO_MAX_PACING_RATE`).
///
/// # Errors
///
/// The operating system's.
pub fn set_max_pacing_rate(socket: impl AsFd, octets_per_second: u64) -> io::Result<()> {
    let name = libc::SO_MAX_PACING_RATE as c_int;
    set_raw(&socket, libc::SOL_SOCKET, name, octets_per_second)
}

/// Returns that number; the largest if there is no limit.
///
/// # Errors
///
/// The operating system's.
pub fn max_pacing_rate(socket: impl AsFd) -> io::Result<u64> {
    let name = libc::SO_MAX_PACING_RATE as c_int;
    get_raw(&socket, libc::SOL_SOCKET, name)
}

/// Sets the algorithm by which TCP adapts to the network (`TCP_CONGESTION`).
///
/// # Errors
///
/// The operating system's: it does not have the algorithm, or the process may not use it.
pub fn set_congestion_control(socket: impl AsFd, algorithm: &str) -> io::Result<()> {
    Ok(sockopt::set_tcp_congestion(socket, algorithm)?)
}

/// Returns the name of that algorithm.
///
/// # Errors
///
/// The operating system's.
pub fn congestion_control(socket: impl AsFd) -> io::Result<String> {
    Ok(sockopt::tcp_congestion(socket)?)
}

fn as_int(value: u32) -> io::Result<c_int> {
    c_int::try_from(value).map_err(|_| io::ErrorKind::InvalidInput.into())
}

fn is_ipv6(socket: &impl AsFd) -> io::Result<bool> {
    let domain: c_int = get_raw(socket, libc::SOL_SOCKET, libc::SO_DOMAIN)?;
    Ok(domain == libc::AF_INET6)
}

/// A number that options have.
trait Number: Copy + Default {}

impl Number for c_int {}
impl Number for u64 {}

fn set_raw<N: Number>(socket: &impl AsFd, level: c_int, name: c_int, value: N) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `socket` is borrowed; the pointer is to a
    // number of the length that is given.
    let result = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            name,
            (&raw const value).cast(),
            size_of::<N>() as libc::socklen_t,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn get_raw<N: Number>(socket: &impl AsFd, level: c_int, name: c_int) -> io::Result<N> {
    let mut value = N::default();
    let mut length = size_of::<N>() as libc::socklen_t;
    // SAFETY: the descriptor is open as long as `socket` is borrowed; the pointers are to a
    // number, of which any octets are one, and to its length.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            name,
            (&raw mut value).cast(),
            &raw mut length,
        )
    };
    match result {
        0 => Ok(value),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};

    use super::*;

    #[test]
    fn each_number_is_what_the_system_says_it_is() {
        let (client, _server) = crate::tcp::pair();
        for (option, value) in [
            (NumberOption::QueuePriority, 5),
            (NumberOption::DontRoute, 1),
            (NumberOption::KeepAlive, 1),
            (NumberOption::IncomingCpu, 0),
            (NumberOption::NoDelay, 0),
            (NumberOption::NotSentLowWater, 16_384),
            (NumberOption::ZeroCopy, 1),
        ] {
            set(&client, option, value).unwrap();
            assert_eq!(get(&client, option).unwrap(), value, "{option:?}");
        }
        let error = set(&client, NumberOption::NotSentLowWater, u32::MAX).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        set(&client, NumberOption::SendBuffer, 20_000).unwrap();
        assert_eq!(get(&client, NumberOption::SendBuffer).unwrap(), 40_000);
        match set(&client, NumberOption::BusyPoll, 50) {
            Ok(()) => assert_eq!(get(&client, NumberOption::BusyPoll).unwrap(), 50),
            // Without the right, or without such a kernel.
            Err(error) => assert!(error.raw_os_error().is_some(), "{error}"),
        }
    }

    #[test]
    fn pace_and_algorithm_are_what_the_system_says_they_are() {
        let (client, _server) = crate::tcp::pair();
        assert_eq!(max_pacing_rate(&client).unwrap(), u64::MAX);
        set_max_pacing_rate(&client, 1 << 33).unwrap();
        assert_eq!(max_pacing_rate(&client).unwrap(), 1 << 33);
        set_congestion_control(&client, "reno").unwrap();
        assert_eq!(congestion_control(&client).unwrap(), "reno");
        set_congestion_control(&client, "no-such-one").unwrap_err();
    }

    #[test]
    fn code_points_are_of_both_versions_of_ip_where_a_socket_has_both() {
        for host in [Ipv6Addr::LOCALHOST.to_string(), "127.0.0.1".to_owned()] {
            let Ok(listener) = TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0))
                .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)))
            else {
                continue;
            };
            let port = listener.local_addr().unwrap().port();
            let Ok(client) = TcpStream::connect((host.as_str(), port)) else {
                continue;
            };
            let (server, _) = listener.accept().unwrap();
            for socket in [&client, &server] {
                set_dscp(socket, 46).unwrap();
                assert_eq!(dscp(socket).unwrap(), 46, "{host}");
            }
            let tos: c_int = get_raw(&server, libc::IPPROTO_IP, libc::IP_TOS).unwrap();
            assert_eq!(tos >> 2, 46);
        }
    }
}
