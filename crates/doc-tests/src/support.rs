//! The parts that several frames share.

use std::error::Error;

use taut::{Orb, Poa, Policy};

/// The result of an example.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// Makes an ORB that listens on the loopback address, at a free port.
pub(crate) fn orb() -> Orb {
    let builder = Orb::builder().listen("127.0.0.1:0").unwrap();
    builder.build().unwrap()
}

/// Makes a child of the root POA with these policies, and activates its manager.
pub(crate) fn create(orb: &Orb, name: &str, policies: &[Policy]) -> Result<Poa, Box<dyn Error>> {
    let root = orb.root_poa()?;
    root.manager().activate()?;
    Ok(root.create_poa(name, Some(root.manager()), policies)?)
}
