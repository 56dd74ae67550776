//! TCP, the transport of IIOP.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use taut_sys::tcp::{TcpListener, TcpStream};

use super::failure::{reason, unresolved};
use super::{Address, ConnectError, Source};

/// A connection over TCP.
pub(crate) type Connection = super::connection::Connection<TcpStream>;

/// A place where TCP connections come in.
#[derive(Debug)]
pub(crate) struct Acceptor {
    listener: TcpListener,
    address: Address,
    wildcard: bool,
}

/// Connects to a host and port, in at most `timeout` for each numeric address.
pub(super) fn connect(
    host: &str,
    port: u16,
    timeout: Duration,
) -> Result<Connection, ConnectError> {
    let address = || Address::new(host, port);
    let candidates = (host, port).to_socket_addrs();
    let candidates =
        candidates.map_err(|error| ConnectError::new(address(), unresolved(&error)))?;
    let mut failures = Vec::new();
    for candidate in candidates {
        match TcpStream::connect(candidate, Some(timeout)) {
            Ok(socket) => {
                let peer = address().to_string();
                return Ok(Connection { socket, peer });
            }
            Err(error) => failures.push((canonical(candidate), reason(&error, timeout))),
        }
    }
    Err(ConnectError::of_host(&address(), failures))
}

/// Listens at a host and port, where so many connections may wait to be accepted.
pub(super) fn listen(host: &str, port: u16, backlog: u32) -> io::Result<Acceptor> {
    let listener = first_that_serves(host, port, TcpListener::bind)?;
    listener.set_backlog(backlog)?;
    let local = canonical(listener.local_address()?);
    Ok(Acceptor {
        listener,
        address: Address::new(local.ip().to_string(), local.port()),
        wildcard: local.ip().is_unspecified(),
    })
}

/// The address as people write it: a socket for both versions of IP shows an IPv4 address
/// as `::ffff:127.0.0.1`.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// Tries each address that a host name stands for until one serves.
fn first_that_serves<T>(
    host: &str,
    port: u16,
    mut attempt: impl FnMut(SocketAddr) -> io::Result<T>,
) -> io::Result<T> {
    let mut failure = None;
    for candidate in (host, port).to_socket_addrs()? {
        match attempt(candidate) {
            Ok(value) => return Ok(value),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure
        .unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host name has no address")))
}

impl Connection {
    pub(super) fn acknowledged(&self) -> Option<u64> {
        self.socket.acknowledged().ok()
    }

    pub(super) fn acknowledged_in_all(&self, patience: Duration) -> Option<u64> {
        self.socket.acknowledged_in_all(patience).ok().flatten()
    }

    pub(super) fn set_keep_alive(&self, idle: Duration) -> io::Result<()> {
        self.socket.set_keep_alive(idle)
    }

    pub(super) fn source(&self) -> Option<Source> {
        let address = canonical(self.socket.peer_address().ok()?);
        Some(Source::Machine(address.ip()))
    }
}

impl Acceptor {
    pub(super) fn accept(&self) -> io::Result<Connection> {
        let (socket, peer) = self.listener.accept()?;
        let peer = canonical(peer).to_string();
        Ok(Connection { socket, peer })
    }

    pub(super) fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        self.listener.wait_for_client(timeout)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_of_a_socket_for_both_versions_of_ip_has_its_ipv4_address() {
        let acceptor = listen("::", 0, 1).or_else(|_| listen("0.0.0.0", 0, 1));
        let acceptor = acceptor.unwrap();
        let port = acceptor.address().port().unwrap();
        let _client = connect("127.0.0.1", port, Duration::from_secs(20)).unwrap();
        let accepted = acceptor.accept().unwrap();
        assert!(accepted.peer.starts_with("127.0.0.1:"));
        let localhost = "127.0.0.1".parse().unwrap();
        assert_eq!(accepted.source(), Some(Source::Machine(localhost)));
    }
}
