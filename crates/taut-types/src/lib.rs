//! Types as values: what a program knows of IDL types while it runs.
//!
//! - [`TypeCode`] describes an IDL type (CORBA 3.3 part 1, 8.11; on the wire
//!   part 2, 9.3.5.1). Every kind of the standard is here, recursive types
//!   included.
//! - [`Any`] holds a value together with its TypeCode.
//! - [`engine`] walks values in CDR by their TypeCode: it skips them, or copies
//!   them from one message into another of a different byte order, alignment
//!   or code set. The facts about a type that it needs (size, runs of equal primitives) are
//!   computed once and kept with the TypeCode.
//! - [`dynamic`] has values as data, for programs that learn of their types while they run.
//! - [`dyn_any`] is the standard's DynAny.
//! - [`tree`] reads values by their TypeCode for those who show them.
//! - [`Typed`] says which TypeCode a Rust type has.
//!
//! Data of a peer are not trusted: nesting, the number of TypeCodes and of indirections
//! have limits ([`TypeCodeLimits`]), memory stays in proportion to what arrived, and
//! nothing panics.
//!
//! - [`value`] is the run-time side of value types: handles, and how they travel.
//!
//! Not here: sockets, and references to objects (the octets of an IOR are copied
//! as they are).

mod any;
mod display;
pub mod dyn_any;
pub mod dynamic;
pub mod engine;
mod graph;
mod kind;
mod layout;
mod limits;
mod node;
mod rows;
pub mod table;
pub mod tree;
mod type_code;
mod typed;
pub mod value;

pub use any::{Any, ExtractError};
pub use kind::TCKind;
pub use limits::TypeCodeLimits;
pub use type_code::{
    CreateError, DefaultLabel, MemberVisibility, TypeCode, TypeCodeError, UnionMember, ValueMember,
    ValueModifier,
};
pub use typed::Typed;

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
