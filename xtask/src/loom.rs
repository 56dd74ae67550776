//! Runs of lock-free code in every order of events that the memory model allows.

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The modules with such tests.
const MODULES: [&str; 10] = [
    "connection::turns::orders",
    "connection::asynchronous::orders",
    "server::duty::orders",
    "slot_table::orders",
    "poa::name_index::orders",
    "poa::active_object_map::orders",
    "rendezvous::orders",
    "ring::orders",
    "hazard::orders",
    "lock::orders",
];

/// Runs the tests, which are there only where `loom` is. They are optimized, but not across
/// crates: that takes longer than it saves.
pub(crate) fn run(workspace: &Workspace) -> Result<(), ChoreError> {
    let mut cargo = workspace.cargo(&["test", "--release", "--lib"]);
    cargo.args(["--package", "taut", "--package", "taut-sync"]);
    cargo
        .arg("--target-dir")
        .arg(workspace.build_directory("loom"))
        .arg("--")
        .args(MODULES)
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    let output = command::run_and_read(&mut cargo)?;
    match MODULES
        .into_iter()
        .find(|module| !has_passed(&output, module))
    {
        None => Ok(()),
        Some(module) => Err(ChoreError::NoTest { module }),
    }
}

/// Tells whether a test of a module is among those that passed.
fn has_passed(output: &str, module: &str) -> bool {
    output
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... ok"))
        .any(|test| test.starts_with(module))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_without_a_test_that_passed_is_found() {
        let output = "running 2 tests\n\
            test a::orders::one ... ok\n\
            test b::orders::two ... FAILED\n";
        assert!(has_passed(output, "a::orders"));
        assert!(!has_passed(output, "b::orders"));
        assert!(!has_passed(output, "c::orders"));
    }
}
