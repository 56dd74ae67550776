//! The rest of IDL's constructs, `idl/construct_test.idl`: its servant and its
//! checks in Rust.

mod checks;
mod operations;
mod servant;
mod values;

generated!();

pub use checks::{check_constructs, compare_constructs_with_known_gaps};
pub use constructs::{ConstructTest, ConstructTestRef, ConstructTestSkeleton};
pub use servant::{ConstructTestServant, serve_constructs};

pub(crate) use operations::for_each_construct;
