//! The threads of an ORB that belong to no lane.

use std::sync::Arc;

use taut_sync::hazard;

use crate::core::OrbCore;

/// Has all threads of the ORB that belong to no lane begin with the priority and the CPUs that the
/// settings say, if it has priorities. The control threads, which all ORBs of the process share,
/// begin as the first such ORB says.
pub(super) fn prepare(core: &Arc<OrbCore>) {
    if !core.priorities.is_real_time() {
        return;
    }
    let of_orb = Arc::downgrade(core);
    let begin = move || {
        if let Some(core) = of_orb.upgrade() {
            core.priorities.begin_internal_thread();
        }
    };
    hazard::begin_control_threads_with(Box::new(begin.clone()));
    core.settings.threads.set(begin);
}
