//! The presence of things that a machine may lack, and the tests that are left out without
//! them.

use std::io::Write;
use std::path::PathBuf;
use std::{env, io};

/// A program that is installed on the system, such as `valgrind` or `strace`, looked for
/// on the `PATH`.
///
/// `None`, with a line on standard error, when it is not there.
///
/// # Panics
///
/// When it is not there and `TAUT_REQUIRE_PEERS` is `1`.
#[must_use]
pub fn tool(program: &str) -> Option<PathBuf> {
    found_or_left_out(on_path(program), program)
}

/// A program on the `PATH`. Says nothing when it is not there.
#[must_use]
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|directory| directory.join(program))
        .find(|file| file.is_file())
}

/// Returns what was found, unchanged. When it is nothing, says so on standard error: a test
/// then has nothing to test and returns. `what` is what was looked for.
///
/// # Panics
///
/// When nothing was found and `TAUT_REQUIRE_PEERS` is `1`.
#[must_use]
pub fn found_or_left_out<T>(found: Option<T>, what: &str) -> Option<T> {
    let required = env::var_os("TAUT_REQUIRE_PEERS").is_some_and(|value| value == "1");
    // Not eprintln!, which the test runner hides when a test passes.
    require_or_report(found, what, required, &mut io::stderr())
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
        assert_eq!(on_path("a program that nobody has"), None);
    }
}
