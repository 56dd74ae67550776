taut::include_idl!("counting");

use std::collections::HashMap;

use counting::{Whereabouts, WhereaboutsRef};
use taut::{Address, IdAssignmentPolicy, LifespanPolicy, Orb, PersistentKey, Poa};

use crate::support::Outcome;

fn persistent(root: &Poa) -> Outcome {
    // page: let policies = [
    Ok(())
}

struct Places(HashMap<String, Address>);

impl Places {
    fn find(&self, server_id: &str) -> Option<Address> {
        self.0.get(server_id).cloned()
    }
}

fn forward(orb: &Orb, places: Places) {
    // page: let its_orb = orb.clone();
}

fn tell(orb: &Orb) -> Outcome {
    // page: let whereabouts = orb.resolve_initial_references("Whereabouts")?;
    Ok(())
}

#[test]
fn a_poa_is_persistent() -> Outcome {
    let orb = crate::support::orb();
    persistent(&orb.root_poa()?)
}
