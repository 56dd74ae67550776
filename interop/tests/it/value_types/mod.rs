//! Value types between Taut and omniORB, both ways, and between Taut and Taut, in
//! every version of GIOP, with Taut speaking in either byte order, marshaled by code and by
//! table. The two strategies have a process each, for a program has one table of value
//! types by repository id.

#![allow(clippy::unwrap_used, reason = "a test may fail by a panic")]

macro_rules! generated {
    () => {
        taut::include_idl!("value_types_more");
    };
}
#[path = "suite.rs"]
mod compiled;

macro_rules! generated {
    () => {
        taut::include_idl!("value_types_more_interpretive");
    };
}
#[expect(
    clippy::duplicate_mod,
    reason = "the same suite for the other strategy"
)]
#[path = "suite.rs"]
mod interpretive;
