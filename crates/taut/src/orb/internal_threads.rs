//! The threads of an ORB that belong to no lane.

use taut_sync::hazard;

use crate::core::OrbCore;

/// Has all threads of the ORB that belong to no lane begin with the priority and the CPUs that the
/// settings say, if it has priorities. The control threads, which all ORBs of the process share,
/// begin as the first such ORB says, as long as the process lives.
pub(super) fn prepare(core: &OrbCore) {
    let Some(internal) = core.priorities.internal_threads() else {
        return;
    };
    let (own, shared) = (internal.clone(), internal.clone());
    hazard::begin_control_threads_with(Box::new(move || shared.begin()));
    core.settings.threads.set(move || own.begin());
}
