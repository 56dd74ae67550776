use taut::{Orb, Reference};

use crate::support::Outcome;

// It listens at a port that may not be free.
fn published() -> Outcome {
    // page: let orb = Orb::builder().listen("*:2809/publish=orb.example.com:2809")?.build()?;
    Ok(())
}

fn plain_key(orb: &Orb, branch: &impl Reference) {
    // page: orb.bind_object_key("Bank", branch.as_object());
}
