//! Octets for people.

use std::fmt::Write;

/// Octets in one line of a dump.
const LINE: usize = 16;

/// The digits of octets, without anything between them.
pub(crate) fn digits(octets: &[u8]) -> String {
    let mut text = String::with_capacity(2 * octets.len());
    for octet in octets {
        // Writing to a String does not fail.
        let _ = write!(text, "{octet:02x}");
    }
    text
}

/// A dump: the offset, 16 octets, and those that are visible ASCII as text.
pub(crate) fn dump(octets: &[u8], indent: usize) -> String {
    let mut text = String::new();
    for (index, line) in octets.chunks(LINE).enumerate() {
        let _ = write!(text, "{:indent$}{:04x} ", "", index * LINE);
        for (column, octet) in line.iter().enumerate() {
            let gap = if column == LINE / 2 { "  " } else { " " };
            let _ = write!(text, "{gap}{octet:02x}");
        }
        let missing = LINE - line.len();
        let width = 3 * missing + usize::from(line.len() <= LINE / 2);
        let _ = write!(text, "{:width$}  ", "");
        text.extend(line.iter().map(|octet| match octet {
            b' '..=b'~' => char::from(*octet),
            _ => '.',
        }));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_has_its_columns_whatever_the_length() {
        let octets: Vec<u8> = (0x3c..0x3c + 19).collect();
        assert_eq!(
            dump(&octets, 2),
            "  0000  3c 3d 3e 3f 40 41 42 43  44 45 46 47 48 49 4a 4b  <=>?@ABCDEFGHIJK\n  \
               0010  4c 4d 4e                                          LMN\n"
        );
        for length in 1..=LINE {
            let line = dump(&octets[..length], 0);
            assert_eq!(line.find("  <"), Some(54), "{length}");
        }
        assert_eq!(dump(&[], 2), "");
    }
}
