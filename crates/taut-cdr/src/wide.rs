//! `wchar` and `wstring`: UTF-16 in the form that the version of GIOP demands
//! (CORBA 3.3 part 2, 9.3.1.6 and 9.3.2.7).
//!
//! Taut sends big-endian UTF-16 without a byte order mark in GIOP 1.2: the standard's
//! default, which omniORB, TAO and JacORB all read. It reads text with a mark and without
//! one.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::{CharCodeSet, Decode, Decoder, Encoder, Error, ErrorKind, Result};

/// The byte order mark as the sender wrote it.
const MARK: u16 = 0xfeff;

/// The byte order mark as a reader with the other byte order sees it.
const SWAPPED_MARK: u16 = 0xfffe;

/// IDL's `wchar`: one UTF-16 code unit.
///
/// Characters beyond U+FFFF have no `wchar`. A unit that is half of a surrogate
/// pair can be held, as other ORBs can send it, but is no `char`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct WChar(pub u16);

/// The refusal to make a [`WChar`] of a character above U+FFFF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotSingleUnit(pub char);

/// The refusal to make a `char` of one half of a surrogate pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoneSurrogate(pub WChar);

/// How wide characters are laid out, which depends on the version of GIOP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum WideForm {
    /// GIOP 1.0: not at all. Writing or reading one is
    /// [`ErrorKind::WideForbidden`].
    Forbidden,
    /// GIOP 1.1: units of two octets in the byte order of the stream; a
    /// `wstring` has a count of units and ends in NUL.
    Units,
    /// GIOP 1.2 and encapsulations: a number of octets, then big-endian UTF-16
    /// unless a byte order mark says otherwise; no NUL.
    #[default]
    Octets,
    /// Not at all, for the two sides have agreed on no code set. Writing or reading one
    /// is [`ErrorKind::NoWideCodeSet`].
    NoCodeSet(NoWideCodeSet),
}

/// Why two sides have agreed on no code set for wide characters
/// (CORBA 3.3 part 2, 7.10.2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoWideCodeSet {
    /// The object's reference names no code sets.
    NotOffered,
    /// The object's reference names none for wide characters that the client has.
    NotSupported,
    /// The client has announced none.
    NotAnnounced,
}

/// How characters are laid out in a message. One piece, so that it is copied in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct CharacterForms {
    /// The code set of `char` and `string`.
    pub narrow: CharCodeSet,
    /// The form of `wchar` and `wstring`.
    pub wide: WideForm,
}

impl From<u16> for WChar {
    #[inline]
    fn from(unit: u16) -> Self {
        Self(unit)
    }
}

impl TryFrom<char> for WChar {
    type Error = NotSingleUnit;

    #[inline]
    fn try_from(value: char) -> core::result::Result<Self, NotSingleUnit> {
        u16::try_from(u32::from(value))
            .map(Self)
            .map_err(|_| NotSingleUnit(value))
    }
}

impl TryFrom<WChar> for char {
    type Error = LoneSurrogate;

    #[inline]
    fn try_from(value: WChar) -> core::result::Result<Self, LoneSurrogate> {
        Self::from_u32(u32::from(value.0)).ok_or(LoneSurrogate(value))
    }
}

impl fmt::Debug for WChar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match char::try_from(*self) {
            Ok(character) => fmt::Debug::fmt(&character, f),
            Err(_) => write!(f, "'\\u{{{:x}}}'", self.0),
        }
    }
}

impl fmt::Display for WChar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let character = char::try_from(*self).unwrap_or(char::REPLACEMENT_CHARACTER);
        fmt::Display::fmt(&character, f)
    }
}

impl fmt::Display for NotSingleUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} does not fit in one UTF-16 unit; an IDL wchar holds U+0000 to U+FFFF",
            self.0
        )
    }
}

impl core::error::Error for NotSingleUnit {}

impl fmt::Display for LoneSurrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is half of a surrogate pair", self.0)
    }
}

impl core::error::Error for LoneSurrogate {}

impl Encoder {
    /// Appends a `wchar`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WideForbidden`], [`ErrorKind::NoWideCodeSet`].
    #[inline]
    pub fn write_wchar(&mut self, value: WChar) -> Result<()> {
        match self.wide_form() {
            WideForm::Forbidden | WideForm::NoCodeSet(_) => return Err(self.no_wide_form()),
            WideForm::Units => self.write(value.0),
            WideForm::Octets => {
                let [high, low] = value.0.to_be_bytes();
                self.write_bytes(&[2, high, low]);
            }
        }
        Ok(())
    }

