taut::include_idl!("demo");

use std::time::Duration;

use demo::{Shape, ShapeRef, ShapeSkeleton};
use taut::{CallContext, Orb, RequestContext};

use crate::support::{Outcome, orb};

/// Ids that both sides have agreed on.
const TRACE: u32 = 0x4d59_0001;
const TENANT: u32 = 0x4d59_0002;

/// A servant that tells which trace it was called for.
struct Traced;

// page: impl Shape for Traced {

fn traced() -> Result<(Orb, ShapeRef), Box<dyn std::error::Error>> {
    let orb = orb();
    let root = orb.root_poa()?;
    let shape = root.activate(ShapeSkeleton::new(Traced))?;
    root.manager().activate()?;
    Ok((orb, shape))
}

#[test]
fn a_context_for_a_part_of_a_program() -> Outcome {
    let (_orb, shape) = traced()?;
    // page: const TRACE: u32 = 0x4d59_0001; // an id that both sides have agreed on
    assert_eq!(name, "disc");
    assert_eq!(spent, Some(b"4f1c".to_vec()));
    Ok(())
}

#[test]
fn a_context_that_is_extended() -> Outcome {
    let (_orb, shape) = traced()?;
    let outer = CallContext::new().with_service_context(TRACE, "outer");
    outer.within(|| -> Outcome {
        // page: let context = CallContext::of_thread().unwrap_or_default();
        let trace = context.reply_service_context(TRACE);
        assert_eq!(trace, Some(b"outer".to_vec()));
        Ok(())
    })
}
