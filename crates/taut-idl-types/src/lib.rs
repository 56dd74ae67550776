//! The TypeCodes of an IDL model, made while a program runs.
//!
//! Generated code brings its TypeCodes along. A program that learns of IDL only at run
//! time, to explain traffic or to call dynamically, has them made here, of the model that
//! [`taut_idl`] makes of the source; they are equivalent to those.
//!
//! ```
//! # use std::path::{Path, PathBuf};
//! # struct Source;
//! # impl taut_idl::FileLoader for Source {
//! #     fn load(&mut self, _: &Path, _: usize) -> std::io::Result<Vec<u8>> {
//! #         Ok(b"struct Point { long x; long y; };".to_vec())
//! #     }
//! # }
//! use taut_idl_types::TypeCodes;
//!
//! let compilation = taut_idl::compile_with(&["point.idl"], &Default::default(), &mut Source);
//! let point = compilation.model.find(&["Point"]).unwrap();
//! let mut type_codes = TypeCodes::new(&compilation.model);
//! let type_code = type_codes.of_definition(point).unwrap();
//! assert_eq!(type_code.to_string(), "struct Point { long x; long y; }");
//! ```

mod operations;
mod type_codes;

pub use operations::CalledOperation;
pub use type_codes::{TypeCodeFault, TypeCodes};

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
