//! Values of IDL types as JSON and back.

#![allow(clippy::unwrap_used)]

mod forms;
mod misfits;
mod random;
mod values;

use taut_types::{TCKind, TypeCode};

/// The TypeCode of a kind without parameters.
fn primitive(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap()
}

/// A sequence without a bound.
fn sequence(element: &TypeCode) -> TypeCode {
    TypeCode::create_sequence(element, 0).unwrap()
}
