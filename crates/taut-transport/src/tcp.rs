//! TCP, the transport of IIOP.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use taut_cdr::{Decoder, Encoder, ErrorKind};
use taut_sys::host;
use taut_sys::tcp::{TcpListener, TcpStream};

use crate::address::IIOP;
use crate::{
    Acceptor, Address, AddressError, ConnectAttempt, ConnectError, ConnectOptions, ConnectStage,
    ListenOptions, Protocol, Source, Stream, ip_text,
};

/// TCP: IIOP (CORBA 3.3 part 2, 9.7).
#[derive(Debug, Clone, Copy, Default)]
pub struct Tcp;

/// A connection over TCP.
type Connection = crate::socket::Connection<TcpStream>;

/// The shortest time to connect in: none at all is an error for the system.
const SHORTEST: Duration = Duration::from_micros(1);

/// A place where TCP connections come in.
#[derive(Debug)]
struct TcpAcceptor {
    listener: TcpListener,
    address: Address,
    /// The host as it was written, or this machine's primary address where a wildcard was.
    published_host: String,
}

impl Protocol for Tcp {
    fn scheme(&self) -> &str {
        IIOP
    }

    /// `TAG_INTERNET_IOP`.
    fn profile_tag(&self) -> u32 {
        0
    }

    /// Reads `host:port`, or `*:port` for every interface; both may be left out.
    fn parse_endpoint(&self, place: &str) -> Result<String, AddressError> {
        let (host, port) = host_and_port(place)?;
        let host = host.as_deref().unwrap_or("*");
        Ok(Address::new(host, port).to_string())
    }

    fn parse_address(&self, place: &str) -> Result<Address, AddressError> {
        Address::parse_host(place, crate::DEFAULT_PORT)
    }

    fn read_address(&self, profile: &mut Decoder<'_>) -> taut_cdr::Result<Address> {
        let host = profile.read_plain_text()?;
        Ok(Address::new(host, profile.read()?))
    }

    fn write_address(&self, address: &Address, profile: &mut Encoder) -> taut_cdr::Result<()> {
        let Address::Tcp { host, port } = address else {
            let kind = ErrorKind::Invalid("the address is not one of TCP");
            return Err(taut_cdr::Error::new(kind, profile.position()));
        };
        profile.write_string_octets(host.as_bytes())?;
        profile.write(*port);
        Ok(())
    }

    /// `TAG_ALTERNATE_IIOP_ADDRESS`.
    fn alternate_address_tag(&self) -> Option<u32> {
        Some(3)
    }

    /// Connects to each numeric address of the host in turn.
    fn connect(&self, address: &Address, options: &ConnectOptions) -> Result<Stream, ConnectError> {
        let Address::Tcp { host, port } = address else {
            return Err(ConnectError::new(
                address,
                io::ErrorKind::InvalidInput.into(),
            ));
        };
        connect(host, *port, options).map(Stream::from)
    }

    /// Listens at a host and port. Every interface, `*`, means both IPv6 and IPv4, or IPv4
    /// alone where there is no IPv6; port 0 asks for a free one.
    fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
        let malformed = |error| io::Error::new(io::ErrorKind::InvalidInput, error);
        let (host, port) = host_and_port(place).map_err(malformed)?;
        let acceptor = match (options.descriptor, host) {
            (Some(descriptor), host) => TcpListener::inherit(descriptor)
                .and_then(|listener| acceptor(listener, host.as_deref())),
            (None, Some(host)) => listen(&host, port, options.backlog, Some(&host)),
            (None, None) => listen("::", port, options.backlog, None)
                .or_else(|_| listen("0.0.0.0", port, options.backlog, None)),
        };
        Ok(Box::new(acceptor?))
    }
}

/// Reads an address to listen at, whose host may be left out: none is every interface.
fn host_and_port(text: &str) -> Result<(Option<String>, u16), AddressError> {
    let with_host = match text.strip_prefix(':') {
        Some(port) if !port.contains(':') => format!("*:{port}"),
        _ if text.is_empty() => "*".to_owned(),
        _ => text.to_owned(),
    };
    // A trailing colon without a port is how omniORB asks for a free one.
    let text = with_host.strip_suffix(':').unwrap_or(&with_host);
    match Address::parse_host(text, 0)? {
        Address::Tcp { host, port } => Ok(((host != "*").then_some(host), port)),
        _ => Err(AddressError::NoHost),
    }
}

/// Connects to a host and port: to each numeric address in turn, as long as there is time.
fn connect(host: &str, port: u16, options: &ConnectOptions) -> Result<Connection, ConnectError> {
    let address = Address::new(host, port);
    let candidates = options
        .resolve(host, port)
        .map_err(|error| ConnectError::at(ConnectStage::Resolving, &address, error))?;
    let mut failures = Vec::new();
    for candidate in candidates {
        let timeout = options.time_left();
        if timeout.is_zero() && !failures.is_empty() {
            // Those before it have taken all the time.
            break;
        }
        match TcpStream::connect(candidate, Some(timeout.max(SHORTEST))) {
            Ok(socket) => {
                let peer = address.to_string();
                return Ok(Connection { socket, peer });
            }
            Err(error) => failures.push((canonical(candidate), error)),
        }
    }
    Err(all_failed(&address, failures))
}

