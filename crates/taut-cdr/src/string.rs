//! Strings, in the transmission code set.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::ascii::{ascii_text, is_ascii_without_nul};
use crate::{CharCodeSet, Decode, Decoder, Encode, Encoder, Error, ErrorKind, Result};

impl Encoder {
    /// Appends a string: its length with the closing NUL, its characters in
    /// the transmission code set, NUL.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NulInString`], [`ErrorKind::Unrepresentable`],
    /// [`ErrorKind::TooLong`].
    #[inline]
    pub fn write_string(&mut self, text: &str) -> Result<()> {
        let is_ascii = is_ascii_without_nul(text.as_bytes());
        if !is_ascii && text.as_bytes().contains(&0) {
            return Err(Error::new(ErrorKind::NulInString, self.position()));
        }
        if is_ascii || self.char_code_set() == CharCodeSet::Utf8 {
            self.write_length(text.len() + 1)?;
            self.write_bytes(text.as_bytes());
        } else {
            self.write_converted(text)?;
        }
        self.write_bytes(&[0]);
        Ok(())
    }

    /// Appends a string's octets as they are, with the closing NUL: text that no code set
    /// applies to, such as that of addresses and repository ids in object references.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NulInString`], [`ErrorKind::TooLong`].
    pub fn write_string_octets(&mut self, text: &[u8]) -> Result<()> {
        if text.contains(&0) {
            return Err(Error::new(ErrorKind::NulInString, self.position()));
        }
        self.write_length(text.len() + 1)?;
        self.write_bytes(text);
        self.write_bytes(&[0]);
        Ok(())
    }

    /// Appends length and characters of what is not the same in the code set.
    #[cold]
    fn write_converted(&mut self, text: &str) -> Result<()> {
        #[cfg(feature = "code-sets")]
        if let CharCodeSet::Converted(code_set) = self.char_code_set() {
            let octets = code_set
                .encode(text)
                .map_err(|kind| Error::new(kind, self.position()))?;
            self.write_length(octets.len() + 1)?;
            self.write_bytes(&octets);
            return Ok(());
        }
        self.write_length(text.chars().count() + 1)?;
        for (index, character) in text.chars().enumerate() {
            match u8::try_from(u32::from(character)) {
                Ok(octet) => self.write_bytes(&[octet]),
                Err(_) => {
                    let kind = ErrorKind::Unrepresentable { character, index };
                    return Err(Error::new(kind, self.position()));
                }
            }
        }
        Ok(())
    }
}

impl<'m> Decoder<'m> {
    /// Reads a string, borrowed when its octets are those of the `str`. A
    /// length of 0, which the standard forbids and some peers send, is an
    /// empty string.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnterminatedString`], [`ErrorKind::NulInString`],
    /// [`ErrorKind::MalformedString`], and as
    /// [`read_octets`](Self::read_octets).
    #[inline]
    pub fn read_string(&mut self) -> Result<Cow<'m, str>> {
        let octets = self.read_octets()?;
        if let Some((0, text)) = octets.split_last()
            && let Some(text) = ascii_text(text)
        {
            return Ok(Cow::Borrowed(text));
        }
        self.convert_string(octets)
    }

    /// The string that these octets are, whatever characters it has.
    #[inline(never)]
    fn convert_string(&mut self, octets: &'m [u8]) -> Result<Cow<'m, str>> {
        let octets = self.without_nul(octets)?;
        match self.char_code_set() {
            CharCodeSet::Utf8 => match core::str::from_utf8(octets) {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(_) => Err(self.error(ErrorKind::MalformedString)),
            },
            CharCodeSet::Iso8859_1 => self.charged(from_iso_8859_1(octets).into()),
            #[cfg(feature = "code-sets")]
            CharCodeSet::Converted(code_set) => match code_set.decode(octets) {
                Some(text) => self.charged(text),
                None => Err(self.error(ErrorKind::MalformedString)),
            },
        }
    }

    /// Reads a string's octets as they are, without the closing NUL: operation
    /// names and other text that no code set applies to.
    ///
    /// # Errors
    ///
    /// As [`read_string`](Self::read_string), but for malformed characters.
    #[inline]
    pub fn read_string_octets(&mut self) -> Result<&'m [u8]> {
        let octets = self.read_octets()?;
        match octets.split_last() {
            Some((0, text)) if is_ascii_without_nul(text) => Ok(text),
            _ => self.without_nul(octets),
        }
    }

    /// Reads text that no code set applies to, such as that of addresses and repository ids
    /// in object references: UTF-8, or else ISO 8859-1.
    ///
    /// # Errors
    ///
    /// As [`read_string_octets`](Self::read_string_octets).
    pub fn read_plain_text(&mut self) -> Result<String> {
        let octets = self.read_string_octets()?;
        Ok(match core::str::from_utf8(octets) {
            Ok(text) => text.into(),
            Err(_) => octets.iter().copied().map(char::from).collect(),
        })
    }

    /// The octets of a string that is not of ASCII alone, or of none, without the one that
    /// closes it.
    fn without_nul(&self, octets: &'m [u8]) -> Result<&'m [u8]> {
        match octets.split_last() {
            None => Ok(octets),
            Some((0, text)) if !text.contains(&0) => Ok(text),
            Some((0, _)) => Err(self.error(ErrorKind::NulInString)),
            Some(_) => Err(self.error(ErrorKind::UnterminatedString)),
        }
    }

    /// Charges the memory of a text, if it has memory of its own.
    #[inline]
    fn charged(&mut self, text: Cow<'m, str>) -> Result<Cow<'m, str>> {
        if let Cow::Owned(text) = &text {
            self.charge(text.len())?;
        }
        Ok(text)
    }
}

/// Text of ISO 8859-1, exactly as large as it is.
fn from_iso_8859_1(octets: &[u8]) -> String {
    let above_ascii = octets.iter().filter(|octet| !octet.is_ascii()).count();
    let mut text = String::with_capacity(octets.len() + above_ascii);
    text.extend(octets.iter().copied().map(char::from));
    text
}

impl Encode for str {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write_string(self)
    }
}

impl Encode for String {
    #[inline]
    fn encode(&self, out: &mut Encoder) -> Result<()> {
        out.write_string(self)
    }
}

impl<'m> Decode<'m> for String {
    const MIN_SIZE: usize = 4;

    #[inline]
    fn decode(input: &mut Decoder<'m>) -> Result<Self> {
        match input.read_string()? {
            Cow::Owned(text) => Ok(text),
            Cow::Borrowed(text) => {
                input.charge(text.len())?;
                Ok(text.into())
            }
        }
    }
}
