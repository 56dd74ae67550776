//! Kinds of transports, and those that an ORB has.

use std::fmt;
use std::io;
use std::sync::Arc;

use taut_cdr::{Decoder, Encoder};

use crate::{
    Acceptor, Address, AddressError, ConnectError, ConnectOptions, KnownProtocol, ListenOptions,
    Stream,
};

/// A kind of transport.
///
/// Each has a scheme, by which endpoints to listen at, addresses and `corbaloc` URLs name
/// it, and a tag, by which the profiles of object references do (CORBA 3.3 part 2, 7.6.2).
pub trait Protocol: Send + Sync {
    /// The scheme, in lower-case letters, digits, `+`, `-` and `.`: `iiop`.
    fn scheme(&self) -> &str;

    /// The tag of the profiles.
    fn profile_tag(&self) -> u32;

    /// From how far away an address can be reached.
    fn reach(&self) -> Reach {
        Reach::Network
    }

    /// Reads the text behind `scheme://` as a place to listen at, and returns it in the
    /// form that people are shown.
    ///
    /// # Errors
    ///
    /// [`AddressError`] says what is wrong.
    fn parse_endpoint(&self, place: &str) -> Result<String, AddressError>;

    /// Reads an address to connect to, from the text behind `scheme://`, or behind the
    /// scheme in a `corbaloc` URL.
    ///
    /// # Errors
    ///
    /// [`AddressError`] says what is wrong.
    fn parse_address(&self, place: &str) -> Result<Address, AddressError>;

    /// Reads the address in a profile's data: what stands between the version and the
    /// object key.
    ///
    /// # Errors
    ///
    /// When the data is malformed.
    fn read_address(&self, profile: &mut Decoder<'_>) -> taut_cdr::Result<Address>;

    /// Appends an address of this protocol to a profile's data.
    ///
    /// # Errors
    ///
    /// When the address cannot be written.
    fn write_address(&self, address: &Address, profile: &mut Encoder) -> taut_cdr::Result<()>;

    /// The tag of components that hold a further address of the same server, in the form
    /// of [`write_address`](Self::write_address), encapsulated. Without one, each address
    /// has a profile of its own.
    fn alternate_address_tag(&self) -> Option<u32> {
        None
    }

    /// Whether an address is certainly one of this machine, where somebody listens as far
    /// as can be told without connecting. Such addresses are tried first.
    fn is_here(&self, address: &Address) -> bool {
        let _ = address;
        false
    }

    /// Connects.
    ///
    /// # Errors
    ///
    /// [`ConnectError`] has the reason of each address that was tried.
    fn connect(&self, address: &Address, options: &ConnectOptions) -> Result<Stream, ConnectError>;

    /// Listens at the place that stands behind `scheme://`.
    ///
    /// # Errors
    ///
    /// The reason why it cannot listen there.
    fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>>;
}

impl fmt::Debug for dyn Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Protocol({})", self.scheme())
    }
}

/// From how far away an address can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// From the same process.
    Process,
    /// From the same machine.
    Machine,
    /// From other machines.
    Network,
}

/// The protocols of an ORB: TCP, Unix-domain sockets, and those that were added.
#[derive(Debug, Clone)]
pub struct Protocols(Arc<[KnownProtocol]>);

/// Why a protocol cannot be added.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// Another protocol has this scheme.
    SchemeTaken(String),
    /// Another protocol, with this scheme, has the tag of the profiles.
    TagTaken {
        /// The tag.
        tag: u32,
        /// The scheme of the other protocol.
        scheme: String,
    },
    /// The scheme is empty, or has other characters than it may have.
    MalformedScheme(String),
    /// No protocol has both this scheme and this tag of the profiles.
    NothingToReplace {
        /// The scheme.
        scheme: String,
        /// The tag.
        tag: u32,
    },
}

impl Default for Protocols {
    fn default() -> Self {
        Self(Arc::new([KnownProtocol::TCP, KnownProtocol::UNIX]))
    }
}

