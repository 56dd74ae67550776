//! Calls over GIOPlite, and their errors where only one of two ORBs speaks it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../common/mod.rs"]
mod common;

#[cfg(feature = "full")]
mod calls;
mod mismatch;

use taut::Settings;

fn lite(settings: &mut Settings) {
    settings.wire.giop_lite = true;
}
