//! IDL that nobody here wrote: fetched, checked, made Rust, compiled, and
//! compared with what omniidl understands.
//!
//! - [`packages`] says which packages carry IDL, [`fetch()`] gets them into
//!   `target/corpus`.
//! - [`examine()`] checks a file, makes Rust of it, and compares the
//!   [`outline`] of its model with omniidl's.
//! - [`compile()`] compiles the Rust of all files as one crate.
//! - [`page`] writes `docs/corpus.md`; [`KnownGaps`] is what is known to fail.
//!
//! Not its business: small cases with expected models and diagnostics, which
//! are data of `taut-idl`'s and `taut-build`'s tests.

mod compile;
mod error;
mod examine;
mod fetch;
mod known_gaps;
mod omniidl;
pub mod outline;
pub mod packages;
pub mod page;

pub use compile::compile;
pub use error::CorpusError;
pub use examine::{Finding, Places, Stage, examine, rust};
pub use fetch::{fetch, version};
pub use known_gaps::KnownGaps;
