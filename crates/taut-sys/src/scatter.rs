//! Octets received into two places by one system call.

#![allow(unsafe_code)]

use std::io;
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::slice;

/// Receives into `head`, and what does not fit there into `rest`, which may be without
/// values. Says how many octets are in `head` now, and which in `rest`.
///
/// # Errors
///
/// An error of the operating system; after a signal the function tries again instead.
pub(crate) fn receive<'r>(
    socket: BorrowedFd<'_>,
    head: &mut [u8],
    rest: &'r mut [MaybeUninit<u8>],
    flags: libc::c_int,
) -> io::Result<(usize, &'r mut [u8])> {
    let mut parts = [
        libc::iovec {
            iov_base: head.as_mut_ptr().cast(),
            iov_len: head.len(),
        },
        libc::iovec {
            iov_base: rest.as_mut_ptr().cast(),
            iov_len: rest.len(),
        },
    ];
    // SAFETY: a `msghdr` of zeroes is one without address, parts and control data.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = parts.as_mut_ptr();
    message.msg_iovlen = parts.len() as _;
    let received = loop {
        // SAFETY: the parts are memory that this function may write, of these lengths.
        let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) };
        match usize::try_from(received) {
            Ok(received) => break received,
            Err(_) => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    };
    let in_head = received.min(head.len());
    let filled = &mut rest[..received - in_head];
    // SAFETY: the system has written so many octets behind those in the head.
    let filled =
        unsafe { slice::from_raw_parts_mut(filled.as_mut_ptr().cast::<u8>(), filled.len()) };
    Ok((in_head, filled))
}
