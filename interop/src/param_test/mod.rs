//! The interface that both sides of a test agree on, `idl/param_test.idl`: its
//! servant and its checks in Rust.
//!
//! A reference implements the same trait as the servant, so
//! [`check_operations`] runs against either, and against anything else that
//! speaks for an object.

mod checks;
mod later;
mod operations;
mod servant;
mod values;

generated!();

pub use checks::{check_object, check_operations, check_shutdown, compare_with_known_gaps};
pub use interop::{
    Callback, CallbackRef, CallbackSkeleton, ParamTest, ParamTestRef, ParamTestSkeleton, param_test,
};
pub use later::{LaterParamTestServant, serve_later};
pub use servant::{CallbackServant, ParamTestServant, serve, serve_callback};
pub use values::Value;

pub(crate) use operations::for_each_value_operation;
