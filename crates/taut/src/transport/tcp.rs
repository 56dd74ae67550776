//! TCP, the transport of IIOP.

use std::io;
use std::net::{Shutdown, ToSocketAddrs};
use std::time::Duration;

use taut_sys::tcp::{Pending, TcpListener, TcpStream};

use super::{Address, Listener, Stream, Transport};

/// The transport of IIOP.
#[derive(Debug)]
pub(crate) struct Tcp;

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    peer: String,
}

#[derive(Debug)]
struct Acceptor {
    listener: TcpListener,
    address: Address,
    wildcard: bool,
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

impl Transport for Tcp {
    fn connect(&self, address: &Address, timeout: Duration) -> io::Result<Box<dyn Stream>> {
        let stream = first_that_serves(address, |candidate| {
            TcpStream::connect(candidate, Some(timeout))
        })?;
        let peer = address.to_string();
        Ok(Box::new(Connection { stream, peer }))
    }

    fn listen(&self, address: &Address) -> io::Result<Box<dyn Listener>> {
        let listener = first_that_serves(address, TcpListener::bind)?;
        let local = listener.local_address()?;
        Ok(Box::new(Acceptor {
            listener,
            address: Address::new(local.ip().to_string(), local.port()),
            wildcard: local.ip().is_unspecified(),
        }))
    }
}

impl Stream for Connection {
    #[inline]
    fn send(&self, octets: &[u8]) -> io::Result<()> {
        self.stream.send(octets)
    }

    #[inline]
    fn receive(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.stream.receive(buffer)
    }

    fn is_quiet(&self) -> bool {
        self.stream.pending() == Pending::Nothing
    }

    fn set_receive_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.stream.set_receive_timeout(timeout)
    }

    fn stop_receiving(&self) {
        // It can only fail when the connection is gone, which is what is wanted.
        let _ = self.stream.shutdown(Shutdown::Read);
    }

    fn stop_sending(&self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    fn peer(&self) -> &str {
        &self.peer
    }
}

impl Listener for Acceptor {
    fn accept(&self) -> io::Result<Box<dyn Stream>> {
        let (stream, peer) = self.listener.accept()?;
        let peer = peer.to_string();
        Ok(Box::new(Connection { stream, peer }))
    }

    fn address(&self) -> &Address {
        &self.address
    }

    fn is_wildcard(&self) -> bool {
        self.wildcard
    }

    fn close(&self) {
        let _ = self.listener.close();
    }
}
