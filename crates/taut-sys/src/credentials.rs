//! The identity of the process at the other end of a Unix-domain socket.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// A process and its user, as the system knows them (`SO_PEERCRED`): at the moment of
/// connecting, or of listening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Credentials {
    /// The process's number; 0 when it is not to be seen from here, as in another
    /// container.
    pub process: u32,
    /// The number of its effective user.
    pub user: u32,
}

/// The credentials of a connected socket's peer.
///
/// By hand: `rustix` holds that a process's number is never 0.
pub(crate) fn of_peer(socket: BorrowedFd<'_>) -> io::Result<Credentials> {
    let mut found = libc::ucred {
        pid: 0,
        uid: 0,
        gid: 0,
    };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the descriptor is open as long as it is borrowed; the pointers are to a
    // `ucred`, all of whose octets may be written, and to its size.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut found).cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Credentials {
        process: u32::try_from(found.pid).unwrap_or(0),
        user: found.uid,
    })
}
