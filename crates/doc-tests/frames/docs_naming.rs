// page: use taut::{ObjectRef, Orb};

use taut::{Poa, Reference};

fn serve(orb: Orb, poa: &Poa, branch: &impl Reference) -> crate::support::Outcome {
    // page: poa.manager().activate()?;
    Ok(())
}
