//! Where a server listens, and where it says it does.

use std::fmt;
use std::io;
use std::str::FromStr;

use taut_sys::host;

use crate::settings::Settings;
use crate::transport::{Address, AddressError, Listener};

/// An endpoint to listen at, and the addresses under which clients reach it.
///
/// Written as one of
///
/// - `host:port`, `[ipv6]:port`, or `*:port` for every interface;
/// - TAO's `iiop://host:port/option=value&option=value`;
/// - omniORB's `giop:tcp:host:port`;
/// - TAO's `uiop:///path/to/socket`, or omniORB's `giop:unix:/path/to/socket`, for
///   clients on the same machine; without a path, at a new one in the system's
///   directory for temporary files. The file goes when the ORB is shut down; one that
///   a process has left behind is replaced.
///
/// Port 0, or none, asks for a free port. The options, of which there are none for
/// Unix-domain sockets:
///
/// - `publish=host[:port][,host[:port]…]`: what references say instead of
///   where the server listens, for servers behind NAT or in containers; without
///   a port, the one that is listened at. The first is the address proper, the
///   others are alternates.
/// - `hostname_in_ior=host`: TAO's name for the same, with one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenEndpoint {
    place: Place,
    /// What references say; empty: where the server listens. Port 0 stands for
    /// the port that is listened at.
    publish: Vec<Address>,
}

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Tcp {
        /// None: on every interface.
        host: Option<String>,
        /// 0 for a free port.
        port: u16,
    },
    Unix {
        /// None: a path of its own.
        path: Option<String>,
    },
}

/// Why a text is not an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointError {
    /// The protocol is neither `iiop` nor `uiop` (or omniORB's `giop:tcp` and
    /// `giop:unix`).
    Protocol(String),
    /// The address is malformed.
    Address {
        /// The address.
        text: String,
        /// What is wrong with it.
        error: AddressError,
    },
    /// There is no such option.
    Option(String),
}

impl ListenEndpoint {
    /// Every interface, at a free port.
    pub fn any() -> Self {
        Self {
            place: Place::Tcp {
                host: None,
                port: 0,
            },
            publish: Vec::new(),
        }
    }

    /// Publishes this address; the first one published is the address proper,
    /// further ones are alternates. Port 0 stands for the port that is
    /// listened at.
    #[must_use]
    pub fn publish(mut self, address: Address) -> Self {
        self.publish.push(address);
        self
    }

    /// Publishes these addresses if it listens over TCP and publishes none of its own.
    pub(crate) fn publish_unless_told(mut self, addresses: &[Address]) -> Self {
        if self.publish.is_empty() && matches!(self.place, Place::Tcp { .. }) {
            self.publish = addresses.to_vec();
        }
        self
    }

    /// Opens the listener. Every interface means both IPv6 and IPv4, or IPv4
    /// alone where there is no IPv6.
    pub(super) fn listen(&self, settings: &Settings) -> io::Result<Listener> {
        let backlog = settings.listen_backlog;
        let listener = match &self.place {
            Place::Unix { path } => {
                Listener::unix(path.as_deref(), settings.unix_socket_mode, backlog)
            }
            Place::Tcp { host, port } => match host {
                Some(host) => Listener::tcp(host, *port, backlog),
                None => Listener::tcp("::", *port, backlog)
                    .or_else(|_| Listener::tcp("0.0.0.0", *port, backlog)),
            },
        };
        listener.map_err(|error| {
            let problem = format!("cannot listen at {self}: {error}");
            io::Error::new(error.kind(), problem)
        })
    }
}

