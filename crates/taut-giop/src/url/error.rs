//! Faults in a URL.

use core::fmt;

use crate::exception::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use crate::ior::IorParseErrorKind;

/// Why text is no URL of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UrlError {
    /// The kind of fault.
    pub kind: UrlErrorKind,
    /// At which octet of the text, counted from 0.
    pub position: usize,
}

/// A fault in a URL.
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
    /// There are more addresses than [`Limits::max_profiles`](crate::Limits::max_profiles).
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

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
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
