//! The tests of `generated_code`, with the same IDL marshaled by table.

#![allow(
    clippy::module_inception,
    reason = "each snapshot is in a module of its name and may define one"
)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

include!("../generated_code/suite.rs");
