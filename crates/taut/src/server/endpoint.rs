//! Where a server listens, and where it says it does.

#[cfg_attr(not(feature = "full"), path = "endpoint/options_absent.rs")]
mod options;

use std::fmt;
use std::io;
use std::os::fd::RawFd;
use std::str::FromStr;

use taut_transport::{
    Acceptor, Address, AddressError, ConnectionOptions, ListenOptions, Protocol, Protocols, Tcp,
    Unix, split_scheme,
};

use super::listener::Listener;

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
///   a process has left behind is replaced;
/// - `scheme://place`, of a protocol that was added to the ORB.
///
/// Port 0, or none, asks for a free port. The options:
///
/// - `publish=host[:port][,host[:port]…]`: what references say instead of
///   where the server listens, for servers behind NAT or in containers; without
///   a port, the one that is listened at. The first is the address proper, the
///   others are alternates.
/// - `hostname_in_ior=host`: TAO's name for the same, with one host;
/// - `descriptor=3`: listens at the TCP socket that the process was started with under this
///   descriptor, as by systemd, and not at one of its own; host and port are those of the socket
///   then. The socket goes on listening when the ORB is shut down.
/// - the [options](crate::policy::ConnectionOptions) of the connections that come in there,
///   such as `dscp=46&queue-priority=6`. Those of a Unix-domain socket stand behind a bar,
///   `uiop:///path|send-buffer=65536`.
///
/// The first three are for hosts and ports alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenEndpoint {
    /// The scheme of the protocol.
    scheme: String,
    /// Where to listen, as the protocol writes it.
    place: String,
    /// The addresses that references publish; empty: where the server listens. Port 0
    /// stands for the port that is listened at.
    publish: Vec<Address>,
    /// The descriptor of a socket that listens already.
    descriptor: Option<RawFd>,
    /// The options of the connections that come in.
    options: ConnectionOptions,
}

/// Why a text is not an endpoint.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointError {
    /// The ORB has no such protocol: there are `iiop` and `uiop` (omniORB's `giop:tcp` and
    /// `giop:unix`), and those that were added.
    Protocol(String),
    /// The address is malformed.
    Address {
        /// The address.
        text: String,
        /// The fault of the address.
        error: AddressError,
    },
    /// There is no such option.
    Option(String),
}

impl ListenEndpoint {
    /// Every interface, at a free port.
    pub fn any() -> Self {
        Self {
            scheme: Tcp.scheme().to_owned(),
            place: "*:0".to_owned(),
            publish: Vec::new(),
            descriptor: None,
            options: ConnectionOptions::NONE,
        }
    }

    /// Gives the connections that come in there these options (docs/real-time.md); those that
    /// are none here are the ORB's.
    #[cfg(feature = "full")]
    #[must_use]
    pub fn connection_options(mut self, options: ConnectionOptions) -> Self {
        self.options = options;
        self
    }

    /// Listens at the TCP socket that the process was started with under this descriptor, and not at
    /// one of its own. Host and port are those of the socket then. It goes on listening when the ORB
    /// is shut down, and is non-blocking, for other processes that have it too.
    #[must_use]
    pub fn descriptor(mut self, descriptor: RawFd) -> Self {
        self.descriptor = Some(descriptor);
        self
    }

    /// Publishes this address; the first one published is the address proper,
    /// further ones are alternates. Port 0 stands for the port that is
    /// listened at.
    #[must_use]
    pub fn publish(mut self, address: Address) -> Self {
        self.publish.push(address);
        self
    }

    /// The endpoint of the same protocol and host at a place that is free. None for protocols
    /// that were added: only they know their places.
    pub(super) fn at_free_place(&self) -> Option<Self> {
        if self.scheme == Unix.scheme() {
            let endpoint = unix_endpoint("").ok()?;
            return Some(Self {
                options: self.options,
                ..endpoint
            });
        }
        if self.scheme != Tcp.scheme() {
            return None;
        }
        let (host, _) = self.place.rsplit_once(':')?;
        let at_any_port = |address: &Address| match address {
            Address::Tcp { host, .. } => Some(Address::new(host, 0)),
            _ => None,
        };
        Some(Self {
            scheme: self.scheme.clone(),
            place: format!("{host}:0"),
            options: self.options,
            descriptor: None,
            publish: self.publish.iter().filter_map(at_any_port).collect(),
        })
    }

