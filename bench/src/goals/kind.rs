//! The kinds of calls, and the words by which the driver tells clients of them.

use std::fmt;
use std::str::FromStr;

use crate::error::BenchError;

/// The characters of the string that is echoed.
pub(crate) const STRING_CHARACTERS: usize = 100;

/// The characters of each string in a sequence.
pub(super) const STRINGS_CHARACTERS: usize = 128;

/// The element type of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Octet,
    Char,
    Short,
    Long,
    Double,
    /// `BinStruct`: a short, a char, a long, an octet and a double.
    Struct,
}

impl Element {
    /// All, in the order in which people are shown them.
    pub(crate) const ALL: [Self; 6] = [
        Self::Octet,
        Self::Char,
        Self::Short,
        Self::Long,
        Self::Double,
        Self::Struct,
    ];

    /// Its name in IDL.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Octet => "octet",
            Self::Char => "char",
            Self::Short => "short",
            Self::Long => "long",
            Self::Double => "double",
            Self::Struct => "struct",
        }
    }

    /// Returns the name that a case with sequences of it has in records.
    pub(super) fn case(self) -> &'static str {
        match self {
            Self::Octet => "octet_seq",
            Self::Char => "char_seq",
            Self::Short => "short_seq",
            Self::Long => "long_seq",
            Self::Double => "double_seq",
            Self::Struct => "struct_seq",
        }
    }

    /// The octets of one in a sequence, padding included.
    fn octets(self) -> u32 {
        match self {
            Self::Octet | Self::Char => 1,
            Self::Short => 2,
            Self::Long => 4,
            Self::Double => 8,
            Self::Struct => 24,
        }
    }

    /// How many of them fill so many octets.
    pub(crate) fn count(self, octets: u32) -> usize {
        usize::try_from(octets / self.octets()).unwrap_or(usize::MAX)
    }
}

/// An operation of `IDL_Cubit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cube {
    Octet,
    Short,
    Long,
    Struct,
    Union,
    /// A sequence of so many longs.
    Longs(u32),
    /// A sequence of so many octets.
    Octets(u32),
}

/// The kind of a client's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No arguments, no result.
    Void,
    /// A user exception instead of a result.
    UserException,
    /// A sequence there and back.
    Echo { element: Element, octets: u32 },
    /// A string of [`STRING_CHARACTERS`] there and back.
    String,
    /// A sequence of so many strings of [`STRINGS_CHARACTERS`] there and back.
    Strings(u32),
    /// An object reference there and back.
    Reference,
    /// A struct in an any, there and back.
    Any,
    /// A struct with a string there and back.
    Struct,
    /// One-way calls with a sequence, and then one call that waits until all have
    /// arrived. Together they are one sample.
    Flood {
        element: Element,
        octets: u32,
        messages: u32,
    },
    /// A flood of sequences of octets whose one-way calls wait for nothing, so that they
    /// are sent together.
    Batched { octets: u32, messages: u32 },
    /// Numbers there, and their cubes back.
    Cube(Cube),
}

impl Kind {
    /// The octets of payload that a sample carries to the servant; none where the
    /// kind is not about payload.
    pub(crate) fn bytes(self) -> Option<u64> {
        let fill =
            |element: Element, octets: u32| u64::from(octets / element.octets() * element.octets());
        match self {
            Self::Echo { element, octets } => Some(fill(element, octets)),
            Self::Flood {
                element,
                octets,
                messages,
            } => Some(fill(element, octets) * u64::from(messages)),
            Self::Batched { octets, messages } => Some(u64::from(octets) * u64::from(messages)),
            Self::Cube(Cube::Longs(count)) => Some(4 * u64::from(count)),
            Self::Cube(Cube::Octets(count)) => Some(u64::from(count)),
            _ => None,
        }
    }

    /// Returns the kind that is compared with it where nothing is sent together: of bare
    /// sockets, and of ORBs that do not do so.
    pub(super) fn one_by_one(self) -> Self {
        match self {
            Self::Batched { octets, messages } => Self::Flood {
                element: Element::Octet,
                octets,
                messages,
            },
            kind => kind,
        }
    }

