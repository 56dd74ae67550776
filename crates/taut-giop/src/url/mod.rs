//! URLs that name objects: `IOR:`, `corbaloc:` and `corbaname:`
//! (CORBA 3.3 part 2, 7.6.10), for `string_to_object`.

mod corbaloc;
mod escape;
mod part;

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::exception::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use crate::ior::{Ior, IorParseErrorKind};
use crate::limits::Limits;
use part::Part;

pub use corbaloc::{Corbaloc, CorbalocAddress, DEFAULT_PORT, DEFAULT_VERSION};

/// The key of a `corbaname:` that gives none.
pub const DEFAULT_NAMING_CONTEXT_KEY: &[u8] = b"NameService";

/// A URL that names an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ObjectUrl {
    /// A stringified reference.
    Ior(Ior),
    /// Addresses and a key.
    Corbaloc(Corbaloc),
    /// A name in a naming context.
    Corbaname {
        /// Where the naming context is.
        location: Corbaloc,
        /// The name, without escapes of the URL; empty for the context itself.
        /// [`crate::naming::parse_name`] reads it.
        name: String,
    },
}

/// Why text is no URL of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlError {
    /// What is wrong.
    pub kind: UrlErrorKind,
    /// At which octet of the text, counted from 0.
    pub position: usize,
}

/// What is wrong with a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlErrorKind {
    /// The URL begins with none of `IOR:`, `corbaloc:` and `corbaname:`.
    UnknownScheme,
    /// An address has no protocol before a colon; for IIOP a colon alone will do.
    MissingProtocol,
    /// `rir:` is one of several addresses.
    RirNotAlone,
    /// `rir:` is followed by an address.
    RirWithAddress,
    /// There are more addresses than [`Limits::max_profiles`].
    TooManyAddresses {
        /// The limit in force.
        limit: usize,
    },
    /// The version before `@` is not `1.` and a number up to 255.
    InvalidVersion,
    /// There is no host.
    MissingHost,
    /// The host has a character that no host has.
    InvalidHost,
    /// `[` without `]`.
    UnclosedBracket,
    /// A `uiop` address has no path.
    MissingPath,
    /// The path of a `uiop` address does not end with `|`.
    UnendedPath,
    /// The path of a `uiop` address is not UTF-8, or has a NUL.
    InvalidPath,
    /// The port is not a number up to 65,535.
    InvalidPort,
    /// `%` is not followed by two hexadecimal digits.
    InvalidEscape,
    /// A character must be written as `%` and two hexadecimal digits.
    InvalidCharacter(char),
    /// The name is not UTF-8.
    NameNotUtf8,
    /// The stringified reference is malformed.
    MalformedIor(IorParseErrorKind),
}

impl UrlError {
    /// The minor code of the BAD_PARAM that `string_to_object` raises.
    pub const fn minor(&self) -> u32 {
        minor::omg(match self.kind {
            UrlErrorKind::UnknownScheme => 7,
            UrlErrorKind::MissingProtocol
            | UrlErrorKind::RirNotAlone
            | UrlErrorKind::RirWithAddress
            | UrlErrorKind::TooManyAddresses { .. }
            | UrlErrorKind::InvalidVersion
            | UrlErrorKind::MissingHost
            | UrlErrorKind::InvalidHost
            | UrlErrorKind::UnclosedBracket
            | UrlErrorKind::MissingPath
            | UrlErrorKind::UnendedPath
            | UrlErrorKind::InvalidPath
            | UrlErrorKind::InvalidPort => 8,
            UrlErrorKind::InvalidEscape
            | UrlErrorKind::InvalidCharacter(_)
            | UrlErrorKind::NameNotUtf8 => 9,
            UrlErrorKind::MalformedIor(_) => 10,
        })
    }
}