    /// Publishes these addresses if it listens over TCP and publishes none of its own.
    pub(crate) fn publish_unless_told(mut self, addresses: &[Address]) -> Self {
        if self.publish.is_empty() && self.scheme == Tcp.scheme() {
            self.publish = addresses.to_vec();
        }
        self
    }

    /// Looks whether one of the protocols can listen there.
    ///
    /// # Errors
    ///
    /// When there is no such protocol, or the place is none of its.
    pub(crate) fn check(&self, protocols: &Protocols) -> Result<(), EndpointError> {
        let protocol = protocols.by_scheme(&self.scheme);
        let protocol = protocol.ok_or_else(|| EndpointError::Protocol(self.scheme.clone()))?;
        place_at(&self.place, protocol.parse_endpoint(&self.place)).map(drop)
    }

    /// Opens the listener.
    pub(super) fn listen(
        &self,
        protocols: &Protocols,
        options: &ListenOptions,
    ) -> io::Result<Listener> {
        let mut options = options.clone();
        options.descriptor = self.descriptor;
        let acceptor = protocols.listen(&self.scheme, &self.place, &options);
        let acceptor = acceptor.map_err(|error| {
            let problem = format!("cannot listen at {self}: {error}");
            io::Error::new(error.kind(), problem)
        })?;
        Ok(Listener::new(acceptor, self.options))
    }

    /// The addresses to put into references: what was asked for, else what the acceptor
    /// says of itself.
    pub(super) fn published(&self, acceptor: &dyn Acceptor) -> Vec<Address> {
        acceptor.published(&self.publish)
    }
}

impl FromStr for ListenEndpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let unix = text.strip_prefix("uiop://");
        if let Some(path) = unix.or_else(|| text.strip_prefix("giop:unix:")) {
            return unix_endpoint(path);
        }
        let (address, options) = if let Some((scheme, rest)) = split_scheme(text) {
            if scheme != Tcp.scheme() {
                return Ok(Self {
                    scheme: scheme.to_owned(),
                    place: rest.to_owned(),
                    publish: Vec::new(),
                    descriptor: None,
                    options: ConnectionOptions::NONE,
                });
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
        let mut endpoint = Self {
            scheme: Tcp.scheme().to_owned(),
            place: place_at(address, Tcp.parse_endpoint(address))?,
            publish: Vec::new(),
            descriptor: None,
            options: ConnectionOptions::NONE,
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("publish", list)) => {
                    for item in list.split(',') {
                        endpoint.publish.push(parse_address(item)?);
                    }
                }
                Some(("hostname_in_ior", host)) => endpoint.publish.push(Address::new(host, 0)),
                Some(("descriptor", number)) => {
                    let number = number.parse::<u16>();
                    let number = number.map_err(|_| EndpointError::Option(option.to_owned()))?;
                    endpoint.descriptor = Some(number.into());
                }
                _ => options::read(option, &mut endpoint.options)?,
            }
        }
        Ok(endpoint)
    }
}

/// An endpoint at this path, if there is one. As in TAO, options are behind a bar.
fn unix_endpoint(text: &str) -> Result<ListenEndpoint, EndpointError> {
    let (path, options) = text.split_once('|').unwrap_or((text, ""));
    let mut endpoint = ListenEndpoint {
        scheme: Unix.scheme().to_owned(),
        place: path.to_owned(),
        publish: Vec::new(),
        descriptor: None,
        options: ConnectionOptions::NONE,
    };
    for option in options.split('&').filter(|option| !option.is_empty()) {
        options::read(option, &mut endpoint.options)?;
    }
    Ok(endpoint)
}

/// The place to listen at that a protocol has read in a text.
fn place_at(text: &str, place: Result<String, AddressError>) -> Result<String, EndpointError> {
    place.map_err(|error| EndpointError::Address {
        text: text.to_owned(),
        error,
    })
}

fn parse_address(text: &str) -> Result<Address, EndpointError> {
    Address::parse(text, 0).map_err(|error| EndpointError::Address {
        text: text.to_owned(),
        error,
    })
}

