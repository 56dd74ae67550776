//! Where an endpoint is, as references publish it.

use std::fmt;
use std::str::FromStr;

/// The port that the standard assigns to object URLs without one.
pub const DEFAULT_PORT: u16 = 2809;

/// The scheme of TCP.
pub(crate) const IIOP: &str = "iiop";
/// The scheme of Unix-domain sockets.
pub(crate) const UIOP: &str = "uiop";

/// Where an endpoint is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Address {
    /// A host and a port: IIOP, over TCP.
    Tcp {
        /// A DNS name or a numeric address; IPv6 without brackets.
        host: String,
        /// The port; 0 asks for a free one where an address is to be listened at.
        port: u16,
    },
    /// A Unix-domain socket on this machine: TAO's UIOP.
    Unix {
        /// The path in the file system, from the root on.
        path: String,
    },
    /// An address of a protocol that a program has added.
    Other {
        /// The protocol's [scheme](crate::Protocol::scheme).
        scheme: String,
        /// The address, in the form of the protocol.
        place: String,
    },
}

/// Why a text is not an address.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressError {
    /// There is no host.
    NoHost,
    /// An opening bracket has no closing one, or something other than a port
    /// follows it.
    Brackets,
    /// A numeric IPv6 address stands without brackets, so that its port cannot
    /// be told from its end.
    BareIpv6,
    /// The port is not a number from 0 to 65535.
    Port(String),
    /// There is no path behind `uiop://`.
    NoPath,
    /// The place is not of the form that the protocol with this scheme reads, which says
    /// why.
    Place(String),
}

impl Address {
    /// A host (a name, an IPv4 or an IPv6 address without brackets) and a port.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self::Tcp {
            host: host.into(),
            port,
        }
    }

    /// The Unix-domain socket at a path.
    pub fn unix(path: impl Into<String>) -> Self {
        Self::Unix { path: path.into() }
    }

    /// An address of a protocol that a program has added.
    pub fn other(scheme: impl Into<String>, place: impl Into<String>) -> Self {
        Self::Other {
            scheme: scheme.into(),
            place: place.into(),
        }
    }

    /// The scheme of the protocol: `iiop`, `uiop`, or that of one that was added.
    pub fn scheme(&self) -> &str {
        match self {
            Self::Tcp { .. } => IIOP,
            Self::Unix { .. } => UIOP,
            Self::Other { scheme, .. } => scheme,
        }
    }

    /// The port; none but of TCP.
    pub fn port(&self) -> Option<u16> {
        match self {
            Self::Tcp { port, .. } => Some(*port),
            Self::Unix { .. } | Self::Other { .. } => None,
        }
    }

    /// The path of a Unix-domain socket.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Unix { path } => Some(path),
            Self::Tcp { .. } | Self::Other { .. } => None,
        }
    }

    /// The address as it stands behind `scheme://`.
    pub fn place(&self) -> String {
        match self {
            Self::Tcp { .. } => self.to_string(),
            Self::Unix { path } => path.clone(),
            Self::Other { place, .. } => place.clone(),
        }
    }

    /// Reads `host`, `host:port`, `[ipv6]`, `[ipv6]:port`, `uiop://path`, or
    /// `scheme://place` of a protocol that was added.
    ///
    /// # Errors
    ///
    /// [`AddressError`] says what is wrong.
    pub fn parse(text: &str, default_port: u16) -> Result<Self, AddressError> {
        match split_scheme(text) {
            None => Self::parse_host(text, default_port),
            Some((IIOP, place)) => Self::parse_host(place, default_port),
            Some((UIOP, "")) => Err(AddressError::NoPath),
            Some((UIOP, path)) => Ok(Self::unix(path)),
            Some((scheme, place)) => Ok(Self::other(scheme, place)),
        }
    }

    /// Reads a host with or without a port.
    pub(crate) fn parse_host(text: &str, default_port: u16) -> Result<Self, AddressError> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or(AddressError::Brackets)?;
                let port = match rest.strip_prefix(':') {
                    Some(port) => Some(port),
                    None if rest.is_empty() => None,
                    None => return Err(AddressError::Brackets),
                };
                (host, port)
            }
            None => match text.split_once(':') {
                Some((_, port)) if port.contains(':') => return Err(AddressError::BareIpv6),
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        if host.is_empty() {
            return Err(AddressError::NoHost);
        }
        let port = match port {
            None => default_port,
            Some(port) => port
                .parse()
                .map_err(|_| AddressError::Port(port.to_owned()))?,
        };
        Ok(Self::new(host, port))
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        Self::parse(text, DEFAULT_PORT)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix { path } => write!(f, "{UIOP}://{path}"),
            Self::Other { scheme, place } => write!(f, "{scheme}://{place}"),
        }
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Splits `scheme://place` at the first colon; `None` if nothing with `//` stands there.
pub fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    Some((scheme, rest.strip_prefix("//")?))
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHost => f.write_str("the host is missing: write host:port"),
            Self::Brackets => f.write_str("an IPv6 address is written [address]:port"),
            Self::BareIpv6 => {
                f.write_str("an IPv6 address needs brackets around it: [address]:port")
            }
            Self::Port(port) => write!(f, "{port:?} is not a port: a number from 0 to 65535"),
            Self::NoPath => f.write_str("the path is missing: write uiop:///path/to/socket"),
            Self::Place(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for AddressError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, host, port, written) in [
            ("example.com", "example.com", 2809, "example.com:2809"),
            ("10.0.0.1:99", "10.0.0.1", 99, "10.0.0.1:99"),
            ("[::1]:0", "::1", 0, "[::1]:0"),
            ("[fe80::1]", "fe80::1", 2809, "[fe80::1]:2809"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address, Address::new(host, port));
            assert_eq!(address.to_string(), written);
        }
        let address: Address = "uiop:///tmp/x:1".parse().unwrap();
        assert_eq!(address, Address::unix("/tmp/x:1"));
        assert_eq!(address.to_string(), "uiop:///tmp/x:1");
        assert_eq!("iiop://h:7".parse(), Ok(Address::new("h", 7)));
        let address: Address = "shm://region/7".parse().unwrap();
        assert_eq!(address, Address::other("shm", "region/7"));
        assert_eq!(address.to_string(), "shm://region/7");
        for (text, error) in [
            ("", AddressError::NoHost),
            ("uiop://", AddressError::NoPath),
            (":80", AddressError::NoHost),
            ("::1", AddressError::BareIpv6),
            ("[::1", AddressError::Brackets),
            ("[::1]80", AddressError::Brackets),
            ("host:http", AddressError::Port("http".to_owned())),
            ("host:65536", AddressError::Port("65536".to_owned())),
        ] {
            assert_eq!(text.parse::<Address>(), Err(error));
        }
    }
}
