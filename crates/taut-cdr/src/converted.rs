//! Code sets of strings that tables convert.
//!
//! The tables of most are those of the Encoding Standard, which `encoding_rs`
//! has. That standard's encoders give some characters the octets of another one,
//! such as those of `\` for `¥` in Shift JIS; here such a character does not exist
//! in the code set, lest the receiver read what was not written.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use encoding_rs::{Encoder, EncoderResult, Encoding};

use crate::ErrorKind;

/// A code set that strings are converted to and from. All have the characters of
/// ASCII as ASCII has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum ConvertedCodeSet {
    /// ASCII: ISO 646 in its international reference version.
    Ascii,
    /// ISO 8859-2 (Latin-2).
    Iso8859_2,
    /// ISO 8859-3 (Latin-3).
    Iso8859_3,
    /// ISO 8859-4 (Latin-4).
    Iso8859_4,
    /// ISO 8859-5 (Cyrillic).
    Iso8859_5,
    /// ISO 8859-6 (Arabic).
    Iso8859_6,
    /// ISO 8859-7 (Greek).
    Iso8859_7,
    /// ISO 8859-8 (Hebrew).
    Iso8859_8,
    /// ISO 8859-9 (Latin-5).
    Iso8859_9,
    /// ISO 8859-10 (Latin-6).
    Iso8859_10,
    /// ISO 8859-15 (Latin-9).
    Iso8859_15,
    /// TIS 620 (Thai).
    Tis620,
    /// windows-1250 (Central Europe).
    Windows1250,
    /// windows-1251 (Cyrillic).
    Windows1251,
    /// windows-1252 (Western Europe).
    Windows1252,
    /// windows-1253 (Greek).
    Windows1253,
    /// windows-1254 (Turkish).
    Windows1254,
    /// windows-1255 (Hebrew).
    Windows1255,
    /// windows-1256 (Arabic).
    Windows1256,
    /// windows-1257 (Baltic).
    Windows1257,
    /// IBM 866 (Cyrillic).
    Ibm866,
    /// EUC-JP (Japanese).
    EucJp,
    /// Shift JIS (Japanese).
    ShiftJis,
    /// EUC-KR (Korean).
    EucKr,
    /// Big5 (traditional Chinese).
    Big5,
    /// GBK (simplified Chinese).
    Gbk,
}

/// Where ISO 8859-9 differs from ISO 8859-1.
const LATIN_5: [(u8, char); 6] = [
    (0xd0, 'Ğ'),
    (0xdd, 'İ'),
    (0xde, 'Ş'),
    (0xf0, 'ğ'),
    (0xfd, 'ı'),
    (0xfe, 'ş'),
];

