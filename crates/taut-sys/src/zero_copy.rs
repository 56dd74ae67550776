//! Octets sent from where they lie (`MSG_ZEROCOPY`). The system says when it has let go of
//! them, in the socket's queue of errors, and until then they have to stay as they are.

#![allow(unsafe_code)]

use std::io::{self, IoSlice};
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};

/// How long to wait for the system to let go of what it may not send any more.
const PAUSE: Duration = Duration::from_millis(1);

/// `SO_EE_ORIGIN_ZEROCOPY` of Linux' `errqueue.h`.
const ORIGIN_ZERO_COPY: u8 = 5;

/// The flag of the send, which `rustix` does not name.
const ZERO_COPY: SendFlags = SendFlags::from_bits_retain(libc::MSG_ZEROCOPY as u32);

/// Sends all octets of all parts, in order, from where they lie, and waits until the system
/// has let go of them: until the peer's has them, or the connection is over.
///
/// # Errors
///
/// An error of the operating system.
#[cold]
pub(crate) fn send_parts(socket: BorrowedFd<'_>, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
    // Whatever happens, nobody may touch the parts before the system has let go of them.
    let mut lent = Lent { socket, sends: 0 };
    let mut parts = parts;
    IoSlice::advance_slices(&mut parts, 0); // skips what is empty
    let mut flags = SendFlags::NOSIGNAL | ZERO_COPY;
    while !parts.is_empty() {
        let mut control = SendAncillaryBuffer::default();
        match sendmsg(socket, parts, &mut control, flags) {
            Ok(sent) => {
                lent.sends += u32::from(flags.contains(ZERO_COPY));
                IoSlice::advance_slices(&mut parts, sent);
            }
            Err(Errno::INTR) => {}
            // As much is lent as the system keeps account of (`net.core.optmem_max`).
            Err(Errno::NOBUFS) if lent.sends > 0 => lent.settle(),
            Err(Errno::NOBUFS) if flags.contains(ZERO_COPY) => flags.remove(ZERO_COPY),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The sends whose octets the system has not let go of.
struct Lent<'s> {
    socket: BorrowedFd<'s>,
    sends: u32,
}

impl Lent<'_> {
    /// Waits until there are none.
    fn settle(&mut self) {
        let mut has_ended = false;
        while self.sends > 0 {
            while let Some(sends) = let_go(self.socket) {
                self.sends = self.sends.saturating_sub(sends);
            }
            if self.sends == 0 {
                return;
            }
            if has_ended {
                // The last of it may still be in the queue of a device.
                thread::sleep(PAUSE);
                continue;
            }
            // An entry in the queue of errors is an event in any case.
            let mut events = [PollFd::from_borrowed_fd(self.socket, PollFlags::empty())];
            let polled = poll(&mut events, None);
            if polled.is_ok() && events[0].revents().contains(PollFlags::HUP) {
                has_ended = true;
                drop_unsent(self.socket);
            }
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.settle();
    }
}

/// The control data of one entry of the queue of errors, aligned as the system wants it.
#[repr(C, align(8))]
struct Control([u8; 128]);

/// Takes an entry from the queue of errors, and returns how many sends it says the system has
/// let go of. None if there is no entry.
fn let_go(socket: BorrowedFd<'_>) -> Option<u32> {
    let mut control = Control([0; 128]);
    // SAFETY: a `msghdr` of zeroes is one without address, parts and control data.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_control = (&raw mut control).cast();
    message.msg_controllen = size_of::<Control>() as _;
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: the control data is memory that this function may write, of that length.
    let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) };
    if received < 0 {
        return None;
    }
    let mut sends = 0_u32;
    // SAFETY: the message was filled by the system, and its control data lives.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    while !header.is_null() {
        // SAFETY: the header lies in the control data.
        let data = unsafe { libc::CMSG_DATA(header) };
        // SAFETY: the header lies in the control data, aligned as the system wants it.
        let found: libc::cmsghdr = unsafe { header.read() };
        let kind = (found.cmsg_level, found.cmsg_type);
        let is_of_errors = kind == (libc::SOL_IP, libc::IP_RECVERR)
            || kind == (libc::SOL_IPV6, libc::IPV6_RECVERR);
        if is_of_errors {
            // SAFETY: the data of this kind is such a struct, which may lie unaligned.
            let error: libc::sock_extended_err =
                unsafe { data.cast::<libc::sock_extended_err>().read_unaligned() };
            if error.ee_errno == 0 && error.ee_origin == ORIGIN_ZERO_COPY {
                // Both ends belong to the range.
                let range = error.ee_data.wrapping_sub(error.ee_info).wrapping_add(1);
                sends = sends.saturating_add(range);
            }
        }
        // SAFETY: the message and the header are those of above.
        header = unsafe { libc::CMSG_NXTHDR(&raw const message, header) };
    }
    Some(sends)
}

/// Has the system forget what it has not sent on a connection that is over for both
/// directions.
fn drop_unsent(socket: BorrowedFd<'_>) {
    // SAFETY: a `sockaddr` of zeroes is the address of no family.
    let mut nowhere: libc::sockaddr = unsafe { mem::zeroed() };
    nowhere.sa_family = libc::AF_UNSPEC as libc::sa_family_t;
    let length = size_of::<libc::sockaddr>() as libc::socklen_t;
    // SAFETY: the address is one of that length; the descriptor is open while it is borrowed.
    unsafe { libc::connect(socket.as_raw_fd(), &raw const nowhere, length) };
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::stream::StreamSocket;

    fn pattern(length: usize) -> Vec<u8> {
        (0..length).map(|index| (index % 251) as u8).collect()
    }

    #[test]
    fn octets_arrive_from_where_they_lie_and_may_change_afterwards() {
        let (client, server) = crate::tcp::pair();
        client.set_zero_copy_from(1).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut octets = pattern(3 << 20);
                for _ in 0..3 {
                    let mut parts = [IoSlice::new(b"head"), IoSlice::new(&octets)];
                    send_parts(client.as_fd(), &mut parts).unwrap();
                    octets.fill(0);
                    octets.copy_from_slice(&pattern(3 << 20));
                }
                // Nothing is left that the system would say.
                assert_eq!(let_go(client.as_fd()), None);
            });
            let expected = [b"head".as_slice(), &pattern(3 << 20)].concat().repeat(3);
            let mut arrived = Vec::with_capacity(expected.len());
            while arrived.len() < expected.len() {
                assert_ne!(server.receive(&mut arrived).unwrap(), 0);
            }
            assert!(arrived == expected);
        });
    }

    #[test]
    fn a_connection_that_ends_lets_go_of_what_it_has_not_sent() {
        for ends_here in [false, true] {
            let (client, server) = crate::tcp::pair();
            client.set_zero_copy_from(1).unwrap();
            client.set_send_buffer(32 << 20).unwrap();
            thread::scope(|scope| {
                let sending = scope.spawn(|| {
                    let octets = pattern(16 << 20);
                    let _ = send_parts(client.as_fd(), &mut [IoSlice::new(&octets)]);
                });
                let mut first = Vec::with_capacity(1);
                server.receive(&mut first).unwrap();
                match ends_here {
                    true => client.shutdown(std::net::Shutdown::Both).unwrap(),
                    false => drop(server),
                }
                sending.join().unwrap();
            });
        }
    }
}
