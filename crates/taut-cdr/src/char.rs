//! IDL's `char`, and the code sets that strings travel in.

use core::fmt;

/// IDL's `char`: one octet, on the wire and in memory.
///
/// The octet is read as ISO 8859-1, so every `Char` is a `char`; the other way
/// fails above U+00FF. Sequences of `Char` move in bulk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Char(pub u8);

/// The refusal to make a [`Char`] of a character above U+00FF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotSingleOctet(pub char);

impl fmt::Display for NotSingleOctet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} does not fit in one octet; an IDL char holds U+0000 to U+00FF",
            self.0
        )
    }
}

impl core::error::Error for NotSingleOctet {}

impl From<Char> for char {
    #[inline]
    fn from(value: Char) -> Self {
        Self::from(value.0)
    }
}

impl From<u8> for Char {
    #[inline]
    fn from(octet: u8) -> Self {
        Self(octet)
    }
}

impl TryFrom<char> for Char {
    type Error = NotSingleOctet;

    #[inline]
    fn try_from(value: char) -> Result<Self, NotSingleOctet> {
        u8::try_from(u32::from(value))
            .map(Self)
            .map_err(|_| NotSingleOctet(value))
    }
}

impl fmt::Debug for Char {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&char::from(*self), f)
    }
}

impl fmt::Display for Char {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&char::from(*self), f)
    }
}

/// The transmission code set of `string` (CORBA 3.3 part 2, 7.10). All of them
/// have the characters of ASCII as ASCII has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CharCodeSet {
    /// ISO 8859-1, the code set where nothing was negotiated.
    #[default]
    Iso8859_1,
    /// UTF-8.
    Utf8,
    /// Another one, which a table converts (with the feature `code-sets`).
    #[cfg(feature = "code-sets")]
    Converted(crate::ConvertedCodeSet),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encoders and decoders have one each, and are moved with every call.
    #[test]
    fn a_code_set_is_one_octet() {
        assert_eq!(size_of::<CharCodeSet>(), 1);
    }
}