impl ConvertedCodeSet {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Ascii,
        Self::Iso8859_2,
        Self::Iso8859_3,
        Self::Iso8859_4,
        Self::Iso8859_5,
        Self::Iso8859_6,
        Self::Iso8859_7,
        Self::Iso8859_8,
        Self::Iso8859_9,
        Self::Iso8859_10,
        Self::Iso8859_15,
        Self::Tis620,
        Self::Windows1250,
        Self::Windows1251,
        Self::Windows1252,
        Self::Windows1253,
        Self::Windows1254,
        Self::Windows1255,
        Self::Windows1256,
        Self::Windows1257,
        Self::Ibm866,
        Self::EucJp,
        Self::ShiftJis,
        Self::EucKr,
        Self::Big5,
        Self::Gbk,
    ];

    /// The text that these octets are; none when they are no text.
    pub(crate) fn decode(self, octets: &[u8]) -> Option<Cow<'_, str>> {
        match self.table() {
            Table::Library(encoding) => {
                encoding.decode_without_bom_handling_and_without_replacement(octets)
            }
            Table::Own(character_of) => octets
                .iter()
                .map(|&octet| match octet.is_ascii() {
                    true => Some(char::from(octet)),
                    false => character_of(octet),
                })
                .collect::<Option<String>>()
                .map(Cow::Owned),
        }
    }

    /// The octets of a text, or which of its characters does not exist here.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, ErrorKind> {
        let octets = match self.table() {
            Table::Library(encoding) => encode(encoding.new_encoder(), text)?,
            Table::Own(character_of) => text
                .chars()
                .enumerate()
                .map(|(index, character)| {
                    (0x80..=0xff)
                        .find(|&octet| character_of(octet) == Some(character))
                        .or_else(|| u8::try_from(character).ok().filter(u8::is_ascii))
                        .ok_or(ErrorKind::Unrepresentable { character, index })
                })
                .collect::<Result<_, _>>()?,
        };
        // Decoding must give back the text that was encoded.
        let again = self.decode(&octets).unwrap_or_default();
        let mut again = again.chars();
        for (index, character) in text.chars().enumerate() {
            if again.next() != Some(character) {
                return Err(ErrorKind::Unrepresentable { character, index });
            }
        }
        Ok(octets)
    }

    fn table(self) -> Table {
        Table::Library(match self {
            Self::Ascii => return Table::Own(|_| None),
            Self::Iso8859_9 => return Table::Own(latin_5),
            Self::Tis620 => return Table::Own(thai),
            Self::Iso8859_2 => encoding_rs::ISO_8859_2,
            Self::Iso8859_3 => encoding_rs::ISO_8859_3,
            Self::Iso8859_4 => encoding_rs::ISO_8859_4,
            Self::Iso8859_5 => encoding_rs::ISO_8859_5,
            Self::Iso8859_6 => encoding_rs::ISO_8859_6,
            Self::Iso8859_7 => encoding_rs::ISO_8859_7,
            Self::Iso8859_8 => encoding_rs::ISO_8859_8,
            Self::Iso8859_10 => encoding_rs::ISO_8859_10,
            Self::Iso8859_15 => encoding_rs::ISO_8859_15,
            Self::Windows1250 => encoding_rs::WINDOWS_1250,
            Self::Windows1251 => encoding_rs::WINDOWS_1251,
            Self::Windows1252 => encoding_rs::WINDOWS_1252,
            Self::Windows1253 => encoding_rs::WINDOWS_1253,
            Self::Windows1254 => encoding_rs::WINDOWS_1254,
            Self::Windows1255 => encoding_rs::WINDOWS_1255,
            Self::Windows1256 => encoding_rs::WINDOWS_1256,
            Self::Windows1257 => encoding_rs::WINDOWS_1257,
            Self::Ibm866 => encoding_rs::IBM866,
            Self::EucJp => encoding_rs::EUC_JP,
            Self::ShiftJis => encoding_rs::SHIFT_JIS,
            Self::EucKr => encoding_rs::EUC_KR,
            Self::Big5 => encoding_rs::BIG5,
            Self::Gbk => encoding_rs::GBK,
        })
    }
}

/// How octets beyond ASCII are converted.
enum Table {
    Library(&'static Encoding),
    /// The library has another code set by that name, or none.
    Own(fn(u8) -> Option<char>),
}

fn latin_5(octet: u8) -> Option<char> {
    let differing = LATIN_5.iter().find(|(other, _)| *other == octet);
    Some(differing.map_or(char::from(octet), |(_, character)| *character))
}

/// The characters of Thai stand in Unicode as they do in TIS 620.
fn thai(octet: u8) -> Option<char> {
    match octet {
        0xa1..=0xda | 0xdf..=0xfb => char::from_u32(0x0e00 + u32::from(octet) - 0xa0),
        _ => None,
    }
}

fn encode(mut encoder: Encoder, text: &str) -> Result<Vec<u8>, ErrorKind> {
    let mut octets = Vec::with_capacity(text.len());
    let mut read = 0;
    loop {
        let rest = &text[read..];
        let (outcome, more) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut octets, true);
        read += more;
        match outcome {
            EncoderResult::InputEmpty => return Ok(octets),
            EncoderResult::OutputFull => octets.reserve(rest.len().max(16)),
            EncoderResult::Unmappable(character) => {
                // It has been read.
                let index = text[..read].chars().count() - 1;
                return Err(ErrorKind::Unrepresentable { character, index });
            }
        }
    }
}
