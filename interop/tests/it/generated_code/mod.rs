//! The code generator's snapshots, compiled against the ORB and run: every
//! parameter type in every mode, over a connection, marshaled by code and by table.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(
    clippy::duplicate_mod,
    reason = "the same suite for either marshaling strategy"
)]

macro_rules! generated {
    () => {
        use crate::generated::compiled::*;
    };
}
#[path = "suite.rs"]
mod compiled;

macro_rules! generated {
    () => {
        use crate::generated::interpretive::*;
    };
}
#[path = "suite.rs"]
mod interpretive;
