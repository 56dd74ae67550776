//! The server: its counter is in a file, and its reference leads by the forwarder.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use taut::{
    CompletionStatus, IdAssignmentPolicy, LifespanPolicy, Orb, Reference, SystemException,
    SystemExceptionKind,
};

use crate::counting::{Counter, CounterSkeleton, Whereabouts, WhereaboutsRef};

/// A counter whose state is in a file.
struct FileCounter(Mutex<PathBuf>);

/// The answer to a caller if the file cannot be written.
const NOT_KEPT: SystemException =
    SystemException::new(SystemExceptionKind::PersistStore, 0, CompletionStatus::No);

impl Counter for FileCounter {
    fn next(&self) -> taut::Result<u32> {
        let file = self.0.lock().map_err(|_| NOT_KEPT)?;
        let last = fs::read_to_string(&*file).unwrap_or_default();
        let next = last.parse().unwrap_or(0) + 1;
        fs::write(&*file, next.to_string()).map_err(|_| NOT_KEPT)?;
        Ok(next)
    }
}

pub(crate) fn run(orb: &Orb, file: &Path) -> Result<(), Box<dyn Error>> {
    let root = orb.root_poa()?;
    let policies = [
        LifespanPolicy::Persistent.into(),
        IdAssignmentPolicy::UserId.into(),
    ];
    let counters = root.create_poa("counters", Some(root.manager()), &policies)?;
    let servant = CounterSkeleton::new(FileCounter(Mutex::new(file.to_owned())));
    let counter = counters.activate_with_id(&"first".into(), servant)?;
    root.manager().activate()?;

    // The forwarder learns where this life of the server is.
    let whereabouts = orb.resolve_initial_references("Whereabouts")?;
    let here = &orb.published_addresses()[0];
    let whereabouts: WhereaboutsRef = whereabouts.unchecked_narrow();
    whereabouts.note("counting", &here.to_string())?;
    println!("{}", counter.as_object());
    crate::serve(orb);
    Ok(())
}
