//! The program that makes calls by tonic, which only `bench async` needs.
//!
//! It is a workspace of its own: the dependencies of tonic are compiled only here.

use std::process::Command;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// Where its sources lie.
const PACKAGE: &str = "bench/tonic/Cargo.toml";

/// Checks its format, runs its lints and tests, and builds it.
pub(crate) fn run(workspace: &Workspace) -> Result<(), ChoreError> {
    let mut format = workspace.cargo(&["fmt", "--check"]);
    format.arg("--manifest-path").arg(workspace.path(PACKAGE));
    command::run(&mut format)?;
    let mut lints = cargo(workspace, &["clippy", "--all-targets"]);
    command::run(lints.args(["--", "-D", "warnings"]))?;
    command::run(&mut cargo(workspace, &["test"]))?;
    build(workspace)
}

/// Builds it, as far as something that it is made of has changed.
pub(crate) fn build(workspace: &Workspace) -> Result<(), ChoreError> {
    command::run(&mut cargo(workspace, &["build"]))
}

/// Cargo with its package, optimized: all of its work is done in one kind of build.
fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut cargo = workspace.cargo(arguments);
    cargo.args(["--release", "--locked", "--manifest-path"]);
    cargo.arg(workspace.path(PACKAGE)).arg("--target-dir");
    cargo.arg(workspace.tonic_peer());
    cargo
}
