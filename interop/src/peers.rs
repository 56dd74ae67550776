//! Finding the programs of other ORBs.
//!
//! A test that gets `None` here has nothing to test and returns. Where every
//! peer must be there, `TAUT_REQUIRE_PEERS=1` in the environment makes the
//! absence of one a failure.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

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
        // What runs for seconds is not worth a second compiler's time.
        command.args(["-XX:TieredStopAtLevel=1", "-cp"]);
        command.arg(format!("{}:{jars}", classes.display()));
        command.arg(class);
        command
    });
    found_or_left_out(found, &format!("JacORB's {class}"))
}

/// A program that is installed on the system, such as `omniNames`, `nameclt`
/// or `strace`, looked for on the `PATH`.
///
/// `None`, with a line on standard error, when it is not there.
///
/// # Panics
///
/// When it is not there and `TAUT_REQUIRE_PEERS` is `1`.
#[must_use]
pub fn tool(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .map(|directory| directory.join(program))
        .find(|file| file.is_file());
    found_or_left_out(found, program)
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

fn is_required() -> bool {
    env::var_os("TAUT_REQUIRE_PEERS").is_some_and(|value| value == "1")
}

fn found_or_left_out<T>(found: Option<T>, what: &str) -> Option<T> {
    // Not eprintln!, which the test runner hides when a test passes.
    require_or_report(found, what, is_required(), &mut io::stderr())
}

fn require_or_report<T>(
    found: Option<T>,
    what: &str,
    required: bool,
    report: &mut dyn Write,
) -> Option<T> {
    const REMEDY: &str = "run `cargo xtask peers`";
    if found.is_none() {
        assert!(!required, "{what} is not there: {REMEDY}");
        // When this fails there is nobody left to tell.
        let _ = writeln!(report, "LEFT OUT: {what} is not there, {REMEDY}");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_left_out_unless_it_is_required() {
        let here = Some(PathBuf::from("here"));
        for required in [false, true] {
            let mut report = Vec::new();
            let found = require_or_report(here.clone(), "x", required, &mut report);
            assert_eq!((found, report), (here.clone(), Vec::new()));
        }

        let mut report = Vec::new();
        assert_eq!(
            require_or_report(None::<PathBuf>, "x", false, &mut report),
            None
        );
        let report = String::from_utf8(report).unwrap();
        assert_eq!(
            report,
            "LEFT OUT: x is not there, run `cargo xtask peers`\n"
        );

        let required = std::panic::catch_unwind(|| {
            require_or_report(None::<PathBuf>, "x", true, &mut io::sink());
        });
        let message = *required.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("cargo xtask peers"), "{message}");
    }

    #[test]
    fn installed_programs_are_found_on_the_path() {
        assert!(tool("sh").is_some_and(|file| file.is_absolute()));
    }
}
