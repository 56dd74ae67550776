//! Text of nothing but ASCII, which most text is: one pass over it finds out that it needs
//! no conversion, that it is UTF-8, and that no NUL is in it.

#![allow(unsafe_code)]

/// How many octets are looked at at once.
const LANES: usize = 16;

/// The text that these octets are in any code set, if all are characters of ASCII and none
/// is NUL, which no string may hold.
#[inline]
pub(crate) fn ascii_text(octets: &[u8]) -> Option<&str> {
    if !is_ascii_without_nul(octets) {
        return None;
    }
    // SAFETY: ASCII is UTF-8.
    Some(unsafe { core::str::from_utf8_unchecked(octets) })
}

/// Whether all octets are characters of ASCII, which all code sets have as ASCII has them,
/// and none is NUL, which no string may hold: text that needs no conversion.
#[inline]
pub fn is_ascii_without_nul(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk() else {
        return is_short_ascii_without_nul(text);
    };
    let (chunks, _) = text.as_chunks();
    are_usual(last) && chunks.iter().all(are_usual)
}

/// Whether none of these octets is above those of ASCII, or NUL. (The processor does this at
/// once for all of them.)
#[inline]
fn are_usual(octets: &[u8; LANES]) -> bool {
    let is_usual = |octet: &u8| octet.cast_signed() > 0;
    octets.iter().fold(true, |all, octet| all & is_usual(octet))
}

/// The same for text that does not fill all lanes.
fn is_short_ascii_without_nul(text: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // The highest bit of an octet is set, or becomes so when one is taken from nothing.
    let unusual = |word: &[u8; 8]| {
        let word = u64::from_ne_bytes(*word);
        (word | word.wrapping_sub(ONES)) & HIGH
    };
    match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => unusual(first) | unusual(last) == 0,
        _ => text.iter().all(|octet| octet.cast_signed() > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn unusual_octets_are_found_wherever_they_are() {
        for length in 0..50 {
            for usual in [1, b'a', 0x7f] {
                let text = vec![usual; length];
                assert!(is_ascii_without_nul(&text));
                assert_eq!(ascii_text(&text).map(str::as_bytes), Some(&text[..]));
                for (place, unusual) in (0..length).flat_map(|at| [(at, 0), (at, 0x80), (at, 0xff)])
                {
                    let mut text = text.clone();
                    text[place] = unusual;
                    assert!(
                        !is_ascii_without_nul(&text),
                        "{unusual} at {place} of {length}"
                    );
                }
            }
        }
    }
}
