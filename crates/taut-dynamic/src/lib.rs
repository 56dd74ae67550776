//! Calls and servants without generated code.
//!
//! - [`Request`] calls an operation whose [`Signature`] is known only while the program runs
//!   (CORBA 3.3 part 1, chapter 11: the dynamic invocation interface). It can be invoked again
//!   with other values.
//! - [`DynamicServant`] receives any operation (chapter 12: the dynamic skeleton interface).
//! - [`dyn_any`] walks through values part by part (chapter 13); [`Described`] finds parts by name.
//! - [`Interfaces`] has the signatures of IDL that is read at run time;
//!   [`InterfaceDescription::of_object`] asks the object's server for them instead.
//!
//! Values are [`Value`]s. Requests have the octets of generated stubs, and go through policies
//! and interceptors as theirs do.

mod deferred;
mod error;
mod interfaces;
mod repository;
mod request;
mod request_set;
mod servant;
mod signature;

pub use error::{RaisedValue, RequestError};
pub use interfaces::{InterfaceDescription, Interfaces};
pub use repository::RepositoryError;
pub use request::Request;
pub use request_set::RequestSet;
pub use servant::{DynamicImplementation, DynamicRequest, DynamicServant};
pub use signature::{Mode, Parameter, Signature};
pub use taut_types::dyn_any;
pub use taut_types::dynamic::{Described, Elements, Mismatch, State, UnionValue, Value};

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
