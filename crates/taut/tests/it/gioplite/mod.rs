//! Calls over GIOPlite, and their errors where only one of two ORBs speaks it.

mod calls;
mod mismatch;

use taut::Settings;

fn lite(settings: &mut Settings) {
    settings.wire.giop_lite = true;
}
