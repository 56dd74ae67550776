//! Servants that do nothing, with few operations and with many.

use std::hint::black_box;

use idl::demux::{
    Hundred, HundredSkeleton, One, OneSkeleton, Ten, TenSkeleton, Thousand, ThousandSkeleton,
};
use taut::{ObjectId, Poa, PoaError};

/// The interfaces that the build script makes, with so many operations each.
mod idl {
    taut::include_idl!("operations");
}

/// The servant of all of them. It has a size, so that each has a place of its own.
struct Nothing(#[expect(dead_code, reason = "it is there to have a place")] u8);

// Each operation does something different, so that the compiler does not merge them.
include!(concat!(env!("OUT_DIR"), "/operations_servants.rs"));

/// A servant with one operation.
pub(crate) fn one() -> OneSkeleton<impl One> {
    OneSkeleton::new(Nothing(0))
}

/// Activates a servant with so many operations: 1, 10, 100 or else 1,000.
///
/// # Errors
///
/// Those of the POA.
pub(crate) fn activate(poa: &Poa, operations: usize) -> Result<ObjectId, PoaError> {
    match operations {
        1 => poa.activate_object(one()),
        10 => poa.activate_object(TenSkeleton::new(Nothing(0))),
        100 => poa.activate_object(HundredSkeleton::new(Nothing(0))),
        _ => poa.activate_object(ThousandSkeleton::new(Nothing(0))),
    }
}

/// The name of an operation by its number.
pub(crate) fn operation(number: usize) -> String {
    format!("operation_{number:03}")
}
