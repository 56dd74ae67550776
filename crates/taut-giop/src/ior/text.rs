//! Text in references: repository ids and hosts, to which no transmission code
//! set applies.

use alloc::string::String;

use taut_cdr::{Decoder, Encoder, Error, ErrorKind, Result};

/// Reads text that is UTF-8, or else ISO 8859-1.
pub(super) fn read(input: &mut Decoder<'_>) -> Result<String> {
    let octets = input.read_string_octets()?;
    Ok(match core::str::from_utf8(octets) {
        Ok(text) => text.into(),
        Err(_) => octets.iter().copied().map(char::from).collect(),
    })
}

/// Appends text as its UTF-8 octets.
pub(super) fn write(text: &str, out: &mut Encoder) -> Result<()> {
    write_octets(text.as_bytes(), out)
}

/// Appends octets as a string.
pub(super) fn write_octets(text: &[u8], out: &mut Encoder) -> Result<()> {
    if text.contains(&0) {
        return Err(Error::new(ErrorKind::NulInString, out.position()));
    }
    out.write_length(text.len() + 1)?;
    out.write_bytes(text);
    out.write_bytes(&[0]);
    Ok(())
}
