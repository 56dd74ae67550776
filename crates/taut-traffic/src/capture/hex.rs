//! Octets that people wrote down: plain digits, and the dumps of `xxd`,
//! `hexdump -C` and `od -tx1`.

use crate::CaptureError;

/// Whether the input can be a dump: text, and the first word that is no offset is
/// made of digits.
pub(super) fn is_text(probe: &[u8]) -> bool {
    let is_dump = probe
        .iter()
        .all(|octet| matches!(octet, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    let first = probe
        .split(|octet| octet.is_ascii_whitespace())
        .find(|word| !word.is_empty());
    is_dump && first.is_some_and(|word| word.iter().all(|octet| is_digit(*octet) || *octet == b':'))
}

fn is_digit(octet: u8) -> bool {
    octet.is_ascii_hexdigit()
}

/// The octets of a dump, at most `limit`.
///
/// An offset in front of a line is known by its colon (`xxd`), or by standing
/// in the first of at least two columns and being longer than an octet
/// (`hexdump -C`, `od`). Text behind two blanks after the octets (`xxd`), or between bars
/// (`hexdump -C`), shows the octets as characters. A line that is a single `*` says that
/// the line above is repeated up to the next offset.
pub(super) fn octets(text: &[u8], limit: usize) -> Result<Vec<u8>, CaptureError> {
    let mut octets: Vec<u8> = Vec::new();
    let mut previous: Vec<u8> = Vec::new();
    let mut repeats = false;
    let base = offset_base(text);
    for (index, line) in text.split(|octet| *octet == b'\n').enumerate() {
        let number = index + 1;
        let line = line.trim_ascii_end();
        if line.trim_ascii() == b"*" {
            repeats = true;
            continue;
        }
        let (offset, rest) = split_offset(line, base.is_some());
        if repeats && let (Some(offset), Some(base)) = (offset, base) {
            repeats = false;
            repeat(&mut octets, &previous, offset, base, number)?;
        }
        let before = octets.len();
        digits(rest, offset.is_some(), number, &mut octets)?;
        if octets.len() > limit {
            return Err(CaptureError::DumpTooLarge { limit });
        }
        if octets.len() > before {
            previous = octets[before..].to_vec();
        }
    }
    Ok(octets)
}

/// In which base the dump has offsets, if it has any: `od` writes octal ones.
/// Two of them tell.
fn offset_base(text: &[u8]) -> Option<u32> {
    let mut lines = text
        .split(|octet| *octet == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .filter(|line| !line.is_empty());
    let first = lines.next()?;
    let (word, rest) = first_word(first);
    if word.ends_with(b":") {
        return Some(16);
    }
    let has_column = word.len() > 4 && !rest.is_empty() && word.iter().all(|digit| *digit == b'0');
    // Plain digits may stand in lines of any width, but in pairs.
    let second_is_pair = first_word(rest).0.len() == 2;
    if !has_column || !second_is_pair {
        return None;
    }
    let next = lines.find(|line| *line != b"*").map(first_word);
    match next {
        Some((b"0000020" | b"00000020", _)) if word.len() == 7 => Some(8),
        _ if word.len() == 7 => Some(8),
        _ => Some(16),
    }
}

fn first_word(line: &[u8]) -> (&[u8], &[u8]) {
    let line = line.trim_ascii_start();
    let end = line
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii_start())
}

/// A line's offset, as digits, and what follows it.
fn split_offset(line: &[u8], has_offsets: bool) -> (Option<&[u8]>, &[u8]) {
    let (word, _) = first_word(line);
    let start = line.len() - line.trim_ascii_start().len();
    let behind = &line[start + word.len()..];
    match word.strip_suffix(b":") {
        Some(offset) => (Some(offset), behind),
        None if has_offsets && !word.is_empty() => (Some(word), behind),
        None => (None, line),
    }
}

/// Repeats a line up to an offset.
fn repeat(
    octets: &mut Vec<u8>,
    line: &[u8],
    offset: &[u8],
    base: u32,
    number: usize,
) -> Result<(), CaptureError> {
    let wrong = |what| CaptureError::Dump { line: number, what };
    let offset = std::str::from_utf8(offset)
        .ok()
        .and_then(|digits| usize::from_str_radix(digits, base).ok())
        .ok_or_else(|| wrong("the offset is no number"))?;
    // A dump of a gigabyte of zeros is a few lines long.
    if offset > octets.len().saturating_add(1 << 20) {
        return Err(wrong("a line is repeated for more than 1 MiB"));
    }
    while octets.len() < offset && !line.is_empty() {
        let more = line.len().min(offset - octets.len());
        octets.extend_from_slice(&line[..more]);
    }
    Ok(())
}

/// The octets of a line without its offset.
fn digits(
    line: &[u8],
    has_offset: bool,
    number: usize,
    octets: &mut Vec<u8>,
) -> Result<(), CaptureError> {
    let wrong = |what| CaptureError::Dump { line: number, what };
    let mut columns = line;
    // The text of `hexdump -C`.
    if let Some(bar) = columns.windows(2).position(|pair| pair == b" |") {
        columns = &columns[..bar];
    }
    let mut half = None;
    let mut blanks = 0;
    let mut seen = false;
    let mut in_columns = None;
    for &octet in columns {
        if octet.is_ascii_whitespace() {
            blanks += 1;
            continue;
        }
        // `xxd` sets the text apart by two blanks, `hexdump -C` the ninth octet.
        if has_offset
            && seen
            && blanks >= 2
            && !*in_columns.get_or_insert_with(|| line_is_in_columns(line))
        {
            break;
        }
        blanks = 0;
        seen = true;
        let Some(digit) = char::from(octet).to_digit(16) else {
            return Err(wrong("a character is no hexadecimal digit"));
        };
        let digit = digit as u8;
        match half.take() {
            None => half = Some(digit),
            Some(high) => octets.push(high << 4 | digit),
        }
    }
    match half {
        None => Ok(()),
        Some(_) => Err(wrong("there is an odd number of digits")),
    }
}

/// Whether the line is of `hexdump -C` or `od`: octet by octet, set apart, with
/// nothing behind them but the text between bars.
fn line_is_in_columns(line: &[u8]) -> bool {
    if line.windows(2).any(|pair| pair == b" |") {
        return true;
    }
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .all(|word| word.len() == 2 && word.iter().all(|octet| is_digit(*octet)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCTETS: &[u8] = b"GIOP\x01\x02\x01\x00\x08\0\0\0\0\0\0\0ab  ";

    fn read(text: &str) -> Vec<u8> {
        assert!(is_text(text.as_bytes()), "{text}");
        octets(text.as_bytes(), 1_000).unwrap()
    }

    #[test]
    fn dumps_of_all_kinds_give_the_same_octets() {
        for text in [
            "47494f5001020100080000000000000061622020",
            "47 49 4f 50 01 02 01 00\n08 00 00 00 00 00 00 00\n61622020\n",
            "00000000: 4749 4f50 0102 0100 0800 0000 0000 0000  GIOP............\n\
             00000010: 6162 2020                                ab  \n",
            "00000000: 47494f50 01020100 08000000 00000000  GIOP............\n\
             00000010: 61622020                             ab  \n",
            "00000000  47 49 4f 50 01 02 01 00  08 00 00 00 00 00 00 00  |GIOP............|\n\
             00000010  61 62 20 20                                       |ab  |\n00000014\n",
            "0000000 47 49 4f 50 01 02 01 00 08 00 00 00 00 00 00 00\n\
             0000020 61 62 20 20\n0000024\n",
            "0000000  47  49  4f  50  01  02  01  00  08  00  00  00  00  00  00  00\n\
             0000020  61  62  20  20\n0000024\n",
        ] {
            assert_eq!(read(text), OCTETS, "{text}");
        }
    }

    #[test]
    fn repeated_lines_are_put_in() {
        let hexdump = "00000000  61 61 61 61 61 61 61 61  61 61 61 61 61 61 61 61  |aaaaaaaaaaaaaaaa|\n*\n00000030  62\n00000031\n";
        let od =
            "0000000 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61\n*\n0000060 62\n0000061\n";
        for text in [hexdump, od] {
            let octets = read(text);
            assert_eq!(octets.len(), 49, "{text}");
            assert!(octets[..48].iter().all(|octet| *octet == b'a'));
        }
        assert!(octets(b"00000000  61 61  |aa|\n*\nffffffff  62\n", 1_000).is_err());
        let limited = octets(hexdump.as_bytes(), 48);
        assert!(matches!(
            limited,
            Err(CaptureError::DumpTooLarge { limit: 48 })
        ));
    }

    #[test]
    fn what_is_no_dump_is_refused() {
        assert!(!is_text(b"GIOP\x01\0"));
        assert!(!is_text(b"hello"));
        for text in ["47 49 4", "47 zz", "00000000: 4g"] {
            assert!(octets(text.as_bytes(), 1_000).is_err(), "{text}");
        }
    }
}
