//! The files that are committed and made by a program: expected models, diagnostics,
//! generated Rust, and the examples in the pages.

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The modules of tests that compare what is committed with what is made now, by package.
/// With `TAUT_BLESS=1` they write it instead.
const TESTS: [(&str, &[&str]); 3] = [
    ("taut-idl", &["data::"]),
    ("taut-build", &["snapshots::", "standard::"]),
    ("taut-cli", &["command::"]),
];

/// Makes it anew, or with `check` fails if it would differ.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<(), ChoreError> {
    for (package, modules) in TESTS {
        let mut command = workspace.cargo(&["test", "--package", package, "--test", "it", "--"]);
        command.args(modules);
        if !check {
            command.env("TAUT_BLESS", "1");
        }
        command::run(&mut command)?;
    }
    Ok(())
}
