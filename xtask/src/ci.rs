//! The checks that a change must pass before it is accepted.

use crate::capture;
use crate::code_size;
use crate::command::{self, ChoreError};
use crate::corpus;
use crate::interop;
use crate::language;
use crate::loom;
use crate::package;
use crate::shapes::{self, Tests};
use crate::workspace::Workspace;

/// Checks the format, the language, the lints, the tests, what optimized code costs, the
/// shapes of the ORB, the orders of events, what Wireshark says, the corpus, the
/// documentation, the size of generated code and the packages, and stops at the first fault.
///
/// Tests that need a peer fail when it is not built, instead of being left out.
pub(crate) fn run(workspace: &Workspace) -> Result<(), ChoreError> {
    command::run(&mut workspace.cargo(&["fmt", "--all", "--check"]))?;
    language::run(workspace)?;
    command::run(&mut workspace.cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    command::run(
        workspace
            .cargo(&["test", "--workspace"])
            .env("TAUT_REQUIRE_PEERS", "1")
            .env(interop::RECORDS, interop::clear_records(workspace)?),
    )?;
    command::run(&mut workspace.cargo(&[
        "test",
        "--package",
        "taut",
        "--features",
        "metrics,probes",
        "--lib",
        "--test",
        "counters",
        "--test",
        "probes",
    ]))?;
    command::run(&mut workspace.cargo(&[
        "test",
        "--package",
        "taut-bench",
        "--features",
        "probes",
        "--test",
        "probes",
        "--test",
        "demux",
        "--test",
        "allocation",
    ]))?;
    // The counts of these tests are those of optimized code.
    command::run(
        workspace
            .cargo(&[
                "test",
                "--release",
                "--package",
                "taut-types",
                "--package",
                "taut-interop",
                "--test",
                "element_cost",
                "--test",
                "any_cost",
                "--test",
                "call_cost",
            ])
            .env("TAUT_REQUIRE_PEERS", "1"),
    )?;
    shapes::run(workspace, Tests::Smallest)?;
    loom::run(workspace)?;
    interop::write(workspace, true)?;
    capture::run_where_allowed(workspace)?;
    corpus::run(workspace, true)?;
    command::run(
        workspace
            .cargo(&["doc", "--no-deps", "--workspace"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    code_size::run(workspace, true)?;
    package::run(workspace, true)
}
