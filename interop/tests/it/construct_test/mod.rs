//! `Construct_Test` between Taut and Taut, and between Taut and omniORB both
//! ways, in every version of GIOP, with Taut speaking in either byte order,
//! marshaled by code and by table.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

macro_rules! strategy {
    () => {
        use taut_interop::construct_test::{
            ConstructTestRef, check_constructs, compare_constructs_with_known_gaps,
            serve_constructs,
        };
    };
}
#[path = "suite.rs"]
mod compiled;

macro_rules! strategy {
    () => {
        use taut_interop::construct_test_interpretive::{
            ConstructTestRef, check_constructs, compare_constructs_with_known_gaps,
            serve_constructs,
        };
    };
}
#[expect(
    clippy::duplicate_mod,
    reason = "the same suite for the other strategy"
)]
#[path = "suite.rs"]
mod interpretive;
