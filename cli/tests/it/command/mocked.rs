//! An object of `taut mock`, for the tests of the commands that call.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::process::Command;

use taut_interop::Process;

use super::served::{TIME_OUT, signal};
use super::support::{Outcome, run, taut};

/// The IDL of the object.
pub(crate) const IDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/calls/bank.idl");

/// A service of the command that writes its reference; it is killed when the value is dropped.
pub(crate) struct Service {
    pub(crate) process: Process,
    pub(crate) reference: String,
}

impl Service {
    /// Starts a command whose first line is the reference.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut process = Process::start(command).unwrap();
        let reference = process.read_line(TIME_OUT).unwrap();
        Self { process, reference }
    }

    /// Starts a mock of an account.
    pub(crate) fn mock(arguments: &[&str]) -> Self {
        Self::start(
            taut()
                .arg("mock")
                .args(arguments)
                .args([IDL, "Bank::Account"]),
        )
    }

    /// Starts a recording of an object into a file.
    pub(crate) fn record(file: &Path, arguments: &[&str], target: &str) -> Self {
        let mut command = taut();
        command
            .arg("record")
            .args(arguments)
            .arg("--output")
            .arg(file);
        Self::start(command.args(["127.0.0.1:0", target]))
    }

    /// Runs `taut call` on the object.
    pub(crate) fn call(&self, line: &[&str]) -> Outcome {
        let mut arguments = vec!["call", "--idl", IDL, "--json", &self.reference];
        arguments.extend(line);
        run(&arguments)
    }

    /// Runs `taut call`, and checks what it writes to standard output.
    #[track_caller]
    pub(crate) fn answers(&self, line: &[&str], expected: &str) {
        let outcome = self.call(line);
        assert_eq!(outcome.output.trim_end(), expected, "{line:?}: {outcome:?}");
    }

    /// Ends it in order.
    pub(crate) fn end(mut self) {
        signal(self.process.id(), "-TERM");
        let status = self.process.wait(TIME_OUT).unwrap();
        assert_eq!(status.code(), Some(0), "{status}");
    }
}
