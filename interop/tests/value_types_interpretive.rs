//! The tests of `value_types`, with the same IDL marshaled by table.

#![allow(clippy::unwrap_used, reason = "a test may fail by a panic")]

mod generated {
    taut::include_idl!("value_types_more_interpretive");
}

include!("value_types/suite.rs");
