//! Taut's side of a test.

use std::io::{self, Read};
use std::thread;

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

/// Runs an ORB until the standard input of its process is closed.
pub fn run_until_input_ends(orb: &Orb) {
    let its_orb = orb.clone();
    thread::spawn(move || {
        // However the input ends, it is the end.
        let _ = io::stdin().read_to_end(&mut Vec::new());
        its_orb.shutdown(true)
    });
    orb.run();
}
