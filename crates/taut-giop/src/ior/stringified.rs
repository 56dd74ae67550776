//! `IOR:` and hexadecimal digits (CORBA 3.3 part 2, 7.6.9).

use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use taut_cdr::{ByteOrder, Decoder, Encode};

use super::Ior;
use crate::Limits;
use crate::tagged::encapsulate;

/// Why text is no stringified reference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IorParseError {
    /// The kind of fault.
    pub kind: IorParseErrorKind,
    /// At which octet of the text, counted from 0.
    pub position: usize,
}

/// A fault in a stringified reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IorParseErrorKind {
    /// The text does not begin with `IOR:`.
    MissingPrefix,
    /// A character is not a hexadecimal digit.
    NotHexadecimal(char),
    /// The number of digits is odd.
    OddLength,
    /// The octets that the digits stand for are no reference.
    Malformed(taut_cdr::Error),
}

impl fmt::Display for IorParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingPrefix => f.write_str("the reference does not begin with \"IOR:\""),
            Self::NotHexadecimal(character) => {
                write!(f, "{character:?} is not a hexadecimal digit")
            }
            Self::OddLength => f.write_str("the reference ends in the middle of an octet"),
            Self::Malformed(error) => write!(f, "the reference is malformed: {error}"),
        }
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for IorParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for IorParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at character {}", self.kind, self.position + 1)
    }
}

impl core::error::Error for IorParseError {}

impl Ior {
    /// Reads a stringified reference. Case does not matter; white space around
    /// it is ignored.
    ///
    /// # Errors
    ///
    /// When the text is no reference, or it has more profiles than allowed.
    pub fn parse_within(text: &str, limits: &Limits) -> Result<Self, IorParseError> {
        let start = text.len() - text.trim_ascii_start().len();
        let trimmed = text.trim_ascii();
        let digits = match trimmed.get(..4) {
            Some(prefix) if prefix.eq_ignore_ascii_case("IOR:") => &trimmed[4..],
            _ => {
                return Err(IorParseError {
                    kind: IorParseErrorKind::MissingPrefix,
                    position: start,
                });
            }
        };
        let start = start + 4;
        let octets = parse_hexadecimal(digits).map_err(|(kind, position)| IorParseError {
            kind,
            position: start + position,
        })?;
        Decoder::encapsulated(&octets)
            .and_then(|mut input| Self::decode_within(&mut input, limits))
            .map_err(|error| IorParseError {
                kind: IorParseErrorKind::Malformed(error),
                position: start + 2 * error.offset().min(octets.len()),
            })
    }
}

/// With [`Limits::DEFAULT`].
impl FromStr for Ior {
    type Err = IorParseError;

    fn from_str(text: &str) -> Result<Self, IorParseError> {
        Self::parse_within(text, &Limits::DEFAULT)
    }
}

/// The stringified reference, in this machine's byte order.
///
/// Formatting fails for a reference that cannot travel: a NUL in its type id, or
/// a profile of 4 GiB. No reference that was decoded or parsed is of that kind.
impl fmt::Display for Ior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let octets =
            encapsulate(ByteOrder::NATIVE, |out| self.encode(out)).map_err(|_| fmt::Error)?;
        f.write_str("IOR:")?;
        octets.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

fn parse_hexadecimal(digits: &str) -> Result<Vec<u8>, (IorParseErrorKind, usize)> {
    let mut octets = Vec::with_capacity(digits.len() / 2);
    let mut upper = None;
    for (position, character) in digits.char_indices() {
        let Some(digit) = character.to_digit(16) else {
            return Err((IorParseErrorKind::NotHexadecimal(character), position));
        };
        // A hexadecimal digit is below 16.
        let digit = digit as u8;
        match upper.take() {
            None => upper = Some(digit),
            Some(high) => octets.push(high << 4 | digit),
        }
    }
    match upper {
        None => Ok(octets),
        Some(_) => Err((IorParseErrorKind::OddLength, digits.len())),
    }
}
