//! The servant without a skeleton.

use std::collections::HashMap;

use taut::{Interface, ObjectRef, Orb, OrbBuilder, SystemException};
use taut_dynamic::{DynamicImplementation, DynamicRequest, DynamicServant, Signature, Value};

use super::operation::{self, Operation};
use super::row;
use crate::error::BenchError;
use crate::taut::{LOOPBACK, serve_until_end_of_input};

/// Carries out the operations of all rows.
struct Target(HashMap<String, Signature>);

impl DynamicImplementation for Target {
    fn primary_interface(&self) -> &'static Interface {
        let (target, cubit) = (
            "IDL:taut.test/table/Target:1.0",
            "IDL:taut.test/table/Cubit:1.0",
        );
        Interface::dynamic(target, &[cubit])
    }

    fn invoke(&self, request: &mut DynamicRequest<'_, '_>) -> Result<(), SystemException> {
        let Some(signature) = self.0.get(&*request.operation()) else {
            return Err(request.unknown_operation());
        };
        let arguments = request.arguments(signature)?;
        if !request.is_reply_expected() {
            return Ok(());
        }
        let result = match &arguments[..] {
            [value @ Value::Long(_)] => operation::cubed(value),
            _ => arguments.into_iter().next().unwrap_or(Value::Nothing),
        };
        request.set_result(signature, &result, &[])
    }
}

/// The server: prints its reference, then serves until standard input ends.
///
/// # Errors
///
/// [`BenchError::Orb`] when it cannot be set up.
pub(super) fn serve() -> Result<(), BenchError> {
    let (orb, object) = activate(LOOPBACK)?;
    serve_until_end_of_input(&orb, &object);
    Ok(())
}

/// An ORB with an active servant, and the reference to it.
pub(super) fn activate(endpoint: &str) -> Result<(Orb, ObjectRef), BenchError> {
    let mut signatures = HashMap::new();
    for row in row::all(1) {
        let operation = Operation::of(row.kind)?;
        let signature = operation.signature();
        signatures.insert(operation.name, signature);
    }
    let orb = Orb::builder()
        .listen(endpoint)
        .and_then(OrbBuilder::build)
        .map_err(BenchError::orb)?;
    let poa = orb.root_poa().map_err(BenchError::orb)?;
    let id = poa.activate_object(DynamicServant::new(Target(signatures)));
    let object = id.and_then(|id| poa.id_to_reference(&id));
    let object = object.map_err(BenchError::orb)?;
    poa.manager().activate().map_err(BenchError::orb)?;
    Ok((orb, object))
}
