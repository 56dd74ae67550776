//! Why TypeCodes cannot be created.

use std::fmt;

/// Why a TypeCode cannot be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CreateError {
    /// A name is no IDL identifier (BAD_PARAM, OMG minor 15).
    InvalidName,
    /// A repository id is empty or has no format (BAD_PARAM, OMG minor 16).
    InvalidId,
    /// Two members have the same name (BAD_PARAM, OMG minor 17).
    DuplicateMember,
    /// Two members of a union have the same label (BAD_PARAM, OMG minor 18).
    DuplicateLabel,
    /// A label is no value of the discriminator's type (BAD_PARAM, OMG minor 19).
    InvalidLabel,
    /// The type cannot be a discriminator's (BAD_PARAM, OMG minor 20).
    InvalidDiscriminator,
    /// The type cannot be a member's or an element's (BAD_TYPECODE, OMG minor 2).
    InvalidMemberType,
    /// A `fixed` with no digits, more than 31, or more behind the point than in
    /// all (BAD_PARAM).
    InvalidFixed,
    /// An array has no elements (BAD_PARAM).
    EmptyArray,
    /// A type contains itself other than through a sequence or a value
    /// (BAD_TYPECODE, OMG minor 3).
    Recursion,
    /// The type is larger or nests more deeply than [`TypeCodeLimits`](crate::TypeCodeLimits) allow
    /// (IMP_LIMIT).
    TooLarge,
}

impl fmt::Display for CreateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidName => "a name is no IDL identifier",
            Self::InvalidId => "a repository id has no format",
            Self::DuplicateMember => "two members have the same name",
            Self::DuplicateLabel => "two members of a union have the same label",
            Self::InvalidLabel => "a label is no value of the discriminator's type",
            Self::InvalidDiscriminator => "the type cannot be a discriminator's",
            Self::InvalidMemberType => "the type cannot stand here",
            Self::InvalidFixed => "a fixed has 1 to 31 digits, and no more behind the point",
            Self::EmptyArray => "an array has at least one element",
            Self::Recursion => "a type contains itself other than through a sequence or value",
            Self::TooLarge => "the type is larger, or nests more deeply, than the limits allow",
        })
    }
}

impl std::error::Error for CreateError {}
