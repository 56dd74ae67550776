//! The code sets of the OSF registry that are known here.

use taut_cdr::CharCodeSet;
#[cfg(feature = "code-sets")]
use taut_cdr::ConvertedCodeSet;

use crate::exception::{CompletionStatus, SystemException, SystemExceptionKind, minor};

/// The ids of code sets in the OSF registry.
pub mod id {
    /// ISO 8859-1 (Latin-1); [`iso_8859`] has its siblings.
    pub const ISO_8859_1: u32 = 0x0001_0001;
    /// ISO 8859-15 (Latin-9).
    pub const ISO_8859_15: u32 = 0x0001_000f;
    /// ISO 646 in its international reference version: ASCII.
    pub const ISO_646: u32 = 0x0001_0020;
    /// UCS-2, level 1.
    pub const UCS_2_LEVEL_1: u32 = 0x0001_0100;
    /// UCS-2, level 2.
    pub const UCS_2_LEVEL_2: u32 = 0x0001_0101;
    /// UCS-2, level 3.
    pub const UCS_2_LEVEL_3: u32 = 0x0001_0102;
    /// UCS-4, level 1.
    pub const UCS_4_LEVEL_1: u32 = 0x0001_0104;
    /// UCS-4, level 2.
    pub const UCS_4_LEVEL_2: u32 = 0x0001_0105;
    /// UCS-4, level 3.
    pub const UCS_4_LEVEL_3: u32 = 0x0001_0106;
    /// UTF-8, by another number.
    pub const UTF_8_ISO: u32 = 0x0001_0108;
    /// UTF-16.
    pub const UTF_16: u32 = 0x0001_0109;
    /// TIS 620 (Thai).
    pub const TIS_620: u32 = 0x000b_0001;
    /// EUC-JP.
    pub const EUC_JP: u32 = 0x0003_0010;
    /// EUC-KR.
    pub const EUC_KR: u32 = 0x0004_000a;
    /// Shift JIS.
    pub const SJIS: u32 = 0x0500_0011;
    /// UTF-8, as X/Open registered it: the number that peers use.
    pub const UTF_8: u32 = 0x0501_0001;
    /// Big5, by HP's number.
    pub const HP_BIG5: u32 = 0x1001_0008;
    /// Big5 by IBM's number, code page 950.
    pub const BIG5: u32 = 0x1002_03b6;
    /// Shift JIS by IBM's number, code page 943.
    pub const IBM_943: u32 = 0x1002_03af;
    /// Cyrillic, code page 866.
    pub const IBM_866: u32 = 0x1002_0362;
    /// GBK: code page 1386.
    pub const GBK: u32 = 0x1002_056a;
    /// windows-1250; its siblings up to 1257 follow.
    pub const WINDOWS_1250: u32 = 0x1002_04e2;
    /// EBCDIC 037.
    pub const EBCDIC_037: u32 = 0x1002_0025;
    /// EBCDIC 500.
    pub const EBCDIC_500: u32 = 0x1002_01f4;

    /// ISO 8859, part 1 to 10.
    pub const fn iso_8859(part: u8) -> Option<u32> {
        match part {
            1..=10 => Some(ISO_8859_1 - 1 + part as u32),
            _ => None,
        }
    }
}

/// The name of a code set.
pub const fn name(code_set: u32) -> Option<&'static str> {
    Some(match code_set {
        id::ISO_8859_1 => "ISO 8859-1",
        0x0001_0002 => "ISO 8859-2",
        0x0001_0003 => "ISO 8859-3",
        0x0001_0004 => "ISO 8859-4",
        0x0001_0005 => "ISO 8859-5",
        0x0001_0006 => "ISO 8859-6",
        0x0001_0007 => "ISO 8859-7",
        0x0001_0008 => "ISO 8859-8",
        0x0001_0009 => "ISO 8859-9",
        0x0001_000a => "ISO 8859-10",
        id::ISO_8859_15 => "ISO 8859-15",
        id::ISO_646 => "ISO 646 (ASCII)",
        id::UCS_2_LEVEL_1 => "UCS-2, level 1",
        id::UCS_2_LEVEL_2 => "UCS-2, level 2",
        id::UCS_2_LEVEL_3 => "UCS-2, level 3",
        id::UCS_4_LEVEL_1 => "UCS-4, level 1",
        id::UCS_4_LEVEL_2 => "UCS-4, level 2",
        id::UCS_4_LEVEL_3 => "UCS-4, level 3",
        id::UTF_8_ISO | id::UTF_8 => "UTF-8",
        id::UTF_16 => "UTF-16",
        id::EUC_JP => "EUC-JP",
        id::EUC_KR => "EUC-KR",
        id::SJIS => "Shift JIS",
        0x1002_04e2 => "windows-1250",
        0x1002_04e3 => "windows-1251",
        0x1002_04e4 => "windows-1252",
        0x1002_04e5 => "windows-1253",
        0x1002_04e6 => "windows-1254",
        0x1002_04e7 => "windows-1255",
        0x1002_04e8 => "windows-1256",
        0x1002_04e9 => "windows-1257",
        id::TIS_620 => "TIS 620",
        id::HP_BIG5 | id::BIG5 => "Big5",
        id::IBM_943 => "Shift JIS (code page 943)",
        id::IBM_866 => "code page 866",
        id::GBK => "GBK",
        id::EBCDIC_037 => "EBCDIC 037",
        id::EBCDIC_500 => "EBCDIC 500",
        _ => return None,
    })
}