/// The addresses to put into references: what was asked for, else the host as
/// it was written, else, on every interface, this machine's primary address,
/// for a wildcard means nothing to a client.
pub(super) fn published(endpoint: &ListenEndpoint, listener: &Listener) -> Vec<Address> {
    let (Place::Tcp { host, .. }, Some(port)) = (&endpoint.place, listener.address().port()) else {
        return vec![listener.address().clone()];
    };
    if !endpoint.publish.is_empty() {
        let with_port = |address: &Address| match address {
            Address::Tcp { host, port: 0 } => Address::new(host, port),
            _ => address.clone(),
        };
        return endpoint.publish.iter().map(with_port).collect();
    }
    let host = match host {
        Some(host) if !listener.is_wildcard() => host.clone(),
        _ => host::primary_address().to_string(),
    };
    vec![Address::new(host, port)]
}

impl FromStr for ListenEndpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let unix = text.strip_prefix("uiop://");
        if let Some(path) = unix.or_else(|| text.strip_prefix("giop:unix:")) {
            return unix_endpoint(path);
        }
        let (address, options) = if let Some((protocol, rest)) = text.split_once("://") {
            if protocol != "iiop" {
                return Err(EndpointError::Protocol(protocol.to_owned()));
            }
            rest.split_once('/').unwrap_or((rest, ""))
        } else if let Some(rest) = text.strip_prefix("giop:") {
            match rest.strip_prefix("tcp:") {
                Some(address) => (address, ""),
                None => return Err(EndpointError::Protocol(text.to_owned())),
            }
        } else {
            text.split_once('/').unwrap_or((text, ""))
        };
        let (host, port) = host_and_port(address)?;
        let mut endpoint = Self {
            place: Place::Tcp { host, port },
            publish: Vec::new(),
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("publish", list)) => {
                    for item in list.split(',') {
                        endpoint.publish.push(parse_address(item)?);
                    }
                }
                Some(("hostname_in_ior", host)) => endpoint.publish.push(Address::new(host, 0)),
                _ => return Err(EndpointError::Option(option.to_owned())),
            }
        }
        Ok(endpoint)
    }
}

/// An endpoint at this path, if there is one. TAO's options would be behind a bar.
fn unix_endpoint(path: &str) -> Result<ListenEndpoint, EndpointError> {
    if let Some((_, option)) = path.split_once('|') {
        return Err(EndpointError::Option(option.to_owned()));
    }
    Ok(ListenEndpoint {
        place: Place::Unix {
            path: (!path.is_empty()).then(|| path.to_owned()),
        },
        publish: Vec::new(),
    })
}

/// Reads an address whose host may be left out.
fn host_and_port(text: &str) -> Result<(Option<String>, u16), EndpointError> {
    let with_host = match text.strip_prefix(':') {
        Some(port) if !port.contains(':') => format!("*:{port}"),
        _ if text.is_empty() => "*".to_owned(),
        _ => text.to_owned(),
    };
    // A trailing colon without a port is how omniORB asks for a free one.
    let text = with_host.strip_suffix(':').unwrap_or(&with_host);
    match parse_address(text)? {
        Address::Tcp { host, port } => Ok(((host != "*").then_some(host), port)),
        // What begins with `uiop://` has been read before.
        Address::Unix { .. } => Err(EndpointError::Protocol(text.to_owned())),
    }
}

fn parse_address(text: &str) -> Result<Address, EndpointError> {
    Address::parse(text, 0).map_err(|error| EndpointError::Address {
        text: text.to_owned(),
        error,
    })
}

impl fmt::Display for ListenEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Tcp { host, port } => {
                let host = host.as_deref().unwrap_or("*");
                write!(f, "iiop://{}", Address::new(host, *port))?;
            }
            Place::Unix { path } => write!(f, "uiop://{}", path.as_deref().unwrap_or(""))?,
        }
        for (index, address) in self.publish.iter().enumerate() {
            f.write_str(if index == 0 { "/publish=" } else { "," })?;
            address.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(protocol) => write!(
                f,
                "{protocol:?} is not a protocol to listen with: write iiop://host:port or \
                 uiop:///path/to/socket"
            ),
            Self::Address { text, error } => write!(f, "{text:?}: {error}"),
            Self::Option(option) => write!(
                f,
                "{option:?} is not an option of an endpoint: there are publish=host:port and \
                 hostname_in_ior=host, and none of Unix-domain sockets"
            ),
        }
    }
}