    /// Appends a `wstring`.
    ///
    /// A text that begins with U+FEFF is given a byte order mark in front, lest
    /// the receiver take that character for one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WideForbidden`], [`ErrorKind::NoWideCodeSet`],
    /// [`ErrorKind::NulInString`], [`ErrorKind::TooLong`].
    pub fn write_wstring(&mut self, text: &str) -> Result<()> {
        if let WideForm::Forbidden | WideForm::NoCodeSet(_) = self.wide_form() {
            return Err(self.no_wide_form());
        }
        if text.as_bytes().contains(&0) {
            return Err(Error::new(ErrorKind::NulInString, self.position()));
        }
        let mark = text.starts_with(['\u{feff}', '\u{fffe}']).then_some(MARK);
        let units = || mark.into_iter().chain(text.encode_utf16());
        let count = units().count();
        if self.wide_form() == WideForm::Units {
            self.write_length(count.saturating_add(1))?;
            for unit in units() {
                self.write(unit);
            }
            self.write(0_u16);
        } else {
            self.write_length(count.saturating_mul(2))?;
            for unit in units() {
                self.write_bytes(&unit.to_be_bytes());
            }
        }
        Ok(())
    }

    #[cold]
    fn no_wide_form(&self) -> Error {
        Error::new(fault_of(self.wide_form()), self.position())
    }
}

/// The fault of a wide character where there can be none.
fn fault_of(form: WideForm) -> ErrorKind {
    match form {
        WideForm::NoCodeSet(why) => ErrorKind::NoWideCodeSet(why),
        _ => ErrorKind::WideForbidden,
    }
}

impl Decoder<'_> {
    /// Reads a `wchar`. In GIOP 1.2 it may have two octets, or four with a byte
    /// order mark.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], [`ErrorKind::WideForbidden`],
    /// [`ErrorKind::NoWideCodeSet`], and [`ErrorKind::MalformedString`] when it is no
    /// single UTF-16 unit.
    pub fn read_wchar(&mut self) -> Result<WChar> {
        match self.wide_form() {
            form @ (WideForm::Forbidden | WideForm::NoCodeSet(_)) => {
                Err(self.error(fault_of(form)))
            }
            WideForm::Units => self.read().map(WChar),
            WideForm::Octets => {
                let length = self.read::<u8>()?;
                let octets = self.read_bytes(usize::from(length))?;
                match *octets {
                    [high, low] | [0xfe, 0xff, high, low] | [0xff, 0xfe, low, high] => {
                        Ok(WChar(u16::from_be_bytes([high, low])))
                    }
                    _ => Err(self.error(ErrorKind::MalformedString)),
                }
            }
        }
    }

    /// Reads a `wstring`, with or without a byte order mark.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`], [`ErrorKind::LengthBeyondMessage`],
    /// [`ErrorKind::WideForbidden`], [`ErrorKind::NoWideCodeSet`],
    /// [`ErrorKind::UnterminatedString`],
    /// [`ErrorKind::NulInString`], and [`ErrorKind::MalformedString`] for an odd
    /// number of octets or half a surrogate pair.
    pub fn read_wstring(&mut self) -> Result<String> {
        match self.wide_form() {
            form @ (WideForm::Forbidden | WideForm::NoCodeSet(_)) => {
                Err(self.error(fault_of(form)))
            }
            WideForm::Units => {
                let count = self.read_count(2)?;
                let units = self.read_elements::<u16>(count)?;
                match units.split_last() {
                    None => Ok(String::new()),
                    Some((0, text)) => self.text_of(text.iter().copied()),
                    Some(_) => Err(self.error(ErrorKind::UnterminatedString)),
                }
            }
            WideForm::Octets => {
                let octets = self.read_octets()?;
                let (pairs, rest) = octets.as_chunks::<2>();
                if !rest.is_empty() {
                    return Err(self.error(ErrorKind::MalformedString));
                }
                self.text_of(pairs.iter().copied().map(u16::from_be_bytes))
            }
        }
    }

    /// The text of UTF-16 units, a byte order mark taken off and obeyed.
    fn text_of(&mut self, units: impl Iterator<Item = u16> + Clone) -> Result<String> {
        let mut text = units.clone();
        let swap = match text.next() {
            Some(MARK) => false,
            Some(SWAPPED_MARK) => true,
            _ => {
                text = units;
                false
            }
        };
        let text = text.map(|unit| if swap { unit.swap_bytes() } else { unit });
        let sizes = char::decode_utf16(text.clone()).map(|one| one.map_or(0, char::len_utf8));
        let size: usize = sizes.sum();
        self.charge(size)?;
        let mut decoded = String::with_capacity(size);
        for character in char::decode_utf16(text) {
            match character {
                Ok('\0') => return Err(self.error(ErrorKind::NulInString)),
                Ok(character) => decoded.push(character),
                Err(_) => return Err(self.error(ErrorKind::MalformedString)),
            }
        }
        Ok(decoded)
    }
}

impl crate::Encode for WChar {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write_wchar(*self)
    }
}

impl<'m> Decode<'m> for WChar {
    const MIN_SIZE: usize = 2;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        input.read_wchar()
    }

    fn decode_elements(count: usize, input: &mut Decoder<'m>) -> Result<Vec<Self>> {
        if input.wide_form() == WideForm::Units {
            let units = input.read_elements::<u16>(count)?;
            input.charge(size_of_val(&*units))?;
            return Ok(units.iter().copied().map(Self).collect());
        }
        input.read_each(count, Self::MIN_SIZE, Self::decode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_small() {
        assert_eq!(size_of::<WideForm>(), 1);
        assert_eq!(size_of::<CharacterForms>(), 2);
    }
}