/// The code set of strings for encoders and decoders, by its id. Further ones
/// than ISO 8859-1 and UTF-8 are there with the feature `code-sets`.
///
/// # Errors
///
/// CODESET_INCOMPATIBLE, OMG minor 2, when Taut has no such code set.
pub fn char_code_set(transmission: u32) -> Result<CharCodeSet, SystemException> {
    match transmission {
        id::ISO_8859_1 => Ok(CharCodeSet::Iso8859_1),
        id::UTF_8 | id::UTF_8_ISO => Ok(CharCodeSet::Utf8),
        #[cfg(feature = "code-sets")]
        _ => converted(transmission).ok_or_else(|| incompatible(2)),
        #[cfg(not(feature = "code-sets"))]
        _ => Err(incompatible(2)),
    }
}

#[cfg(feature = "code-sets")]
fn converted(transmission: u32) -> Option<CharCodeSet> {
    let code_set = match transmission {
        // Code sets that vendors registered, by the encoding that each is.
        id::HP_BIG5 => ConvertedCodeSet::Big5,
        id::IBM_943 => ConvertedCodeSet::ShiftJis,
        _ => *ConvertedCodeSet::ALL
            .iter()
            .find(|code_set| converted_id(**code_set) == transmission)?,
    };
    Some(CharCodeSet::Converted(code_set))
}

/// The code set of strings that is called so: by [`name`], or by IANA, such as
/// `ISO-8859-1`, `windows-1252` or `Shift_JIS`. Only letters and digits count, and
/// not their case. Further ones than ISO 8859-1 and UTF-8 are there with the
/// feature `code-sets`.
pub fn char_code_set_named(text: &str) -> Option<CharCodeSet> {
    let all = [CharCodeSet::Iso8859_1, CharCodeSet::Utf8].into_iter();
    let is_called = |code_set: &CharCodeSet| {
        let id = char_code_set_id(*code_set);
        let iana = match id {
            id::ISO_646 => Some("US-ASCII"),
            id::IBM_866 => Some("IBM866"),
            _ => None,
        };
        let mut names = name(id).into_iter().chain(iana);
        names.any(|name| letters(name).eq(letters(text)))
    };
    #[cfg(feature = "code-sets")]
    let all = {
        let converted = ConvertedCodeSet::ALL.iter().copied();
        all.chain(converted.map(CharCodeSet::Converted))
    };
    { all }.find(is_called)
}

/// Returns the letters of a name in a form that its different spellings share.
fn letters(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase())
}

/// The id of a code set; of several that mean it, the one that peers use.
pub const fn char_code_set_id(code_set: CharCodeSet) -> u32 {
    match code_set {
        CharCodeSet::Utf8 => id::UTF_8,
        #[cfg(feature = "code-sets")]
        CharCodeSet::Converted(code_set) => converted_id(code_set),
        _ => id::ISO_8859_1,
    }
}