impl std::error::Error for EndpointError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_and_written() {
        for (text, written) in [
            ("", "iiop://*:0"),
            ("*:2809", "iiop://*:2809"),
            (":2809", "iiop://*:2809"),
            ("iiop://", "iiop://*:0"),
            ("iiop://:2809", "iiop://*:2809"),
            ("127.0.0.1", "iiop://127.0.0.1:0"),
            ("iiop://[::1]:99", "iiop://[::1]:99"),
            ("giop:tcp::", "iiop://*:0"),
            ("giop:tcp::2809", "iiop://*:2809"),
            ("giop:tcp:localhost:", "iiop://localhost:0"),
            ("uiop:///tmp/x:1/y", "uiop:///tmp/x:1/y"),
            ("uiop://", "uiop://"),
            ("uiop://x", "uiop://x"),
            ("giop:unix:/tmp/x", "uiop:///tmp/x"),
            ("giop:unix:", "uiop://"),
            (
                "iiop://h:1/hostname_in_ior=example.com",
                "iiop://h:1/publish=example.com:0",
            ),
            (
                "h:1/publish=example.com:3000,[fe80::1]",
                "iiop://h:1/publish=example.com:3000,[fe80::1]:0",
            ),
        ] {
            let endpoint: ListenEndpoint = text.parse().unwrap();
            assert_eq!(endpoint.to_string(), written, "{text}");
            assert_eq!(written.parse(), Ok(endpoint), "{text}");
        }
    }

    #[test]
    fn each_malformed_endpoint_is_refused_with_its_fault() {
        for (text, message) in [
            (
                "http://h:1",
                "\"http\" is not a protocol to listen with: write iiop://host:port or \
                 uiop:///path/to/socket",
            ),
            (
                "giop:ssl:h:1",
                "\"giop:ssl:h:1\" is not a protocol to listen with: write iiop://host:port or \
                 uiop:///path/to/socket",
            ),
            (
                "h:port",
                "\"h:port\": \"port\" is not a port: a number from 0 to 65535",
            ),
            (
                "::1",
                "\"::1\": an IPv6 address needs brackets around it: [address]:port",
            ),
            (
                "h:1/portspan=3",
                "\"portspan=3\" is not an option of an endpoint: there are publish=host:port and \
                 hostname_in_ior=host, and none of Unix-domain sockets",
            ),
            (
                "uiop:///x|mode=600",
                "\"mode=600\" is not an option of an endpoint: there are publish=host:port and \
                 hostname_in_ior=host, and none of Unix-domain sockets",
            ),
        ] {
            let error = text.parse::<ListenEndpoint>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn a_wildcard_is_never_published() {
        for text in ["", "0.0.0.0:0", "[::]:0"] {
            let endpoint: ListenEndpoint = text.parse().unwrap();
            // A machine without IPv6 cannot listen at its wildcard.
            let Ok(listener) = endpoint.listen(&Settings::default()) else {
                continue;
            };
            for address in published(&endpoint, &listener) {
                let Address::Tcp { host, port } = address else {
                    panic!("{address}");
                };
                let ip: std::net::IpAddr = host.parse().unwrap();
                assert!(!ip.is_unspecified());
                assert_ne!(port, 0);
            }
        }
    }

    #[test]
    fn what_is_published_may_differ_from_where_the_server_listens() {
        let endpoint: ListenEndpoint = "127.0.0.1:0/publish=example.com:3000,inner"
            .parse()
            .unwrap();
        let listener = endpoint.listen(&Settings::default()).unwrap();
        let port = listener.address().port().unwrap();
        assert_eq!(
            published(&endpoint, &listener),
            [
                Address::new("example.com", 3000),
                Address::new("inner", port)
            ]
        );
    }
}