impl fmt::Display for ListenEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.place)?;
        for (index, address) in self.publish.iter().enumerate() {
            f.write_str(if index == 0 { "/publish=" } else { "," })?;
            address.fmt(f)?;
        }
        let mut has_options = !self.publish.is_empty();
        if let Some(descriptor) = self.descriptor {
            let before = if has_options { '&' } else { '/' };
            write!(f, "{before}descriptor={descriptor}")?;
            has_options = true;
        }
        let before = match (self.scheme == Tcp.scheme(), has_options) {
            (false, _) => "|",
            (true, false) => "/",
            (true, true) => "&",
        };
        options::write(f, before, &self.options)
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(protocol) => write!(
                f,
                "{protocol:?} is not a protocol to listen with: write iiop://host:port or \
                 uiop:///path/to/socket, or add the protocol to the builder"
            ),
            Self::Address { text, error } => write!(f, "{text:?}: {error}"),
            Self::Option(option) => write!(
                f,
                "{option:?} is not an option of an endpoint: there are publish=host:port, \
                 hostname_in_ior=host and descriptor=3, not of Unix-domain sockets, and those of \
                 connections, such as dscp=46"
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
            ("*:0/descriptor=3", "iiop://*:0/descriptor=3"),
            (
                "h:1/descriptor=4&publish=example.com:3000",
                "iiop://h:1/publish=example.com:3000&descriptor=4",
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
                "giop:ssl:h:1",
                "\"giop:ssl:h:1\" is not a protocol to listen with: write iiop://host:port or \
                 uiop:///path/to/socket, or add the protocol to the builder",
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
                "\"portspan=3\" is not an option of an endpoint: there are publish=host:port, \
                 hostname_in_ior=host and descriptor=3, not of Unix-domain sockets, and those of \
                 connections, such as dscp=46",
            ),
            (
                "uiop:///x|descriptor=3",
                "\"descriptor=3\" is not an option of an endpoint: there are publish=host:port, \
                 hostname_in_ior=host and descriptor=3, not of Unix-domain sockets, and those of \
                 connections, such as dscp=46",
            ),
            (
                "uiop:///x|mode=600",
                "\"mode=600\" is not an option of an endpoint: there are publish=host:port, \
                 hostname_in_ior=host and descriptor=3, not of Unix-domain sockets, and those of \
                 connections, such as dscp=46",
            ),
        ] {
            let error = text.parse::<ListenEndpoint>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[cfg(feature = "full")]
    #[test]
    fn options_of_connections_are_read_and_written() {
        for (text, written) in [
            ("h:1/dscp=46", "iiop://h:1/dscp=46"),
            (
                "h:1/queue-priority=6&publish=out:2&dscp=46",
                "iiop://h:1/publish=out:2&dscp=46&queue-priority=6",
            ),
            ("uiop:///x|send-buffer=65536", "uiop:///x|send-buffer=65536"),
        ] {
            let endpoint: ListenEndpoint = text.parse().unwrap();
            assert_eq!(endpoint.to_string(), written, "{text}");
            assert_eq!(written.parse(), Ok(endpoint), "{text}");
        }
        let endpoint = ListenEndpoint::any();
        let with = endpoint.connection_options("no-delay=no".parse().unwrap());
        assert_eq!(with.to_string(), "iiop://*:0/no-delay=no");
        assert!("h:1/dscp=64".parse::<ListenEndpoint>().is_err());
    }

    #[test]
    fn an_endpoint_of_a_protocol_that_is_not_there_is_refused() {
        let endpoint: ListenEndpoint = "http://h:1".parse().unwrap();
        assert_eq!(endpoint.to_string(), "http://h:1");
        let error = endpoint.check(&Protocols::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"http\" is not a protocol to listen with: write iiop://host:port or \
             uiop:///path/to/socket, or add the protocol to the builder"
        );
        let here: ListenEndpoint = "uiop:///x".parse().unwrap();
        assert_eq!(here.check(&Protocols::default()), Ok(()));
    }

    #[test]
    fn what_is_published_may_differ_from_where_the_server_listens() {
        let endpoint: ListenEndpoint = "127.0.0.1:0/publish=example.com:3000,inner"
            .parse()
            .unwrap();
        let options = ListenOptions::default();
        let acceptor = endpoint.listen(&Protocols::default(), &options).unwrap();
        let port = acceptor.address().port().unwrap();
        assert_eq!(
            endpoint.published(&*acceptor),
            [
                Address::new("example.com", 3000),
                Address::new("inner", port)
            ]
        );
    }
}