#[cfg(feature = "code-sets")]
const fn converted_id(code_set: ConvertedCodeSet) -> u32 {
    match code_set {
        ConvertedCodeSet::Ascii => id::ISO_646,
        ConvertedCodeSet::Iso8859_2 => id::ISO_8859_1 + 1,
        ConvertedCodeSet::Iso8859_3 => id::ISO_8859_1 + 2,
        ConvertedCodeSet::Iso8859_4 => id::ISO_8859_1 + 3,
        ConvertedCodeSet::Iso8859_5 => id::ISO_8859_1 + 4,
        ConvertedCodeSet::Iso8859_6 => id::ISO_8859_1 + 5,
        ConvertedCodeSet::Iso8859_7 => id::ISO_8859_1 + 6,
        ConvertedCodeSet::Iso8859_8 => id::ISO_8859_1 + 7,
        ConvertedCodeSet::Iso8859_9 => id::ISO_8859_1 + 8,
        ConvertedCodeSet::Iso8859_10 => id::ISO_8859_1 + 9,
        ConvertedCodeSet::Iso8859_15 => id::ISO_8859_15,
        ConvertedCodeSet::Tis620 => id::TIS_620,
        ConvertedCodeSet::Windows1250 => id::WINDOWS_1250,
        ConvertedCodeSet::Windows1251 => id::WINDOWS_1250 + 1,
        ConvertedCodeSet::Windows1252 => id::WINDOWS_1250 + 2,
        ConvertedCodeSet::Windows1253 => id::WINDOWS_1250 + 3,
        ConvertedCodeSet::Windows1254 => id::WINDOWS_1250 + 4,
        ConvertedCodeSet::Windows1255 => id::WINDOWS_1250 + 5,
        ConvertedCodeSet::Windows1256 => id::WINDOWS_1250 + 6,
        ConvertedCodeSet::Windows1257 => id::WINDOWS_1250 + 7,
        ConvertedCodeSet::Ibm866 => id::IBM_866,
        ConvertedCodeSet::EucJp => id::EUC_JP,
        ConvertedCodeSet::ShiftJis => id::SJIS,
        ConvertedCodeSet::EucKr => id::EUC_KR,
        ConvertedCodeSet::Big5 => id::BIG5,
        ConvertedCodeSet::Gbk => id::GBK,
        // All that there are have an id, which a test sees to.
        _ => 0,
    }
}

/// The character sets that a code set contains, by their numbers in the OSF
/// registry: two code sets are compatible when they share one.
pub(super) const fn character_sets(code_set: u32) -> &'static [u16] {
    match code_set {
        0x0001_0001 => &[0x0011],
        0x0001_0002 => &[0x0012],
        0x0001_0003 => &[0x0013],
        0x0001_0004 => &[0x0014],
        0x0001_0005 => &[0x0015],
        0x0001_0006 => &[0x0016],
        0x0001_0007 => &[0x0017],
        0x0001_0008 => &[0x0018],
        0x0001_0009 => &[0x0019],
        0x0001_000a => &[0x001a],
        id::ISO_646 => &[0x0001],
        0x0001_0100..=0x0001_0109 | id::UTF_8 => &[0x1000],
        id::EUC_JP => &[0x0011, 0x0080, 0x0081, 0x0082],
        id::EUC_KR => &[0x0011, 0x0100],
        id::SJIS => &[0x0001, 0x0080, 0x0081],
        id::IBM_943 => &[0x0080, 0x0081],
        id::IBM_866 => &[0x0015],
        id::TIS_620 => &[0x0200],
        id::HP_BIG5 | id::BIG5 => &[0x0001, 0x0180],
        id::ISO_8859_15 | id::EBCDIC_037 | id::EBCDIC_500 => &[0x0011],
        _ => &[],
    }
}

/// CODESET_INCOMPATIBLE with this minor code of the OMG's.
pub(super) const fn incompatible(code: u32) -> SystemException {
    SystemException::new(
        SystemExceptionKind::CodesetIncompatible,
        minor::omg(code),
        CompletionStatus::No,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_iana_are_known() {
        for (name, code_set) in [
            ("ISO-8859-1", Some(CharCodeSet::Iso8859_1)),
            ("iso8859-1", Some(CharCodeSet::Iso8859_1)),
            ("UTF-8", Some(CharCodeSet::Utf8)),
            ("UTF-80", None),
            ("UTF-16", None),
            ("", None),
        ] {
            assert_eq!(char_code_set_named(name), code_set, "{name}");
        }
        for name in [
            "US-ASCII",
            "IBM866",
            "Shift_JIS",
            "windows-1252",
            "ISO-8859-15",
        ] {
            let is_known = char_code_set_named(name).is_some();
            assert_eq!(is_known, cfg!(feature = "code-sets"), "{name}");
        }
    }

    #[cfg(feature = "code-sets")]
    #[test]
    fn every_code_set_has_an_id_and_a_name_and_is_found_by_its_id() {
        for code_set in ConvertedCodeSet::ALL {
            let code_set = CharCodeSet::Converted(*code_set);
            let id = char_code_set_id(code_set);
            assert_eq!(char_code_set(id), Ok(code_set));
            assert_eq!(char_code_set_named(name(id).unwrap()), Some(code_set));
        }
        for (id, code_set) in [
            (id::HP_BIG5, ConvertedCodeSet::Big5),
            (id::IBM_943, ConvertedCodeSet::ShiftJis),
        ] {
            assert_eq!(char_code_set(id), Ok(CharCodeSet::Converted(code_set)));
        }
    }
}
