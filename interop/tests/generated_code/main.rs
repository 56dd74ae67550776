//! The code generator's snapshots, compiled against the ORB and run: every
//! parameter type in every mode, over a connection.
//!
//! These are the snapshots themselves; the test `generated_code_interpretive` does
//! the same with the same IDL marshaled by table.

#![allow(
    clippy::module_inception,
    reason = "each snapshot is in a module of its name and may define one"
)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

include!("suite.rs");
