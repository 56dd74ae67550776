//! Marshal tables: how the values of a Rust type lie in memory and on the wire,
//! as data, and one engine that reads them.
//!
//! The other strategy is code for each type, which is what `Encode` and `Decode`
//! implementations are. A table takes a fraction of the room; both write the
//! same octets, accept the same octets and report the same faults.
//!
//! - [`Table<T>`] is the table of a type. A type that has one is [`Tabled`]; a
//!   wire form that a Rust type does not tell is [`TabledAs`]. A type without a table of
//!   its own (one that is marshaled by code, an `any`, a reference) is an entry that calls
//!   its code: [`Opaque`].
//! - [`structure!`](crate::table_structure) and
//!   [`enumeration!`](crate::table_enumeration) make the tables of generated
//!   types, and prove while they are compiled that these tell the truth.
//! - [`Operation`] is the table of an operation: its name, its parameters with
//!   their modes and tables, its exceptions. Stubs and skeletons hand it to the
//!   engine together with pointers to what lies in their frames; dynamic
//!   invocation can walk it.
//!
//! # Safety
//!
//! The engine reads and writes through pointers, as a table directs. This module
//! is therefore one of the places that may be `unsafe`; nothing of that shows:
//! a `Table<T>` can only be made so that it fits `T`, and code that holds one can
//! use it safely.

#![allow(unsafe_code)]

mod access;
mod arguments;
mod bulk;
mod columns;
mod decode;
mod description;
mod encode;
mod flat;
mod form;
mod frame;
mod leaf;
mod operation;
mod plain;
mod shape;
mod signature;
mod structure;

use std::mem::MaybeUninit;

use taut_cdr::{Decoder, Encoder, Result};

#[doc(hidden)]
pub mod code {
    //! The items that the macros refer to.
    pub use taut_cdr::codec::Plain;
    pub use taut_cdr::{Decode, Decoder, Encode, Encoder, Result};
}

pub use access::Elements;
pub use arguments::ArgumentFrame;
pub use description::{OperationDescription, Parameter, ParameterMode, Raised};
pub use form::{Opaque, OpaqueSlice, Tabled, TabledAs};
pub use frame::{AnswerFrame, CallFrame, Filled, ReceiveFrame};
pub use operation::Operation;
pub use shape::{Field, Shape, Structure, Table};
pub use signature::{Handle, InOut, Out, Primitives, Signature, Slice, Text, Value};
pub use structure::Fields;

/// Appends a value as its table says: what `Encode` does for a type that is
/// marshaled by table.
///
/// # Errors
///
/// Those of [`Encode::encode`](taut_cdr::Encode::encode).
#[inline]
pub fn encode<T: Tabled>(value: &T, out: &mut Encoder) -> Result<()> {
    // SAFETY: the pointer is to a value of `T`, whose table this is.
    unsafe { encode::encode(T::TABLE.shape(), std::ptr::from_ref(value).cast(), out) }
}

/// Reads a value as its table says: what `Decode` does for a type that is
/// marshaled by table.
///
/// # Errors
///
/// Those of [`Decode::decode`](taut_cdr::Decode::decode).
#[inline]
pub fn decode<T: Tabled>(input: &mut Decoder<'_>) -> Result<T> {
    let mut place = MaybeUninit::<T>::uninit();
    // SAFETY: the place is for a value of `T`, whose table this is.
    unsafe { decode::decode(T::TABLE.shape(), place.as_mut_ptr().cast(), input) }?;
    // SAFETY: decoding succeeded, and so there is a value of `T` in the place.
    Ok(unsafe { place.assume_init() })
}