impl Protocols {
    /// These protocols and one more.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] when it cannot be told from another.
    pub(crate) fn with_known(&self, added: KnownProtocol) -> Result<Self, ProtocolError> {
        let scheme = added.scheme();
        let is_letter = |octet: u8| {
            octet.is_ascii_lowercase() || octet.is_ascii_digit() || b"+-.".contains(&octet)
        };
        if scheme.is_empty() || !scheme.bytes().all(is_letter) {
            return Err(ProtocolError::MalformedScheme(scheme.to_owned()));
        }
        if self.by_scheme(scheme).is_some() {
            return Err(ProtocolError::SchemeTaken(scheme.to_owned()));
        }
        let tag = added.profile_tag();
        if let Some(other) = self.by_tag(tag) {
            let scheme = other.scheme().to_owned();
            return Err(ProtocolError::TagTaken { tag, scheme });
        }
        Ok(Self(self.iter().cloned().chain([added]).collect()))
    }

    /// These protocols, with one in the place of that which has its scheme and its tag.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::NothingToReplace`] when none has both.
    #[cfg(feature = "added-protocols")]
    pub(crate) fn with_known_replaced(&self, known: KnownProtocol) -> Result<Self, ProtocolError> {
        let (scheme, tag) = (known.scheme(), known.profile_tag());
        let is_it = |one: &&KnownProtocol| one.scheme() == scheme && one.profile_tag() == tag;
        if !self.iter().any(|one| is_it(&one)) {
            let scheme = scheme.to_owned();
            return Err(ProtocolError::NothingToReplace { scheme, tag });
        }
        let all = self.iter().map(|one| match is_it(&one) {
            true => known.clone(),
            false => one.clone(),
        });
        Ok(Self(all.collect()))
    }

    /// The protocols, those that were added behind the others.
    pub fn iter(&self) -> impl Iterator<Item = &KnownProtocol> {
        self.0.iter()
    }

    /// The protocol with this scheme.
    pub fn by_scheme(&self, scheme: &str) -> Option<&KnownProtocol> {
        self.find(|protocol| protocol.scheme() == scheme)
    }

    /// The protocol whose profiles have this tag.
    pub fn by_tag(&self, tag: u32) -> Option<&KnownProtocol> {
        self.find(|protocol| protocol.profile_tag() == tag)
    }

    /// The protocol of an address.
    pub fn of(&self, address: &Address) -> Option<&KnownProtocol> {
        self.by_scheme(address.scheme())
    }

    /// Reads the address in the data of a profile with this tag, as text for people; none
    /// if no protocol has the tag.
    ///
    /// # Errors
    ///
    /// Those of [`Protocol::read_address`].
    pub fn read_address(
        &self,
        tag: u32,
        profile: &mut Decoder<'_>,
    ) -> Option<taut_cdr::Result<String>> {
        let address = self.by_tag(tag)?.read_address(profile);
        Some(address.map(|address| address.to_string()))
    }

    fn find(&self, is_it: impl Fn(&KnownProtocol) -> bool) -> Option<&KnownProtocol> {
        self.iter().find(|protocol| is_it(protocol))
    }

    /// The schemes, for messages to people: `iiop and uiop`.
    pub fn schemes(&self) -> String {
        let mut schemes: Vec<_> = self.iter().map(|protocol| protocol.scheme()).collect();
        let last = schemes.pop().unwrap_or_default();
        match schemes.is_empty() {
            true => last.to_owned(),
            false => format!("{} and {last}", schemes.join(", ")),
        }
    }

    /// Connects to an address by its protocol.
    ///
    /// # Errors
    ///
    /// Those of [`Protocol::connect`]; [`io::ErrorKind::Unsupported`] if there is no such
    /// protocol.
    pub fn connect(
        &self,
        address: &Address,
        options: &ConnectOptions,
    ) -> Result<Stream, ConnectError> {
        match self.of(address) {
            Some(protocol) => protocol.connect(address, options),
            None => Err(ConnectError::new(address, self.unknown(address.scheme()))),
        }
    }

    /// Listens at a place, by the protocol with this scheme.
    ///
    /// # Errors
    ///
    /// Those of [`Protocol::listen`]; [`io::ErrorKind::Unsupported`] if there is no such
    /// protocol.
    pub fn listen(
        &self,
        scheme: &str,
        place: &str,
        options: &ListenOptions,
    ) -> io::Result<Box<dyn Acceptor>> {
        match self.by_scheme(scheme) {
            Some(protocol) => protocol.listen(place, options),
            None => Err(self.unknown(scheme)),
        }
    }