    /// Returns its name in records.
    pub(crate) fn case(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::UserException => "user_exception",
            Self::Echo { element, .. } | Self::Flood { element, .. } => element.case(),
            Self::Batched { .. } => "batched_octet_seq",
            Self::String => "string",
            Self::Strings(_) => "string_seq",
            Self::Reference => "object_reference",
            Self::Any => "any_struct",
            Self::Struct => "user_struct",
            Self::Cube(cube) => match cube {
                Cube::Octet => "cube_octet",
                Cube::Short => "cube_short",
                Cube::Long => "cube_long",
                Cube::Struct => "cube_struct",
                Cube::Union => "cube_union",
                Cube::Longs(_) => "cube_long_seq",
                Cube::Octets(_) => "cube_octet_seq",
            },
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Void => f.write_str("void"),
            Self::UserException => f.write_str("user_exception"),
            Self::Echo { element, octets } => write!(f, "echo {} {octets}", element.word()),
            Self::String => f.write_str("string"),
            Self::Strings(count) => write!(f, "strings {count}"),
            Self::Reference => f.write_str("reference"),
            Self::Any => f.write_str("any"),
            Self::Struct => f.write_str("struct"),
            Self::Flood {
                element,
                octets,
                messages,
            } => write!(f, "flood {} {octets} {messages}", element.word()),
            Self::Batched { octets, messages } => write!(f, "batched {octets} {messages}"),
            Self::Cube(cube) => match cube {
                Cube::Octet => f.write_str("cube octet"),
                Cube::Short => f.write_str("cube short"),
                Cube::Long => f.write_str("cube long"),
                Cube::Struct => f.write_str("cube struct"),
                Cube::Union => f.write_str("cube union"),
                Cube::Longs(count) => write!(f, "cube longs {count}"),
                Cube::Octets(count) => write!(f, "cube octets {count}"),
            },
        }
    }
}

impl FromStr for Kind {
    type Err = BenchError;

    fn from_str(text: &str) -> Result<Self, BenchError> {
        let wrong = || BenchError::request(text);
        let number = |word: &str| word.parse::<u32>().map_err(|_| wrong());
        let element = |word: &str| {
            let mut all = Element::ALL.into_iter();
            all.find(|element| element.word() == word).ok_or_else(wrong)
        };
        let words: Vec<_> = text.split(' ').collect();
        Ok(match words[..] {
            ["void"] => Self::Void,
            ["user_exception"] => Self::UserException,
            ["echo", word, octets] => Self::Echo {
                element: element(word)?,
                octets: number(octets)?,
            },
            ["string"] => Self::String,
            ["strings", count] => Self::Strings(number(count)?),
            ["reference"] => Self::Reference,
            ["any"] => Self::Any,
            ["struct"] => Self::Struct,
            ["flood", word, octets, messages] => Self::Flood {
                element: element(word)?,
                octets: number(octets)?,
                messages: number(messages)?,
            },
            ["batched", octets, messages] => Self::Batched {
                octets: number(octets)?,
                messages: number(messages)?,
            },
            ["cube", "octet"] => Self::Cube(Cube::Octet),
            ["cube", "short"] => Self::Cube(Cube::Short),
            ["cube", "long"] => Self::Cube(Cube::Long),
            ["cube", "struct"] => Self::Cube(Cube::Struct),
            ["cube", "union"] => Self::Cube(Cube::Union),
            ["cube", "longs", count] => Self::Cube(Cube::Longs(number(count)?)),
            ["cube", "octets", count] => Self::Cube(Cube::Octets(number(count)?)),
            _ => return Err(wrong()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::rows;

    #[test]
    fn kinds_are_read_as_they_are_written() {
        for row in rows::all(64 << 20) {
            let word = row.kind.to_string();
            assert_eq!(word.parse::<Kind>().unwrap(), row.kind, "{word}");
        }
        assert_eq!("strings 9".parse::<Kind>().unwrap(), Kind::Strings(9));
        for word in [
            "",
            "echo",
            "echo octet",
            "echo wchar 8",
            "echo octet -1",
            "cube",
            "void void",
        ] {
            assert!(word.parse::<Kind>().is_err(), "{word:?}");
        }
    }

    #[test]
    fn a_sequence_fills_its_octets_as_far_as_whole_elements_go() {
        assert_eq!(Element::Struct.count(65_536), 2_730);
        let structs = Kind::Echo {
            element: Element::Struct,
            octets: 65_536,
        };
        assert_eq!(structs.bytes(), Some(65_520));
        assert_eq!(Kind::Void.bytes(), None);
    }
}
