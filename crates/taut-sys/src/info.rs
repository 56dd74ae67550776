//! What the system knows of a TCP connection.

#![allow(unsafe_code)]

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// Where `tcpi_bytes_acked`, a `u64`, stands in Linux' `struct tcp_info`: behind
/// 8 octets, 24 `u32` and 2 `u64`. There since Linux 4.1; the layout is part of
/// the kernel's interface. (The C library's own declaration ends before it.)
const BYTES_ACKED: usize = 8 + 24 * 4 + 2 * 8;

/// As much of `struct tcp_info` as is needed.
const SIZE: usize = BYTES_ACKED + 8;

/// The octets that the peer's system has acknowledged, from some start on.
pub(crate) fn bytes_acknowledged(socket: &TcpStream) -> io::Result<u64> {
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
    match info[BYTES_ACKED..].try_into() {
        Ok(octets) if length as usize == SIZE => Ok(u64::from_ne_bytes(octets)),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}
