//! Facts that the system knows of a TCP connection.

#![allow(unsafe_code)]

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

// Where things stand in Linux' `struct tcp_info`, whose layout is part of the
// kernel's interface. (The C library's own declaration ends before the last.)

/// `tcpi_state`, a `u8`.
const STATE: usize = 0;
/// `tcpi_unacked`, the fifth of the `u32` that follow 8 octets.
const UNACKNOWLEDGED: usize = 8 + 4 * 4;
/// `tcpi_bytes_acked`, a `u64` behind 24 `u32` and 2 `u64`. Since Linux 4.1.
const BYTES_ACKNOWLEDGED: usize = 8 + 24 * 4 + 2 * 8;
/// `tcpi_notsent_bytes`, a `u32` behind a further `u64` and 2 `u32`. Since 4.6.
const BYTES_NOT_SENT: usize = BYTES_ACKNOWLEDGED + 2 * 8 + 2 * 4;
/// As much as is needed.
const SIZE: usize = BYTES_NOT_SENT + 4;

/// The state in which a connection is over: nothing more is sent, nor
/// acknowledged.
const TCP_CLOSE: u8 = 7;

/// The part of the sent octets that has reached the peer's system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delivery {
    /// Octets that it has acknowledged, from some start on.
    pub(crate) acknowledged: u64,
    /// Whether it will acknowledge no more: all has been, or the connection is
    /// over.
    pub(crate) is_final: bool,
}

/// Asks which part of the sent octets has reached the peer's system.
pub(crate) fn delivery(socket: &TcpStream) -> io::Result<Delivery> {
    let mut info = [0_u8; SIZE];
    let mut length = SIZE as libc::socklen_t;
    // SAFETY: the descriptor is open as long as `socket` is borrowed; the
    // pointers are to `SIZE` octets that may be written, and to their number.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    if length as usize != SIZE {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let is_zero = |offset: usize| info[offset..offset + 4] == [0; 4];
    let mut acknowledged = [0; 8];
    acknowledged.copy_from_slice(&info[BYTES_ACKNOWLEDGED..BYTES_ACKNOWLEDGED + 8]);
    Ok(Delivery {
        acknowledged: u64::from_ne_bytes(acknowledged),
        is_final: info[STATE] == TCP_CLOSE || (is_zero(UNACKNOWLEDGED) && is_zero(BYTES_NOT_SENT)),
    })
}