impl From<UrlError> for SystemException {
    fn from(error: UrlError) -> Self {
        Self::new(
            SystemExceptionKind::BadParam,
            error.minor(),
            CompletionStatus::No,
        )
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            UrlErrorKind::UnknownScheme => f.write_str(
                "the URL begins with none of \"IOR:\", \"corbaloc:\" and \"corbaname:\"",
            ),
            UrlErrorKind::MissingProtocol => {
                f.write_str("an address has no protocol (for IIOP, write \":\" before the host)")
            }
            UrlErrorKind::RirNotAlone => f.write_str("\"rir:\" cannot be one of several addresses"),
            UrlErrorKind::RirWithAddress => f.write_str("\"rir:\" cannot have an address"),
            UrlErrorKind::TooManyAddresses { limit } => write!(
                f,
                "the URL has more addresses than the limit (max_profiles) of {limit}"
            ),
            UrlErrorKind::InvalidVersion => {
                f.write_str("the version is not \"1.\" and a number up to 255")
            }
            UrlErrorKind::MissingHost => f.write_str("the address has no host"),
            UrlErrorKind::InvalidHost => f.write_str("the host has a character that no host has"),
            UrlErrorKind::UnclosedBracket => f.write_str("the address has a \"[\" without \"]\""),
            UrlErrorKind::MissingPath => f.write_str("the \"uiop\" address has no path"),
            UrlErrorKind::UnendedPath => f.write_str(
                "the path of the \"uiop\" address does not end with \"|\": write uiop:/path|/key",
            ),
            UrlErrorKind::InvalidPath => {
                f.write_str("the path of the \"uiop\" address is not UTF-8, or has a NUL")
            }
            UrlErrorKind::InvalidPort => f.write_str("the port is not a number up to 65535"),
            UrlErrorKind::InvalidEscape => {
                f.write_str("a \"%\" is not followed by two hexadecimal digits")
            }
            UrlErrorKind::InvalidCharacter(character) => write!(
                f,
                "{character:?} must be written as \"%\" and hexadecimal digits"
            ),
            UrlErrorKind::NameNotUtf8 => f.write_str("the name is not UTF-8"),
            UrlErrorKind::MalformedIor(kind) => write!(f, "{kind}"),
        }?;
        write!(f, ", at character {}", self.position + 1)
    }
}

impl core::error::Error for UrlError {}

impl ObjectUrl {
    /// Reads a URL. The case of the scheme does not matter; white space around
    /// the URL is ignored.
    ///
    /// # Errors
    ///
    /// When the text is no such URL, or beyond a limit.
    pub fn parse_within(text: &str, limits: &Limits) -> Result<Self, UrlError> {
        let url = Part::whole(text).trim();
        if url.strip_prefix_ignoring_case("IOR:").is_some() {
            return match Ior::parse_within(url.text, limits) {
                Ok(ior) => Ok(Self::Ior(ior)),
                Err(error) => Err(url
                    .behind(error.position)
                    .error(UrlErrorKind::MalformedIor(error.kind))),
            };
        }
        if let Some(rest) = url.strip_prefix_ignoring_case("corbaloc:") {
            return Corbaloc::parse(rest, limits).map(Self::Corbaloc);
        }
        if let Some(rest) = url.strip_prefix_ignoring_case("corbaname:") {
            return parse_corbaname(rest, limits);
        }
        Err(url.error(UrlErrorKind::UnknownScheme))
    }
}

fn parse_corbaname(part: Part<'_>, limits: &Limits) -> Result<ObjectUrl, UrlError> {
    let (location, name) = match part.split_once('#') {
        Some((location, name)) => (location, Some(name)),
        None => (part, None),
    };
    let mut location = Corbaloc::parse(location, limits)?;
    if location.key.is_empty() {
        location.key = DEFAULT_NAMING_CONTEXT_KEY.to_vec();
    }
    let name = match name {
        None => String::new(),
        Some(name) => String::from_utf8(escape::unescape(name)?)
            .map_err(|_| name.error(UrlErrorKind::NameNotUtf8))?,
    };
    Ok(ObjectUrl::Corbaname { location, name })
}

/// With [`Limits::DEFAULT`].
impl FromStr for ObjectUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse_within(text, &Limits::DEFAULT)
    }
}

impl fmt::Display for ObjectUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ior(ior) => write!(f, "{ior}"),
            Self::Corbaloc(location) => write!(f, "{location}"),
            Self::Corbaname { location, name } => {
                f.write_str("corbaname:")?;
                location.write(f)?;
                if name.is_empty() {
                    return Ok(());
                }
                f.write_str("#")?;
                escape::write_escaped(name.as_bytes(), f)
            }
        }
    }
}