/// The error of a host, of whose numeric addresses each has failed. They are told apart
/// only if their reasons differ.
#[cold]
fn all_failed(address: &Address, failures: Vec<(SocketAddr, io::Error)>) -> ConnectError {
    let Some((_, first)) = failures.first() else {
        let error = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
        return ConnectError::at(ConnectStage::Resolving, address, error);
    };
    let is_same = |(_, error): &(SocketAddr, io::Error)| {
        (error.kind(), error.raw_os_error()) == (first.kind(), first.raw_os_error())
    };
    let are_same = failures.iter().all(is_same);
    let attempt = |(numeric, error): (SocketAddr, io::Error)| ConnectAttempt {
        address: match are_same {
            true => address.to_string(),
            false => format!("{address} ({})", ip_text::of_socket(numeric)),
        },
        stage: ConnectStage::Connecting,
        error,
    };
    let shown = if are_same { 1 } else { failures.len() };
    let attempts = failures.into_iter().take(shown).map(attempt).collect();
    ConnectError { attempts }
}

/// Listens at a host and port, where so many connections may wait to be accepted.
fn listen(
    host: &str,
    port: u16,
    backlog: u32,
    written_host: Option<&str>,
) -> io::Result<TcpAcceptor> {
    let listener = first_that_serves(host, port, TcpListener::bind)?;
    listener.set_backlog(backlog)?;
    acceptor(listener, written_host)
}

/// The place of a socket that listens, at the host that was written if there was one.
fn acceptor(listener: TcpListener, written_host: Option<&str>) -> io::Result<TcpAcceptor> {
    let local = canonical(listener.local_address()?);
    let published_host = match written_host {
        // A wildcard means nothing to a client.
        _ if local.ip().is_unspecified() => ip_text::of_ip(host::primary_address()),
        Some(host) => host.to_owned(),
        None => ip_text::of_ip(local.ip()),
    };
    Ok(TcpAcceptor {
        listener,
        address: Address::new(ip_text::of_ip(local.ip()), local.port()),
        published_host,
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

pub(crate) fn acknowledged(connection: &Connection) -> Option<u64> {
    connection.socket.acknowledged().ok()
}

pub(crate) fn acknowledged_in_all(connection: &Connection, patience: Duration) -> Option<u64> {
    connection
        .socket
        .acknowledged_in_all(patience)
        .ok()
        .flatten()
}

pub(crate) fn source(connection: &Connection) -> Option<Source> {
    let address = canonical(connection.socket.peer_address().ok()?);
    Some(Source::Machine(address.ip()))
}

impl Acceptor for TcpAcceptor {
    fn accept(&self) -> io::Result<Stream> {
        let (socket, peer) = self.listener.accept()?;
        let peer = ip_text::of_socket(canonical(peer));
        Ok(Connection { socket, peer }.into())
    }

    fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        self.listener.wait_for_client(timeout)
    }

    fn address(&self) -> &Address {
        &self.address
    }

    /// Port 0 of what was told stands for the port that is listened at. Without anything
    /// told, the host is published as it was written, or this machine's primary address in
    /// place of a wildcard.
    fn published(&self, told: &[Address]) -> Vec<Address> {
        let port = self.address.port().unwrap_or(0);
        let with_port = |address: &Address| match address {
            Address::Tcp { host, port: 0 } => Address::new(host, port),
            _ => address.clone(),
        };
        match told {
            [] => vec![Address::new(&*self.published_host, port)],
            told => told.iter().map(with_port).collect(),
        }
    }

    fn close(&self) -> io::Result<()> {
        self.listener.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_of_a_socket_for_both_versions_of_ip_has_its_ipv4_address() {
        let listen = |host| listen(host, 0, 1, None);
        let acceptor = listen("::").or_else(|_| listen("0.0.0.0")).unwrap();
        let port = acceptor.address().port().unwrap();
        let within = ConnectOptions::within(Duration::from_secs(20));
        let _client = connect("127.0.0.1", port, &within).unwrap();
        let accepted = acceptor.accept().unwrap();
        assert!(accepted.peer().starts_with("127.0.0.1:"));
        let localhost = "127.0.0.1".parse().unwrap();
        assert_eq!(accepted.source(), Some(Source::Machine(localhost)));
    }

    #[test]
    fn the_addresses_of_a_host_are_told_apart_if_their_reasons_differ() {
        let host = Address::new("h", 7);
        let of = |reasons: &[(&str, i32)]| {
            let failures = reasons.iter();
            let failures = failures
                .map(|(at, code)| (at.parse().unwrap(), io::Error::from_raw_os_error(*code)));
            let error = all_failed(&host, failures.collect());
            let attempts = error.attempts.into_iter();
            attempts.map(|attempt| attempt.address).collect::<Vec<_>>()
        };
        let (v4, v6) = ("127.0.0.1:7", "[::1]:7");
        assert_eq!(of(&[(v6, 111), (v4, 111)]), ["h:7"]);
        assert_eq!(
            of(&[(v6, 113), (v4, 111)]),
            ["h:7 ([::1]:7)", "h:7 (127.0.0.1:7)"]
        );
        assert_eq!(of(&[]), ["h:7"]);
    }

    #[test]
    fn a_wildcard_is_never_published() {
        for place in ["", "0.0.0.0:0", "[::]:0"] {
            // A machine without IPv6 cannot listen at its wildcard.
            let Ok(acceptor) = Tcp.listen(place, &ListenOptions::default()) else {
                continue;
            };
            for address in acceptor.published(&[]) {
                let Address::Tcp { host, port } = address else {
                    panic!("{address}");
                };
                let ip: std::net::IpAddr = host.parse().unwrap();
                assert!(!ip.is_unspecified());
                assert_ne!(port, 0);
            }
        }
    }
}
