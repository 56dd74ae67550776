//! Tests that failed beside others, run once more by themselves.
//!
//! The tests of the workspace start ORBs, peers and attackers side by side on however many CPUs
//! there are. A test that the machine gave no time can fail there without a fault in what it
//! tests. It gets a second run, alone; a second failure is final, and the first is not hushed
//! up: it is printed at the end of the step.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::command::{self, ChoreError};
use crate::workspace::Workspace;

/// The number of failed tests beyond which none is run again: so many are a fault, and not a
/// machine without time.
const MOST_FAILURES: usize = 5;

/// The outcome of a run of tests.
#[derive(Debug)]
struct Run {
    succeeded: bool,
    /// The command line, as it is shown.
    command: String,
    status: std::process::ExitStatus,
    report: Report,
    output: String,
}

/// The facts in the output of `cargo test --no-fail-fast`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    /// The names of tests that failed.
    failed: BTreeSet<String>,
    /// The number of tests that passed.
    passed: usize,
    /// The number of executables that told of a failed test.
    told: usize,
    /// The number of executables that Cargo lists as failed.
    listed: usize,
}

/// Runs tests, and those that fail a second time, each alone; prints which passed then, and
/// returns the output of the first run.
///
/// # Errors
///
/// When a test has failed twice, or may not be run again: one of an executable that ended
/// otherwise than with a report, or one of too many.
pub(crate) fn run(workspace: &Workspace, tests: &mut Command) -> Result<String, ChoreError> {
    let first = run_and_report(tests.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    if first.succeeded {
        return Ok(first.output);
    }
    let report = first.report;
    if report.may_run_again() {
        println!("== tests that failed, once more and alone:");
        let again = run_and_report(again(workspace, tests, &report.failed).stdout(Stdio::piped()))?;
        if again.succeeded && again.report.passed >= report.failed.len() {
            for test in &report.failed {
                println!("== {test}: failed beside the other tests, passed alone");
            }
            return Ok(first.output);
        }
    }
    Err(ChoreError::Failed {
        command: first.command,
        status: first.status,
    })
}

/// The same tests, but of them only the failed ones, one after the other.
fn again(workspace: &Workspace, tests: &Command, failed: &BTreeSet<String>) -> Command {
    let mut cargo = workspace.cargo(&[]);
    cargo.args(tests.get_args().take_while(|argument| *argument != "--"));
    let variables = tests.get_envs();
    cargo.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    cargo.args(["--", "--test-threads", "1", "--exact"]);
    cargo.args(failed);
    cargo.stderr(Stdio::piped());
    cargo
}

impl Report {
    /// Whether a second run of these can tell more than the first.
    fn may_run_again(&self) -> bool {
        (1..=MOST_FAILURES).contains(&self.failed.len()) && self.told == self.listed
    }

    /// Notes a line of what tests print.
    fn note_output(&mut self, line: &str) {
        if let Some(name) = outcome_of(line, "FAILED") {
            self.failed.insert(name.to_owned());
        } else if outcome_of(line, "ok").is_some() {
            self.passed += 1;
        } else if line.starts_with("test result: FAILED") {
            self.told += 1;
        }
    }

    /// Notes a line of what Cargo prints: at its end it lists executables, such as
    /// `` `-p taut --test it` ``.
    fn note_message(&mut self, line: &str) {
        self.listed += usize::from(line.trim().starts_with("`-"));
    }
}

/// Returns the test of a line that tells of this outcome.
fn outcome_of<'l>(line: &'l str, outcome: &str) -> Option<&'l str> {
    let told = line.strip_prefix("test ")?.strip_suffix(outcome)?;
    told.strip_suffix(" ... ")
}

/// Runs tests, passes their output on, and reads it.
fn run_and_report(tests: &mut Command) -> Result<Run, ChoreError> {
    let command = command::show(tests);
    println!("+ {command}");
    let failed = |source| ChoreError::Start {
        command: command.clone(),
        source,
    };
    let mut child = tests.spawn().map_err(failed)?;
    let (report, output) = read_both(&mut child).map_err(failed)?;
    let status = child.wait().map_err(failed)?;
    Ok(Run {
        succeeded: status.success(),
        command,
        status,
        report,
        output,
    })
}

