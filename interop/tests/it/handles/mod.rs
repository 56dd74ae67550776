//! Calls that name object and operation by one handle, between two of Taut, in every
//! strategy by which skeletons find operations; what forged handles come to, and what
//! other ORBs make of references with handles.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic")]

mod forged;
#[path = "peers.rs"]
mod other_orbs;
mod tap;

use taut::ObjectRef;
use taut_giop::component::tag;
use taut_giop::operation_handle::OperationHandles;

/// Returns the handles that a reference offers.
fn handles_of(object: &ObjectRef) -> Option<OperationHandles> {
    let profile = tap::iiop(object.ior());
    let component = profile.component(tag::OPERATION_HANDLES)?;
    OperationHandles::from_component(component).unwrap()
}

macro_rules! generated {
    () => {
        taut::include_idl!("handle_test_perfect_hash");
    };
}
#[path = "suite.rs"]
mod perfect_hash;

macro_rules! generated {
    () => {
        taut::include_idl!("handle_test_binary_search");
    };
}
#[expect(clippy::duplicate_mod, reason = "the same suite for another strategy")]
#[path = "suite.rs"]
mod binary_search;

macro_rules! generated {
    () => {
        taut::include_idl!("handle_test_dynamic_hash");
    };
}
#[expect(clippy::duplicate_mod, reason = "the same suite for another strategy")]
#[path = "suite.rs"]
mod dynamic_hash;

macro_rules! generated {
    () => {
        taut::include_idl!("handle_test_linear");
    };
}
#[expect(clippy::duplicate_mod, reason = "the same suite for another strategy")]
#[path = "suite.rs"]
mod linear;
