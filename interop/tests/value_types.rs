//! Value types between Taut and omniORB, both ways, and between Taut and Taut, in
//! every version of GIOP, with Taut speaking in either byte order.

#![allow(clippy::unwrap_used, reason = "a test may fail by a panic")]

mod generated {
    taut::include_idl!("value_types_more");
}

include!("value_types/suite.rs");
