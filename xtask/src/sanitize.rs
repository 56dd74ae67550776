//! What is unsafe, under AddressSanitizer.

use std::process::Command;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The tests that reach what is unsafe, by package and name.
const TESTS: [(&str, &str); 2] = [("taut-types", "tables"), ("taut-interop", "strategies")];

/// Named, so that programs that run while others are built are left as they are.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Runs the tests; needs rustup's nightly toolchain.
pub(crate) fn run(workspace: &Workspace) -> Result<(), ChoreError> {
    for (package, test) in TESTS {
        // rustup's, which knows toolchains, and not the one that runs this.
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(workspace.path(""))
            .args(["+nightly", "test", "--package", package, "--test", test])
            .args(["--target", TARGET, "--target-dir"])
            .arg(workspace.build_directory("sanitize"))
            .env_remove("RUSTC")
            .env_remove("CARGO")
            .env_remove("RUSTUP_TOOLCHAIN")
            .env("RUSTFLAGS", "-Zsanitizer=address")
            .env("ASAN_OPTIONS", "detect_leaks=1");
        command::run(&mut cargo)?;
    }
    Ok(())
}
