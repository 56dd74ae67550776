//! Compiles OMG IDL to Rust, from a build script.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), taut_build::Error> {
//!     taut_build::compile(&["idl/demo.idl"])
//! }
//! ```
//!
//! One call makes one Rust file of everything that the IDL files define and
//! include; the program has it with `taut::include_idl!("demo");`. [`Config`]
//! has the settings: include directories, macros, names, and which modules
//! other crates already have. The project's mapping guide, `docs/mapping.md`, tells which
//! Rust comes of which IDL.
//!
//! Behind it is [`generate`], which knows nothing of files: it makes the text
//! of a Rust file from a [`taut_idl::Model`]. The same model and options give
//! the same text, octet for octet.
//!
//! # What it is not
//!
//! It does not parse IDL, which is the work of [`taut_idl`], and knows nothing
//! of transports or messages; the generated code refers to one module,
//! `taut::codegen`, for everything that happens at run time.

#![recursion_limit = "512"]

mod ami;
mod bits;
mod code;
mod config;
mod docs;
mod emit;
mod error;
mod fault;
mod generate;
mod imports;
mod keywords;
mod method;
mod names;
mod options;
mod print;
#[cfg(feature = "scheduling")]
mod schedule;
#[cfg(not(feature = "scheduling"))]
#[path = "schedule_absent.rs"]
mod schedule;
mod scope;
mod selection;
mod standard;
mod strategies;
mod strategy;
mod support;
mod types;
mod values;
mod warning;

pub use config::{Config, compile};
pub use error::Error;
pub use fault::{GenerateError, GenerateErrorKind};
pub use generate::{generate, generate_with_warnings};
pub use options::GenerateOptions;
#[cfg(feature = "scheduling")]
pub use schedule::{ScheduleSource, describe_operations};
pub use strategy::{Answering, Dispatch, Marshaling, UnknownStrategy};
pub use warning::{GenerateWarning, GenerateWarningKind, warnings, with_levels};

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
