//! How the operations of DynAnys and of their factory fail.

use std::error::Error;
use std::fmt;

use crate::TypeCode;
use crate::dynamic::{Fault, Mismatch};

/// Why an operation of a DynAny has no result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DynAnyError {
    /// The operation does not go with the type (the standard's `DynAny::TypeMismatch`); the text
    /// tells which types.
    TypeMismatch(String),
    /// The value, or the current position, is not one that the operation can use (the standard's
    /// `DynAny::InvalidValue`); the text tells why.
    InvalidValue(String),
    /// The parts of the value would take more memory than the factory's limit
    /// ([`DynAnyFactory::with_memory`](super::DynAnyFactory::with_memory)).
    Limit(Mismatch),
}

/// Why a factory makes no DynAny.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FactoryError {
    /// No value has the type (the standard's `DynAnyFactory::InconsistentTypeCode`): it is that
    /// of a native type or a local interface, or a recursive one that is not complete.
    InconsistentTypeCode(String),
    /// The Any holds a value of a value type that is not known here, and members would be lost
    /// (the standard's `MustTruncate`).
    MustTruncate,
    /// The Any holds octets that are no value of its type.
    Malformed(Mismatch),
    /// The parts of the value would take more memory than the limit.
    Limit(Mismatch),
}

impl DynAnyError {
    pub(super) fn type_mismatch(expected: &TypeCode, found: impl fmt::Display) -> Self {
        let expected = expected.declared();
        Self::TypeMismatch(format!("expected {expected}, found {found}"))
    }

    pub(super) fn invalid(why: impl Into<String>) -> Self {
        Self::InvalidValue(why.into())
    }
}

fn is_limit(mismatch: &Mismatch) -> bool {
    match mismatch.fault() {
        Fault::Memory { .. } => true,
        Fault::Cdr(error) => matches!(error.kind(), taut_cdr::ErrorKind::TooMuchMemory { .. }),
        _ => false,
    }
}

impl From<Mismatch> for DynAnyError {
    fn from(mismatch: Mismatch) -> Self {
        match is_limit(&mismatch) {
            true => Self::Limit(mismatch),
            false => Self::InvalidValue(mismatch.to_string()),
        }
    }
}

impl From<Mismatch> for FactoryError {
    fn from(mismatch: Mismatch) -> Self {
        match is_limit(&mismatch) {
            true => Self::Limit(mismatch),
            false => Self::Malformed(mismatch),
        }
    }
}

impl fmt::Display for DynAnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TypeMismatch(text) => write!(f, "TypeMismatch: {text}"),
            Self::InvalidValue(text) => write!(f, "InvalidValue: {text}"),
            Self::Limit(mismatch) => mismatch.fmt(f),
        }
    }
}

impl fmt::Display for FactoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InconsistentTypeCode(text) => write!(f, "InconsistentTypeCode: {text}"),
            Self::MustTruncate => f.write_str(
                "MustTruncate: the any holds a value of a derived type that is not registered",
            ),
            Self::Malformed(mismatch) | Self::Limit(mismatch) => mismatch.fmt(f),
        }
    }
}

impl Error for DynAnyError {}

impl Error for FactoryError {}
