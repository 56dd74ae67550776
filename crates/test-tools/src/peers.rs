//! The programs that chores build with other ORBs, and with tonic.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::presence::on_path;

/// The file of a program that is built with omniORB: `param_server`, `context_client` and
/// the like. None where it is not built; says nothing then.
///
/// Programs are below the workspace's `target` directory, or the one that
/// `CARGO_TARGET_DIR` names, seen from the workspace's root.
#[must_use]
pub fn omniorb(program: &str) -> Option<PathBuf> {
    let file = peers_directory().join("omniorb").join(program);
    file.is_file().then_some(file)
}

/// A program of this class that is built with JacORB: `ParamServer`, `PingClient` and the
/// like. None where it is not built, or Java is not installed; says nothing then.
///
/// Java gets `options` before the class.
#[must_use]
pub fn jacorb(class: &str, options: &[&str]) -> Option<Command> {
    let directory = peers_directory().join("jacorb");
    let classes = directory.join("classes");
    let is_built =
        directory.join("built").is_file() && classes.join(class).with_extension("class").is_file();
    let jars = fs::read_to_string(directory.join("classpath")).ok();
    let jars = jars.filter(|_| is_built)?;
    let mut command = Command::new(on_path("java")?);
    command.args(options).arg("-cp");
    command.arg(format!("{}:{jars}", classes.display()));
    command.arg(class);
    Some(command)
}

/// The program that makes calls by tonic, which `cargo xtask tonic` builds. None where it is
/// not built.
#[must_use]
pub fn tonic() -> Option<PathBuf> {
    let file = peers_directory().join("tonic/release/taut-bench-tonic");
    file.is_file().then_some(file)
}

/// The root of the workspace.
#[must_use]
pub fn workspace_root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package)
}

fn peers_directory() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target"));
    workspace_root().join(target).join("peers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_built_is_not_found() {
        assert!(omniorb("no_such_client").is_none());
        assert!(jacorb("NoSuchClient", &[]).is_none());
        assert!(workspace_root().join("Cargo.lock").is_file());
    }
}
