//! `corbaloc:` (CORBA 3.3 part 2, 7.6.10.1).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::error::{UrlError, UrlErrorKind};
use super::escape::{unescape, write_escaped};
use super::part::Part;
use crate::ior::{IiopProfile, Ior, UiopProfile};
use crate::{Limits, Version};

/// The port where none is given.
pub const DEFAULT_PORT: u16 = 2809;

/// The version of IIOP where none is given.
pub const DEFAULT_VERSION: Version = Version::V1_0;

/// The version of UIOP where none is given: the highest, as TAO has it.
const DEFAULT_UIOP_VERSION: Version = Version::V1_2;

/// The character that ends the path of a Unix-domain socket, which has slashes itself.
const PATH_END: char = '|';

/// Where an object is: addresses, of which each may do, and its key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Corbaloc {
    /// The addresses in the order of preference; at least one.
    pub addresses: Vec<CorbalocAddress>,
    /// The object key; with [`CorbalocAddress::Rir`] the name of an initial
    /// reference, where empty means `NameService`.
    pub key: Vec<u8>,
}

/// One address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CorbalocAddress {
    /// `rir:`: what `resolve_initial_references` gives for the key. It is then
    /// the only address.
    Rir,
    /// `iiop:` or `:`.
    Iiop {
        /// The highest version of IIOP that the server speaks.
        version: Version,
        /// A DNS name or a numeric address; IPv6 without brackets.
        host: String,
        /// The TCP port.
        port: u16,
    },
    /// `uiop:`, TAO's for Unix-domain sockets.
    Uiop {
        /// The highest version of GIOP that the server speaks.
        version: Version,
        /// The path of the socket, without escapes of the URL.
        path: String,
    },
    /// Another protocol, not interpreted here.
    Other {
        /// The text before the first colon.
        protocol: String,
        /// The text behind the first colon.
        address: String,
    },
}

impl Corbaloc {
    /// A reference with one profile for each address of IIOP and UIOP, all with the
    /// same key, and without a type id. Other addresses are left out; if there are
    /// only such, the reference is nil.
    ///
    /// # Errors
    ///
    /// When a host or a path has a NUL or the key is longer than 4 GiB.
    pub fn to_ior(&self) -> taut_cdr::Result<Ior> {
        let profiles = self.addresses.iter().filter_map(|address| match address {
            CorbalocAddress::Iiop {
                version,
                host,
                port,
            } => {
                let profile = IiopProfile {
                    version: *version,
                    host: host.clone(),
                    port: *port,
                    object_key: self.key.clone(),
                    components: Vec::new(),
                };
                Some(profile.to_profile())
            }
            CorbalocAddress::Uiop { version, path } => {
                let profile = UiopProfile {
                    version: *version,
                    path: path.clone(),
                    object_key: self.key.clone(),
                    components: Vec::new(),
                };
                Some(profile.to_profile())
            }
            CorbalocAddress::Rir | CorbalocAddress::Other { .. } => None,
        });
        Ok(Ior {
            type_id: String::new(),
            profiles: profiles.collect::<taut_cdr::Result<_>>()?,
        })
    }

    /// Reads what stands behind `corbaloc:`.
    pub(super) fn parse(part: Part<'_>, limits: &Limits) -> Result<Self, UrlError> {
        let (addresses, key) = parse_addresses(part, limits)?;
        let key = key.map(unescape).transpose()?;
        Ok(Self {
            addresses,
            key: key.unwrap_or_default(),
        })
    }

    /// Writes what stands behind the scheme.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, address) in self.addresses.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{address}")?;
        }
        if self.key.is_empty() {
            return Ok(());
        }
        f.write_str("/")?;
        write_escaped(&self.key, f)
    }
}

impl fmt::Display for Corbaloc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("corbaloc:")?;
        self.write(f)
    }
}

impl fmt::Display for CorbalocAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rir => f.write_str("rir:"),
            Self::Iiop {
                version,
                host,
                port,
            } => {
                f.write_str("iiop:")?;
                if *version != DEFAULT_VERSION {
                    write!(f, "{version}@")?;
                }
                if host.contains(':') {
                    write!(f, "[{host}]:{port}")
                } else {
                    write!(f, "{host}:{port}")
                }
            }
            Self::Uiop { version, path } => {
                write!(f, "uiop:{version}@")?;
                write_escaped(path.as_bytes(), f)?;
                write!(f, "{PATH_END}")
            }
            Self::Other { protocol, address } => write!(f, "{protocol}:{address}"),
        }
    }
}

/// Reads addresses with commas between them, up to the key, if there is one: behind a
/// slash, or right behind the end of a path, as TAO once had it.
fn parse_addresses<'u>(
    list: Part<'u>,
    limits: &Limits,
) -> Result<(Vec<CorbalocAddress>, Option<Part<'u>>), UrlError> {
    let mut addresses = Vec::new();
    let mut rest = list;
    let key = loop {
        if addresses.len() >= limits.max_profiles {
            let limit = limits.max_profiles;
            return Err(rest.error(UrlErrorKind::TooManyAddresses { limit }));
        }
        let (address, behind) = match parse_uiop(rest)? {
            Some((address, behind)) => (address, behind),
            None => {
                let end = rest.text.find([',', '/']).unwrap_or(rest.text.len());
                (parse_address(rest.up_to(end))?, rest.behind(end))
            }
        };
        addresses.push(address);
        match behind.text.as_bytes().first() {
            Some(b',') => rest = behind.behind(1),
            Some(b'/') => break Some(behind.behind(1)),
            Some(_) => break Some(behind),
            None => break None,
        }
    };
    if addresses.len() > 1 && addresses.contains(&CorbalocAddress::Rir) {
        return Err(list.error(UrlErrorKind::RirNotAlone));
    }
    Ok((addresses, key))
}

