//! What connections have in common, whatever they run over.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use taut_sys::stream::StreamSocket;

/// A connected socket, and what people call its other end.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    pub(super) socket: S,
    pub(super) peer: String,
}

impl<S: StreamSocket> Connection<S> {
    #[inline]
    pub(super) fn send(&self, octets: &[u8]) -> io::Result<()> {
        self.socket.send(octets)
    }

    #[inline]
    pub(super) fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.socket.receive(buffer)
    }

    pub(super) fn send_parts(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.socket.send_parts(parts)
    }

    #[inline]
    pub(super) fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        self.socket.try_send(octets)
    }

    #[inline]
    pub(super) fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.socket.try_receive(buffer)
    }

    pub(super) fn has_arrived(&self) -> bool {
        // A stream that failed has nothing to wait for.
        self.socket.has_arrived().unwrap_or(true)
    }

    pub(super) fn set_receive_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.socket.set_receive_timeout(timeout)
    }

    pub(super) fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.socket.set_send_timeout(timeout)
    }

    pub(super) fn stop(&self) {
        // It can only fail when the connection is gone, which is what is wanted.
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    pub(super) fn stop_sending(&self) {
        let _ = self.socket.shutdown(Shutdown::Write);
    }

    pub(super) fn peer(&self) -> &str {
        &self.peer
    }
}

impl<S: AsFd> AsFd for Connection<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
