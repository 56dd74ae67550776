//! Contexts: the properties of a caller, between Taut and omniORB, marshaled by
//! code and by table.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

macro_rules! generated {
    () => {
        taut::include_idl!("context_test");
    };
}
#[path = "suite.rs"]
mod compiled;

macro_rules! generated {
    () => {
        taut::include_idl!("context_test_interpretive");
    };
}
#[expect(
    clippy::duplicate_mod,
    reason = "the same suite for the other strategy"
)]
#[path = "suite.rs"]
mod interpretive;
