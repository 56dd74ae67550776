//! `%HH`, as RFC 2396 has it and the standard applies it to object keys and names.

use alloc::vec::Vec;
use core::fmt;

use super::error::{UrlError, UrlErrorKind};
use super::part::Part;

/// Besides letters and digits, what stands for itself (CORBA 3.3 part 2, 7.6.10.2).
const UNESCAPED: &[u8] = b";/:?@&=+$,-_.!~*'()";

/// The octets that a key or name stands for. More liberal than what is written:
/// every visible ASCII character but `%` and `#` stands for itself.
pub(super) fn unescape(part: Part<'_>) -> Result<Vec<u8>, UrlError> {
    let mut octets = Vec::with_capacity(part.text.len());
    let mut characters = part.text.char_indices();
    while let Some((position, character)) = characters.next() {
        match character {
            '%' => {
                let digits = part.text.as_bytes().get(position + 1..position + 3);
                let Some(octet) = digits.and_then(hexadecimal_octet) else {
                    return Err(part.behind(position).error(UrlErrorKind::InvalidEscape));
                };
                octets.push(octet);
                characters.next();
                characters.next();
            }
            '#' => return Err(invalid(part, position, character)),
            // Visible ASCII fits in an octet.
            '!'..='~' => octets.push(character as u8),
            _ => return Err(invalid(part, position, character)),
        }
    }
    Ok(octets)
}

/// Writes octets so that [`unescape`] gives them back.
pub(super) fn write_escaped(octets: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    octets.iter().try_for_each(|&octet| {
        if octet.is_ascii_alphanumeric() || UNESCAPED.contains(&octet) {
            write!(f, "{}", char::from(octet))
        } else {
            write!(f, "%{octet:02X}")
        }
    })
}

fn invalid(part: Part<'_>, position: usize, character: char) -> UrlError {
    part.behind(position)
        .error(UrlErrorKind::InvalidCharacter(character))
}

fn hexadecimal_octet(digits: &[u8]) -> Option<u8> {
    let digit = |index: usize| char::from(*digits.get(index)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}
