//! Running the benchmarks.

use std::ffi::OsString;
use std::process::Command;

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
    let mut build = workspace.cargo(&["build", "--release", "--package", "taut-bench"]);
    // What all others measure is without the probes.
    if arguments.first().is_some_and(|command| command == "probes") {
        build.args(["--features", "probes"]);
    }
    command::run(&mut build)?;
    // Not with `cargo run`, which would start it in the root, where a file that
    // an argument names is looked for in vain.
    command::run(Command::new(workspace.release_program("taut-bench")).args(arguments))
}