/// Reads a program's output and its messages at once, so that neither has to wait.
fn read_both(child: &mut Child) -> io::Result<(Report, String)> {
    let (output, messages) = (child.stdout.take(), child.stderr.take());
    let mut report = Report::default();
    let mut listed = Report::default();
    let mut text = String::new();
    thread::scope(|scope| {
        let messages =
            scope.spawn(|| pass_on(messages, io::stderr(), |line| listed.note_message(line)));
        let read = pass_on(output, io::stdout(), |line| {
            report.note_output(line);
            text.push_str(line);
            text.push('\n');
        });
        let joined = messages
            .join()
            .map_err(|_| io::Error::other("a reader panicked"))?;
        read.and(joined)
    })?;
    report.listed = listed.listed;
    Ok((report, text))
}

/// Writes each line where it would have gone, and shows it to `note`.
fn pass_on(
    from: Option<impl Read>,
    mut to: impl Write,
    mut note: impl FnMut(&str),
) -> io::Result<()> {
    let Some(from) = from else { return Ok(()) };
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? != 0 {
        if cfg!(test) {
            // The run of the tests of this module must not take these lines for its own.
            to.write_all(b"| ")?;
        }
        to.write_all(&line)?;
        note(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report of a run with this output and these messages.
    fn report(output: &str, messages: &str) -> Report {
        let mut report = Report::default();
        output.lines().for_each(|line| report.note_output(line));
        messages.lines().for_each(|line| report.note_message(line));
        report
    }

    #[test]
    fn a_report_counts_what_passed_and_names_what_failed() {
        let output = "running 2 tests\ntest calls::one ... ok\ntest calls::two ... FAILED\n\
                      test result: FAILED. 1 passed; 1 failed\n";
        let report = report(output, "error: 1 target failed:\n    `-p taut --test it`\n");
        assert_eq!(report.passed, 1);
        assert!(report.failed.iter().eq(["calls::two"]));
        assert_eq!((report.told, report.listed), (1, 1));
        assert!(report.may_run_again());
    }

    #[test]
    fn an_executable_that_crashed_is_not_run_again() {
        let crashed = "    `-p taut --test it`\n    `-p taut-giop --lib`\n";
        let output = "test two ... FAILED\ntest result: FAILED. 0 passed; 1 failed\n";
        assert!(!report(output, crashed).may_run_again());
        assert!(!report("test one ... ok\n", "    `-p taut --test it`\n").may_run_again());
    }

    #[test]
    fn many_failures_are_not_run_again() {
        let line = |n| format!("test t{n} ... FAILED\n");
        let of = |count| {
            let lines: String = (0..count).map(line).collect();
            report(
                &(lines + "test result: FAILED.\n"),
                "    `-p taut --test it`\n",
            )
        };
        assert!(of(MOST_FAILURES).may_run_again());
        assert!(!of(MOST_FAILURES + 1).may_run_again());
    }

    /// A package with one test, which fails until it has been run so often.
    fn package(runs: usize) -> std::io::Result<tempfile::TempDir> {
        let directory = tempfile::tempdir()?;
        let manifest = "[package]\nname = \"flaky\"\nedition = \"2024\"\n[workspace]\n";
        std::fs::write(directory.path().join("Cargo.toml"), manifest)?;
        std::fs::create_dir(directory.path().join("src"))?;
        let test = format!(
            "#[test] fn now_and_then() {{\n\
             let file = concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/runs\");\n\
             let runs = std::fs::read(file).unwrap_or_default().len() + 1;\n\
             std::fs::write(file, vec![0; runs]).unwrap();\n\
             assert!(runs >= {runs}, \"{{runs}}\");\n}}\n"
        );
        std::fs::write(directory.path().join("src/lib.rs"), test)?;
        Ok(directory)
    }

    #[test]
    fn a_test_that_fails_once_passes_and_one_that_fails_twice_does_not() -> std::io::Result<()> {
        let workspace = Workspace::locate();
        for (runs, passes) in [(1, true), (2, true), (3, false)] {
            let directory = package(runs)?;
            let manifest = directory.path().join("Cargo.toml");
            let mut cargo = workspace.cargo(&["test", "--offline", "--no-fail-fast"]);
            cargo.env("CARGO_TARGET_DIR", directory.path().join("target"));
            cargo.arg("--manifest-path").arg(manifest);
            assert_eq!(run(&workspace, &mut cargo).is_ok(), passes, "{runs}");
        }
        Ok(())
    }
}
