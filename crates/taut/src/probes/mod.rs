//! Where a call's time goes: probes at the boundaries of its way through the ORB, which
//! note how long each step has taken. With the feature `probes`; without it `absent` has
//! probes without content, and nothing of them is in the program.
//!
//! A probe reads the processor's counter and adds the time since the probe before to a
//! histogram of its thread: no lock, no system call, and no allocation but that of a
//! thread's histograms (90 KiB) when it comes to its first probe. The time of a probe
//! itself is part of each step ([`Table::probe_ns`]).
//!
//! Two-way calls over connections are probed, and their requests on the server. Calls
//! within a process come to no probe.
//! `read` tells what has been noted, `reset` forgets it; until one of them is first
//! called, a probe notes nothing and costs one branch.

mod histogram;
mod recorder;
mod stage;
mod step;
mod table;
mod told;

pub(crate) use recorder::{begin_call, done};
pub use recorder::{read, reset};
pub use stage::Stage;
pub use step::Step;
pub use table::{StepTimes, Table};
pub use told::{Kind, Side};
