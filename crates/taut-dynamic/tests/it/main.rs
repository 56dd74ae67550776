//! Calls and servants without generated code.

#![allow(clippy::unwrap_used)]

mod allocations;
mod calculator;
mod deferred;
mod interfaces;
mod requests;
mod servants;

use taut_types::{TCKind, TypeCode};

/// The TypeCode of a kind without parameters.
fn primitive(kind: TCKind) -> TypeCode {
    TypeCode::primitive(kind).unwrap()
}
