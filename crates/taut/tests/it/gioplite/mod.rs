//! Calls over GIOPlite, and their errors where only one of two ORBs speaks it.

#[cfg(feature = "full")]
mod calls;
mod mismatch;

use taut::Settings;

fn lite(settings: &mut Settings) {
    settings.wire.giop_lite = true;
}
