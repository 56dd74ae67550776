//! A protocol of an ORB, by whichever name it is known.

use std::fmt;
use std::io;

use taut_cdr::{Decoder, Encoder};

use crate::added::Added;
use crate::{
    Acceptor, Address, AddressError, ConnectError, ConnectOptions, ListenOptions, Protocol, Reach,
    Stream, Tcp, Unix,
};

/// A protocol that an ORB has: one of the built-in ones, or one that was added.
///
/// Its methods are those of [`Protocol`]. The built-in ones are called directly and not as
/// trait objects: so a program that only connects has no code to listen, and one that only
/// listens none to connect.
#[derive(Clone)]
pub struct KnownProtocol(Kind);

#[derive(Clone)]
enum Kind {
    Tcp,
    Unix,
    Added(Added),
}

/// Evaluates an expression for whichever protocol it is.
macro_rules! of_each {
    ($known:expr, $protocol:ident => $result:expr) => {
        match &$known.0 {
            Kind::Tcp => {
                let $protocol = &Tcp;
                $result
            }
            Kind::Unix => {
                let $protocol = &Unix;
                $result
            }
            Kind::Added($protocol) => $result,
        }
    };
}

impl KnownProtocol {
    pub(crate) const TCP: Self = Self(Kind::Tcp);
    pub(crate) const UNIX: Self = Self(Kind::Unix);

    /// A protocol that a program adds.
    pub(crate) fn added(protocol: Added) -> Self {
        Self(Kind::Added(protocol))
    }

    /// [`Protocol::scheme`].
    pub fn scheme(&self) -> &str {
        of_each!(self, protocol => protocol.scheme())
    }

    /// [`Protocol::profile_tag`].
    pub fn profile_tag(&self) -> u32 {
        of_each!(self, protocol => protocol.profile_tag())
    }

    /// [`Protocol::reach`].
    pub fn reach(&self) -> Reach {
        of_each!(self, protocol => protocol.reach())
    }

    /// [`Protocol::parse_endpoint`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub fn parse_endpoint(&self, place: &str) -> Result<String, AddressError> {
        of_each!(self, protocol => protocol.parse_endpoint(place))
    }

    /// [`Protocol::parse_address`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub fn parse_address(&self, place: &str) -> Result<Address, AddressError> {
        of_each!(self, protocol => protocol.parse_address(place))
    }

    /// [`Protocol::read_address`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub fn read_address(&self, profile: &mut Decoder<'_>) -> taut_cdr::Result<Address> {
        of_each!(self, protocol => protocol.read_address(profile))
    }

    /// [`Protocol::write_address`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub fn write_address(&self, address: &Address, profile: &mut Encoder) -> taut_cdr::Result<()> {
        of_each!(self, protocol => protocol.write_address(address, profile))
    }

    /// [`Protocol::alternate_address_tag`].
    pub fn alternate_address_tag(&self) -> Option<u32> {
        of_each!(self, protocol => protocol.alternate_address_tag())
    }

    /// [`Protocol::is_here`].
    pub fn is_here(&self, address: &Address) -> bool {
        of_each!(self, protocol => protocol.is_here(address))
    }

    /// [`Protocol::connect`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub fn connect(
        &self,
        address: &Address,
        options: &ConnectOptions,
    ) -> Result<Stream, ConnectError> {
        of_each!(self, protocol => protocol.connect(address, options))
    }

    /// [`Protocol::listen`].
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
        of_each!(self, protocol => protocol.listen(place, options))
    }
}

impl fmt::Debug for KnownProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KnownProtocol({})", self.scheme())
    }
}