/// `uiop:[<major>.<minor>@]path|`, and what stands behind it; none if it is another
/// protocol's address.
fn parse_uiop(part: Part<'_>) -> Result<Option<(CorbalocAddress, Part<'_>)>, UrlError> {
    let Some(address) = part.strip_prefix_ignoring_case("uiop:") else {
        return Ok(None);
    };
    let Some((address, behind)) = address.split_once(PATH_END) else {
        return Err(address.error(UrlErrorKind::UnendedPath));
    };
    let (version, path) = match address.split_once('@') {
        // A path may have the character too.
        Some((version, path)) if version.text.starts_with(|c: char| c.is_ascii_digit()) => {
            (parse_version(version)?, path)
        }
        _ => (DEFAULT_UIOP_VERSION, address),
    };
    if path.text.is_empty() {
        return Err(path.error(UrlErrorKind::MissingPath));
    }
    let octets = unescape(path)?;
    match String::from_utf8(octets) {
        Ok(text) if !text.contains('\0') => {
            let path = text;
            Ok(Some((CorbalocAddress::Uiop { version, path }, behind)))
        }
        _ => Err(path.error(UrlErrorKind::InvalidPath)),
    }
}

fn parse_address(part: Part<'_>) -> Result<CorbalocAddress, UrlError> {
    let Some((protocol, address)) = part.split_once(':') else {
        return Err(part.error(UrlErrorKind::MissingProtocol));
    };
    if protocol.text.is_empty() || protocol.text.eq_ignore_ascii_case("iiop") {
        return parse_iiop(address);
    }
    if protocol.text.eq_ignore_ascii_case("rir") {
        return if address.text.is_empty() {
            Ok(CorbalocAddress::Rir)
        } else {
            Err(address.error(UrlErrorKind::RirWithAddress))
        };
    }
    let is_token = |octet: u8| octet.is_ascii_alphanumeric() || b"-_.+".contains(&octet);
    if !protocol.text.bytes().all(is_token) {
        return Err(protocol.error(UrlErrorKind::MissingProtocol));
    }
    let is_foreign = |character: char| character.is_whitespace() || character.is_control();
    if let Some((at, character)) = address
        .text
        .char_indices()
        .find(|(_, character)| is_foreign(*character))
    {
        let kind = UrlErrorKind::InvalidCharacter(character);
        return Err(address.behind(at).error(kind));
    }
    Ok(CorbalocAddress::Other {
        protocol: protocol.text.into(),
        address: address.text.into(),
    })
}

/// Whether a character has no width, or turns the text around it: names with such deceive
/// readers.
fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// `[<major>.<minor>@]host[:port]`
fn parse_iiop(part: Part<'_>) -> Result<CorbalocAddress, UrlError> {
    let (version, location) = match part.split_once('@') {
        Some((version, location)) => (parse_version(version)?, location),
        None => (DEFAULT_VERSION, part),
    };
    let (host, port) = if location.text.starts_with('[') {
        let Some((host, behind)) = location.behind(1).split_once(']') else {
            return Err(location.error(UrlErrorKind::UnclosedBracket));
        };
        match behind.text.strip_prefix(':') {
            Some(_) => (host, Some(behind.behind(1))),
            None if behind.text.is_empty() => (host, None),
            None => return Err(behind.error(UrlErrorKind::InvalidPort)),
        }
    } else {
        match location.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (location, None),
        }
    };
    if host.text.is_empty() {
        return Err(host.error(UrlErrorKind::MissingHost));
    }
    // The name service knows which letters of other scripts a name may have.
    let is_host = |character: &char| match character.is_ascii() {
        true => character.is_ascii_alphanumeric() || b"-_.:%".contains(&(*character as u8)),
        false => !character.is_control() && !character.is_whitespace() && !is_unseen(*character),
    };
    if let Some(at) = host.text.find(|character| !is_host(&character)) {
        return Err(host.behind(at).error(UrlErrorKind::InvalidHost));
    }
    let port = match port {
        None => DEFAULT_PORT,
        Some(port) => parse_number(port).ok_or_else(|| port.error(UrlErrorKind::InvalidPort))?,
    };
    Ok(CorbalocAddress::Iiop {
        version,
        host: host.text.into(),
        port,
    })
}

fn parse_version(part: Part<'_>) -> Result<Version, UrlError> {
    let version = part.split_once('.').and_then(|(major, minor)| {
        let octet = |part| parse_number(part).and_then(|number| u8::try_from(number).ok());
        Some(Version::new(octet(major)?, octet(minor)?))
    });
    match version {
        Some(version) if version.major == 1 => Ok(version),
        _ => Err(part.error(UrlErrorKind::InvalidVersion)),
    }
}

/// Digits only: no sign.
fn parse_number(part: Part<'_>) -> Option<u16> {
    let digits = part.text.bytes().all(|octet| octet.is_ascii_digit());
    digits.then(|| part.text.parse().ok()).flatten()
}