    #[cold]
    fn unknown(&self, scheme: &str) -> io::Error {
        let problem = format!(
            "the ORB has no protocol {scheme:?}, but {}: add it with the builder's `protocol`",
            self.schemes()
        );
        io::Error::new(io::ErrorKind::Unsupported, problem)
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SchemeTaken(scheme) => write!(f, "there is a protocol {scheme:?} already"),
            Self::TagTaken { tag, scheme } => {
                write!(
                    f,
                    "the profiles of {scheme:?} have the tag {tag:#x} already"
                )
            }
            Self::MalformedScheme(scheme) => write!(
                f,
                "{scheme:?} is no scheme: it has lower-case letters, digits, `+`, `-` and `.`"
            ),
            Self::NothingToReplace { scheme, tag } => write!(
                f,
                "there is no protocol {scheme:?} with the tag {tag:#x} to replace: add it instead"
            ),
        }
    }
}

impl std::error::Error for ProtocolError {}

#[cfg(all(test, feature = "added-protocols"))]
mod tests {
    use super::*;
    use crate::Tcp;

    /// A protocol that differs from TCP in its scheme and tag.
    #[derive(Debug)]
    struct Named(&'static str, u32);

    impl Protocol for Named {
        fn scheme(&self) -> &str {
            self.0
        }

        fn profile_tag(&self) -> u32 {
            self.1
        }

        fn parse_endpoint(&self, place: &str) -> Result<String, AddressError> {
            Tcp.parse_endpoint(place)
        }

        fn parse_address(&self, place: &str) -> Result<Address, AddressError> {
            Tcp.parse_address(place)
        }

        fn read_address(&self, profile: &mut Decoder<'_>) -> taut_cdr::Result<Address> {
            Tcp.read_address(profile)
        }

        fn write_address(&self, address: &Address, profile: &mut Encoder) -> taut_cdr::Result<()> {
            Tcp.write_address(address, profile)
        }

        fn connect(&self, to: &Address, options: &ConnectOptions) -> Result<Stream, ConnectError> {
            Tcp.connect(to, options)
        }

        fn listen(&self, place: &str, options: &ListenOptions) -> io::Result<Box<dyn Acceptor>> {
            Tcp.listen(place, options)
        }
    }

    #[test]
    fn a_protocol_that_cannot_be_told_from_another_is_refused() {
        let protocols = Protocols::default();
        let with = |scheme, tag| protocols.with(Arc::new(Named(scheme, tag)));
        let added = with("tls", 77).unwrap();
        assert_eq!(added.schemes(), "iiop, uiop and tls");
        assert_eq!(added.by_tag(77).unwrap().scheme(), "tls");
        for (scheme, tag, message) in [
            ("iiop", 77, "there is a protocol \"iiop\" already"),
            (
                "tls",
                0,
                "the profiles of \"iiop\" have the tag 0x0 already",
            ),
            (
                "",
                77,
                "\"\" is no scheme: it has lower-case letters, digits, `+`, `-` and `.`",
            ),
            (
                "T",
                77,
                "\"T\" is no scheme: it has lower-case letters, digits, `+`, `-` and `.`",
            ),
        ] {
            assert_eq!(with(scheme, tag).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn a_protocol_replaces_the_one_with_its_scheme_and_tag_alone() {
        let protocols = Protocols::default();
        let replaced = protocols.with_replaced(Arc::new(Named("iiop", 0))).unwrap();
        assert_eq!(replaced.schemes(), "iiop and uiop");
        assert_eq!(replaced.by_tag(0).unwrap().scheme(), "iiop");
        for other in [Named("iiop", 77), Named("tls", 0)] {
            let (scheme, tag) = (other.0, other.1);
            let error = protocols.with_replaced(Arc::new(other)).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "there is no protocol {scheme:?} with the tag {tag:#x} to replace: add it \
                     instead"
                )
            );
        }
    }

    #[test]
    fn an_address_of_a_protocol_that_is_not_there_says_what_to_do() {
        let protocols = Protocols::default();
        let options = ConnectOptions::within(std::time::Duration::from_secs(1));
        let error = protocols
            .connect(&Address::other("shm", "x"), &options)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "shm://x: the ORB has no protocol \"shm\", but iiop and uiop: add it with the \
             builder's `protocol`"
        );
    }
}
