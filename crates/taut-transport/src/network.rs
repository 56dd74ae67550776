//! Ranges of addresses from which peers connect.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Where a connection comes from, as far as the system vouches for it: limits hold for
/// each origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The machine with this address.
    Machine(IpAddr),
    /// A process of this user, on this machine.
    User(u32),
}

/// Peers that a setting makes an exception for: the machines of an address or a
/// network, or all processes that connect over Unix-domain sockets.
///
/// It is written as an address (`192.0.2.7`, `2001:db8::7`), as a network
/// (`192.0.2.0/24`, `2001:db8::/32`), or as `unix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PeerNetwork(Range);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Range {
    /// The addresses that agree with this one in so many leading bits.
    Machines { address: IpAddr, prefix: u32 },
    /// All users of this machine, over Unix-domain sockets.
    Users,
}

/// The text that is read is neither an address, nor a network, nor `unix`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerNetworkError {
    text: String,
}

impl PeerNetwork {
    /// Whether a connection comes from there.
    pub fn contains(&self, source: Source) -> bool {
        match (self.0, source) {
            (Range::Users, Source::User(_)) => true,
            (Range::Machines { address, prefix }, Source::Machine(other)) => {
                agree(address, other.to_canonical(), prefix)
            }
            _ => false,
        }
    }
}

/// Whether two addresses of the same kind agree in their first bits.
fn agree(one: IpAddr, other: IpAddr, prefix: u32) -> bool {
    match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => {
            let differing = one.to_bits() ^ other.to_bits();
            differing.leading_zeros() >= prefix
        }
        (IpAddr::V6(one), IpAddr::V6(other)) => {
            let differing = one.to_bits() ^ other.to_bits();
            differing.leading_zeros() >= prefix
        }
        _ => false,
    }
}

impl FromStr for PeerNetwork {
    type Err = PeerNetworkError;

    fn from_str(text: &str) -> Result<Self, PeerNetworkError> {
        if text == "unix" {
            return Ok(Self(Range::Users));
        }
        let malformed = || PeerNetworkError {
            text: text.to_owned(),
        };
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address = address.parse::<IpAddr>().map_err(|_| malformed())?;
        let longest = match address {
            IpAddr::V4(_) => Ipv4Addr::BITS,
            IpAddr::V6(_) => Ipv6Addr::BITS,
        };
        let prefix = match prefix {
            None => longest,
            Some(prefix) => prefix.parse().map_err(|_| malformed())?,
        };
        if prefix > longest {
            return Err(malformed());
        }
        Ok(Self(Range::Machines { address, prefix }))
    }
}

impl fmt::Display for PeerNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Range::Machines { address, prefix } => write!(f, "{address}/{prefix}"),
            Range::Users => f.write_str("unix"),
        }
    }
}

impl fmt::Display for PeerNetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no address of a peer: write an address such as 192.0.2.7, a network such \
             as 192.0.2.0/24, or unix",
            self.text
        )
    }
}

impl std::error::Error for PeerNetworkError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(network: &str, address: &str) -> bool {
        let network: PeerNetwork = network.parse().unwrap();
        network.contains(Source::Machine(address.parse().unwrap()))
    }

    #[test]
    fn a_network_contains_the_addresses_that_begin_as_it_does() {
        assert!(contains("192.0.2.7", "192.0.2.7"));
        assert!(!contains("192.0.2.7", "192.0.2.6"));
        assert!(contains("192.0.2.7", "::ffff:192.0.2.7"));
        assert!(contains("192.0.2.0/24", "192.0.2.255"));
        assert!(!contains("192.0.2.0/24", "192.0.3.0"));
        assert!(contains("0.0.0.0/0", "203.0.113.9"));
        assert!(!contains("0.0.0.0/0", "2001:db8::7"));
        assert!(contains("2001:db8::/32", "2001:db8:7::"));
        assert!(!contains("2001:db8::/32", "2001:db9::"));
        assert!(!contains("unix", "127.0.0.1"));
        assert!(PeerNetwork(Range::Users).contains(Source::User(0)));
    }

    #[test]
    fn what_is_no_network_is_refused_with_what_to_write() {
        for text in ["", "host", "192.0.2.0/33", "192.0.2.0/", "::1/129", "Unix"] {
            let error = text.parse::<PeerNetwork>().unwrap_err().to_string();
            assert!(error.contains("write an address such as"), "{error}");
        }
        for text in ["192.0.2.0/24", "::/0", "unix"] {
            let network: PeerNetwork = text.parse().unwrap();
            assert_eq!(network.to_string(), text);
        }
    }
}
