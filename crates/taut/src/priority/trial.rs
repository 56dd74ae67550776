//! The trial whether the system allows native priorities.

use std::io;
use std::sync::mpsc;

use taut_sys::priority::{self as system, Scheduling};

use crate::threads;

/// Tries whether threads may have this priority and be given back their own.
///
/// A thread of its own tries it, which ends then: without the right, a thread that has made its
/// own nice value larger cannot take that back.
///
/// # Errors
///
/// The system's refusal.
pub(super) fn of(scheduling: Scheduling) -> io::Result<()> {
    let (told, outcome) = mpsc::channel();
    let trial = threads::spawn("taut trial", move || {
        // Nobody else receives it.
        let _ = told.send(there_and_back(scheduling));
    })?;
    let failed = || io::Error::other("the trial of a priority has failed");
    let outcome = outcome.recv().map_err(|_| failed())?;
    trial.join().map_err(|_| failed())?;
    outcome
}

/// Gives the calling thread the priority, and then its own.
fn there_and_back(scheduling: Scheduling) -> io::Result<()> {
    let before = system::get()?;
    system::set(scheduling)?;
    if matches!(scheduling, Scheduling::Other { .. }) {
        // The least urgent one.
        system::set(Scheduling::Other { nice: 19 })?;
    }
    system::set(before)
}
