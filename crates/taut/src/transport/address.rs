//! Host and port, as references publish them.

use std::fmt;
use std::str::FromStr;

/// The port that the standard assigns to object URLs without one.
pub const DEFAULT_PORT: u16 = 2809;

/// Where an endpoint is: a host (a name, an IPv4 or an IPv6 address without
/// brackets) and a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// A DNS name or a numeric address; IPv6 without brackets.
    pub host: String,
    /// The port; 0 asks for a free one where an address is to be listened at.
    pub port: u16,
}

/// Why a text is not an address.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

impl Address {
    /// An address of its parts.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
        }
    }

    /// Reads `host`, `host:port`, `[ipv6]` or `[ipv6]:port`.
    ///
    /// # Errors
    ///
    /// [`AddressError`] says what is wrong.
    pub fn parse(text: &str, default_port: u16) -> Result<Self, AddressError> {
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
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
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
        for (text, error) in [
            ("", AddressError::NoHost),
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
