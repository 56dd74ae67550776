//! Finding the programs of other ORBs.
//!
//! A test that gets `None` here has nothing to test and returns. Where every
//! peer must be there, `TAUT_REQUIRE_PEERS=1` in the environment makes the
//! absence of one a failure.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use test_tools::{found_or_left_out, tool};

/// The program of this name that `cargo xtask peers` built with omniORB:
/// `param_server`, `context_client` and the like.
///
/// It is looked for below the workspace's `target` directory, or the one that
/// `CARGO_TARGET_DIR` names, seen from the workspace's root.
///
/// `None`, with a line on standard error, when it is not there.
///
/// # Panics
///
/// When it is not there and `TAUT_REQUIRE_PEERS` is `1`.
#[must_use]
pub fn omniorb(program: &str) -> Option<PathBuf> {
    let file = target_directory()
        .join("peers")
        .join("omniorb")
        .join(program);
    let found = file.is_file().then_some(file);
    found_or_left_out(found, &format!("omniORB's {program}"))
}

/// A program of this class that `cargo xtask peers` built with JacORB, ready to
/// be started: `ParamServer` or `ParamClient`.
///
/// `None`, with a line on standard error, when it is not there.
///
/// # Panics
///
/// When it is not there and `TAUT_REQUIRE_PEERS` is `1`.
#[must_use]
pub fn jacorb(class: &str) -> Option<Command> {
    let java = tool("java")?;
    let directory = target_directory().join("peers").join("jacorb");
    let classes = directory.join("classes");
    let is_built =
        directory.join("built").is_file() && classes.join(class).with_extension("class").is_file();
    let jars = std::fs::read_to_string(directory.join("classpath"));
    let found = jars.ok().filter(|_| is_built).map(|jars| {
        let mut command = Command::new(java);
        // A program that runs for seconds is not worth a second compiler's time.
        command.args(["-XX:TieredStopAtLevel=1", "-cp"]);
        command.arg(format!("{}:{jars}", classes.display()));
        command.arg(class);
        command
    });
    found_or_left_out(found, &format!("JacORB's {class}"))
}

/// The workspace's root.
pub(crate) fn workspace_root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

fn target_directory() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target"));
    workspace_root().join(target)
}
