//! Where a call's time goes: probes at the boundaries of its way through the ORB, which
//! note how long each step has taken. With the feature `probes`; without it the probes
//! are functions without content, and nothing of them is in the program.
//!
//! A probe reads the processor's counter and adds the time since the probe before to a
//! histogram of its thread: no lock, no system call, and no allocation but that of a
//! thread's histograms (90 KiB) when it comes to its first probe. What a probe itself
//! takes is part of each step ([`Table::probe_ns`]).
//!
//! Two-way calls over connections are probed, and their requests on the server. Calls
//! within a process come to no probe.
//! `read` tells what has been noted, `reset` forgets it; until one of them is first
//! called, a probe notes nothing and costs one branch.

#[cfg(feature = "probes")]
mod histogram;
#[cfg(feature = "probes")]
mod recorder;
mod step;
#[cfg(feature = "probes")]
mod table;

#[cfg(feature = "probes")]
pub use recorder::{read, reset};
pub use step::Step;
#[cfg(feature = "probes")]
pub use step::{Kind, Side};
#[cfg(feature = "probes")]
pub use table::{StepTimes, Table};

/// The way of a call begins.
#[inline(always)]
pub(crate) fn begin_call() {
    #[cfg(feature = "probes")]
    recorder::begin_call();
}

/// The thread has come to the end of a step, if it is on the way of a call or request.
#[inline(always)]
pub(crate) fn done(step: Step) {
    #[cfg(feature = "probes")]
    recorder::done(step);
    let _ = step;
}
