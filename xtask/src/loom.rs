//! Runs of lock-free code in every order of events that the memory model allows.

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The modules with such tests, by package.
const MODULES: [(&str, &str); 8] = [
    ("taut", "connection::turns::orders"),
    ("taut", "server::duty::orders"),
    ("taut-sync", "slot_table::orders"),
    ("taut", "poa::name_index::orders"),
    ("taut", "poa::active_object_map::orders"),
    ("taut-sync", "rendezvous::orders"),
    ("taut-sync", "hazard::orders"),
    ("taut-sync", "lock::orders"),
];

/// Runs the tests, which are there only where `loom` is.
pub(crate) fn run(workspace: &Workspace) -> Result<(), ChoreError> {
    for (package, module) in MODULES {
        command::run(
            workspace
                .cargo(&["test", "--release", "--lib", "--package", package])
                .arg("--target-dir")
                .arg(workspace.build_directory("loom"))
                .arg(module)
                .env("RUSTFLAGS", "--cfg loom"),
        )?;
    }
    Ok(())
}
