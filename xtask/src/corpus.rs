//! The corpus of IDL that others wrote.

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// Examines the corpus and writes `docs/corpus.md`, or with `check` fails if it
/// would differ in more than times.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<(), ChoreError> {
    start(workspace, if check { &["--check"] } else { &[] })
}

/// Fetches the packages that are not there yet.
pub(crate) fn fetch(workspace: &Workspace) -> Result<(), ChoreError> {
    start(workspace, &["--fetch"])
}

fn start(workspace: &Workspace, arguments: &[&str]) -> Result<(), ChoreError> {
    // Optimized, for the page has times.
    let cargo = [
        "run",
        "--quiet",
        "--release",
        "--package",
        "taut-corpus",
        "--",
    ];
    command::run(&mut workspace.cargo(&[&cargo[..], arguments].concat()))
}
