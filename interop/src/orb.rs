//! Taut's side of a test.

use taut::{Orb, Settings};

use crate::{HarnessError, over_the_wire};

/// An ORB that listens on the loopback, and whose calls are messages also to objects
/// of this process.
///
/// # Errors
///
/// [`HarnessError::Orb`] when it cannot be had.
pub fn loopback_orb(adjust: impl FnOnce(&mut Settings)) -> Result<Orb, HarnessError> {
    let builder = over_the_wire().listen("127.0.0.1:0");
    let builder = builder.map_err(HarnessError::orb)?.settings(adjust);
    builder.build().map_err(HarnessError::orb)
}
