//! Faults of bytes that are decoded, or of values that are encoded.

use core::fmt;

use crate::NoWideCodeSet;

/// The result of encoding or decoding.
pub type Result<T> = core::result::Result<T, Error>;

/// A fault, and where it lies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
}

/// The kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The data ends before the value does.
    Truncated {
        /// Octets that the value still needs.
        needed: usize,
        /// Octets that are left.
        remaining: usize,
    },
    /// A count or length promises more than the octets that remain can hold.
    LengthBeyondMessage {
        /// The promised length.
        length: u32,
    },
    /// A bounded string or sequence is longer than its bound.
    BoundExceeded {
        /// The length found.
        length: usize,
        /// The bound that its type declares.
        bound: usize,
    },
    /// A string, sequence or encapsulation is too long for a 32-bit length.
    TooLong,
    /// A boolean is neither 0 nor 1.
    InvalidBoolean(u8),
    /// An enum's ordinal has no enumerator.
    InvalidEnum {
        /// The ordinal found.
        ordinal: u32,
        /// The number of enumerators.
        count: u32,
    },
    /// A string does not end in a NUL octet.
    UnterminatedString,
    /// A string has a NUL octet before its end.
    NulInString,
    /// A string is not well-formed in the transmission code set.
    MalformedString,
    /// A character does not exist in the transmission code set.
    Unrepresentable {
        /// The character.
        character: char,
        /// How many characters of the string come before it.
        index: usize,
    },
    /// GIOP 1.0 has no wide characters.
    WideForbidden,
    /// The two sides have agreed on no code set for wide characters.
    NoWideCodeSet(NoWideCodeSet),
    /// Values are nested more deeply than the limit allows.
    NestedTooDeeply {
        /// The limit in force.
        limit: u16,
    },
    /// The values would take more memory than the limit allows.
    TooMuchMemory {
        /// Octets that the next of them needs.
        octets: usize,
    },
    /// A reference needs an ORB to belong to, and the decoder has none.
    NoContext,
    /// A value is of a type that is not known here, nor is a base that it may
    /// be truncated to. The offset is that of its repository id.
    UnknownValueType,
    /// A value is met inside itself, and that is not allowed.
    CyclicValue,
    /// A value breaks a rule of its type; the text says which.
    Invalid(&'static str),
}

impl Error {
    /// A fault of this kind at this offset.
    #[cold]
    pub const fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// Returns the kind of fault.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where: octets from the start of the message or encapsulation.
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at octet {}", self.kind, self.offset)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, remaining } => {
                write!(
                    f,
                    "the data ends early: {needed} octets needed, {remaining} left"
                )
            }
            Self::LengthBeyondMessage { length } => {
                write!(
                    f,
                    "a length of {length} is more than the rest of the data can hold"
                )
            }
            Self::BoundExceeded { length, bound } => {
                write!(f, "a length of {length} exceeds the bound of {bound}")
            }
            Self::TooLong => f.write_str("a length does not fit in 32 bits"),
            Self::InvalidBoolean(octet) => write!(f, "{octet} is not a boolean (0 or 1)"),
            Self::InvalidEnum { ordinal, count } => {
                write!(
                    f,
                    "the enum has {count} enumerators, none with ordinal {ordinal}"
                )
            }
            Self::UnterminatedString => f.write_str("a string does not end in NUL"),
            Self::NulInString => f.write_str("a string contains NUL"),
            Self::MalformedString => {
                f.write_str("a string is malformed in the transmission code set")
            }
            Self::Unrepresentable { character, index } => write!(
                f,
                "{character:?}, character {index} of a string counted from 0, does not exist in \
                 the transmission code set"
            ),
            Self::WideForbidden => f.write_str("GIOP 1.0 has no wide characters"),
            Self::NoWideCodeSet(why) => f.write_str(match why {
                NoWideCodeSet::NotOffered => {
                    "the reference names no code sets, so that wide characters cannot be sent; \
                     the setting `assume_utf16` is for peers that have UTF-16 nevertheless"
                }
                NoWideCodeSet::NotSupported => {
                    "the reference names no code set for wide characters that is known here"
                }
                NoWideCodeSet::NotAnnounced => {
                    "the client has announced no code set for wide characters; the setting \
                     `assume_utf16` is for clients that send UTF-16 nevertheless"
                }
            }),
            Self::NestedTooDeeply { limit } => {
                write!(f, "values are nested more than {limit} levels deep")
            }
            Self::TooMuchMemory { octets } => write!(
                f,
                "the values take more memory than the setting `memory` allows for data of this \
                 length: {octets} octets more are needed"
            ),
            Self::NoContext => f.write_str("a reference was found where no ORB can own it"),
            Self::UnknownValueType => f.write_str(
                "no value type has the repository id that stands here; \
                 `taut::value::register` makes one known",
            ),
            Self::CyclicValue => f.write_str(
                "a value contains itself, which the setting `cyclic_values` does not allow",
            ),
            Self::Invalid(rule) => f.write_str(rule),
        }
    }
}

impl core::error::Error for Error {}
