//! Running the benchmarks.

use std::ffi::OsString;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;
use crate::{packages, peers};

/// Builds the peers when omniORB is installed, then runs `taut-bench`. Without
/// omniORB the benchmarks still run, and compare with raw sockets only.
pub(crate) fn run(workspace: &Workspace, arguments: &[OsString]) -> Result<(), ChoreError> {
    let missing = packages::missing();
    if missing.is_empty() {
        peers::build(workspace)?;
    } else {
        eprintln!(
            "LEFT OUT: omniORB, for {} is missing; run `cargo xtask peers`",
            missing.join(" ")
        );
    }
    command::run(
        workspace
            .cargo(&["run", "--release", "--package", "taut-bench", "--"])
            .args(arguments),
    )
}
