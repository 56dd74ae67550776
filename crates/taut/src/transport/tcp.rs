//! TCP, the transport of IIOP.

use std::io::{self, IoSlice};
use std::net::{IpAddr, Shutdown, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use taut_sys::tcp::{TcpListener, TcpStream};

use super::Address;

/// A connection over TCP.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    peer: String,
}

/// A place where TCP connections come in.
#[derive(Debug)]
pub(crate) struct Acceptor {
    listener: TcpListener,
    address: Address,
    wildcard: bool,
}

/// Connects to an address, in at most `timeout`.
pub(super) fn connect(address: &Address, timeout: Duration) -> io::Result<Connection> {
    let stream = first_that_serves(address, |candidate| {
        TcpStream::connect(candidate, Some(timeout))
    })?;
    let peer = address.to_string();
    Ok(Connection { stream, peer })
}

/// Listens at an address, where so many connections may wait to be accepted.
pub(super) fn listen(address: &Address, backlog: u32) -> io::Result<Acceptor> {
    let listener = first_that_serves(address, TcpListener::bind)?;
    listener.set_backlog(backlog)?;
    let local = listener.local_address()?;
    Ok(Acceptor {
        listener,
        address: Address::new(local.ip().to_string(), local.port()),
        wildcard: local.ip().is_unspecified(),
    })
}

/// Tries each address that a host name stands for until one serves.
fn first_that_serves<T>(
    address: &Address,
    mut attempt: impl FnMut(std::net::SocketAddr) -> io::Result<T>,
) -> io::Result<T> {
    let mut failure = None;
    for candidate in (address.host.as_str(), address.port).to_socket_addrs()? {
        match attempt(candidate) {
            Ok(value) => return Ok(value),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure
        .unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host name has no address")))
}

impl Connection {
    #[inline]
    pub(super) fn send(&self, octets: &[u8]) -> io::Result<()> {
        self.stream.send(octets)
    }

    #[inline]
    pub(super) fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.stream.receive(buffer)
    }

    pub(super) fn send_parts(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.stream.send_parts(parts)
    }

    #[cfg(feature = "reactor")]
    #[inline]
    pub(super) fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        self.stream.try_send(octets)
    }

    #[cfg(feature = "reactor")]
    #[inline]
    pub(super) fn try_receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.stream.try_receive(buffer)
    }

    pub(super) fn has_arrived(&self) -> bool {
        // A stream that failed has nothing to wait for.
        self.stream.has_arrived().unwrap_or(true)
    }

    pub(super) fn acknowledged(&self) -> Option<u64> {
        self.stream.acknowledged().ok()
    }

    pub(super) fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        self.stream.acknowledged_in_all(patience).ok().flatten()
    }

    pub(super) fn set_receive_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.stream.set_receive_timeout(timeout)
    }

    pub(super) fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.stream.set_send_timeout(timeout)
    }

    pub(super) fn set_keep_alive(&self, idle: Duration) -> io::Result<()> {
        self.stream.set_keep_alive(idle)
    }

    pub(super) fn stop(&self) {
        // It can only fail when the connection is gone, which is what is wanted.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    pub(super) fn stop_sending(&self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    pub(super) fn peer_ip(&self) -> Option<IpAddr> {
        self.stream.peer_address().ok().map(|address| address.ip())
    }

    pub(super) fn peer(&self) -> &str {
        &self.peer
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Acceptor {
    pub(super) fn accept(&self) -> io::Result<Connection> {
        let (stream, peer) = self.listener.accept()?;
        let peer = peer.to_string();
        Ok(Connection { stream, peer })
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn is_wildcard(&self) -> bool {
        self.wildcard
    }

    pub(super) fn close(&self) {
        let _ = self.listener.close();
    }
}
