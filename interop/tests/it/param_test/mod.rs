//! `Param_Test` between Taut and Taut, and between Taut and omniORB both ways,
//! in every version of GIOP, marshaled by code and by table; between Taut and Taut also in
//! GIOPlite.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

mod other_protocol;

macro_rules! strategy {
    () => {
        use taut_interop::param_test::{
            ParamTestRef, check_object, check_operations, check_shutdown, compare_with_known_gaps,
            serve, serve_callback,
        };
    };
}
#[path = "suite.rs"]
mod compiled;

macro_rules! strategy {
    () => {
        use taut_interop::param_test_interpretive::{
            ParamTestRef, check_object, check_operations, check_shutdown, compare_with_known_gaps,
            serve, serve_callback,
        };
    };
}
#[expect(
    clippy::duplicate_mod,
    reason = "the same suite for the other strategy"
)]
#[path = "suite.rs"]
mod interpretive;
