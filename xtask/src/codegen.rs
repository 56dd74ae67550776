//! The files that are committed and made by a program: expected models, diagnostics,
//! generated Rust, and the examples in the pages.

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The tests that compare what is committed with what is made now, by package
/// and name. With `TAUT_BLESS=1` they write it instead.
const TESTS: [(&str, &str); 4] = [
    ("taut-idl", "data"),
    ("taut-build", "snapshots"),
    ("taut-build", "standard"),
    ("taut-cli", "command"),
];

/// Makes it anew, or with `check` fails if it would differ.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<(), ChoreError> {
    for (package, test) in TESTS {
        let mut command = workspace.cargo(&["test", "--package", package, "--test", test]);
        if !check {
            command.env("TAUT_BLESS", "1");
        }
        command::run(&mut command)?;
    }
    Ok(())
}
