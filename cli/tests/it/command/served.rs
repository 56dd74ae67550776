//! A naming service of the command, for its tests.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use taut_interop::Process;

use super::support::{Outcome, run, taut};

/// The time in which a service begins and ends, on a busy machine.
pub(crate) const TIME_OUT: Duration = Duration::from_secs(60);

/// A service on a port of the loopback; it is killed when the value is dropped.
pub(crate) struct Served {
    pub(crate) process: Process,
    pub(crate) port: u16,
    pub(crate) url: String,
    store: PathBuf,
}

impl Served {
    /// Starts one with its names in a file.
    pub(crate) fn start(store: &Path) -> Self {
        Self::start_at(store, test_tools::free_port().unwrap(), &[])
    }

    pub(crate) fn start_in_memory(arguments: &[&str]) -> Self {
        let port = test_tools::free_port().unwrap();
        Self::start_at("memory".as_ref(), port, arguments)
    }

    /// Starts one at any port.
    pub(crate) fn start_with(store: &Path, arguments: &[&str]) -> Self {
        Self::start_at(store, test_tools::free_port().unwrap(), arguments)
    }

    pub(crate) fn start_at(store: &Path, port: u16, arguments: &[&str]) -> Self {
        let mut command = Self::command(store, port, arguments);
        let mut process = Process::start(&mut command).unwrap();
        let url = process.read_line(TIME_OUT).unwrap();
        Self {
            process,
            port,
            url,
            store: store.to_owned(),
        }
    }

    /// The command that starts one.
    pub(crate) fn command(store: &Path, port: u16, arguments: &[&str]) -> Command {
        let mut command = taut();
        command.args(["name", "serve", "--store"]).arg(store);
        command.args(["--endpoint", &format!("127.0.0.1:{port}")]);
        command.args(arguments);
        command
    }

    /// The next life of one that has ended, at the same place.
    pub(crate) fn again(&self) -> Self {
        self.again_with(&[])
    }

    pub(crate) fn again_with(&self, arguments: &[&str]) -> Self {
        Self::start_at(&self.store, self.port, arguments)
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        signal(self.process.id(), "-KILL");
        self.process.wait(TIME_OUT).unwrap();
    }

    /// Ends it in order.
    pub(crate) fn end(&mut self) -> ExitStatus {
        signal(self.process.id(), "-TERM");
        self.process.wait(TIME_OUT).unwrap()
    }

    /// Runs a subcommand of `taut name` on it.
    pub(crate) fn run(&self, line: &str) -> Outcome {
        let mut arguments = vec!["name", "--ns", &self.url];
        arguments.extend(line.split(' '));
        run(&arguments)
    }

    /// Runs a subcommand that must succeed, and checks its output.
    #[track_caller]
    pub(crate) fn shows(&self, line: &str, expected: &str) {
        let outcome = self.run(line);
        let shown = (outcome.output.as_str(), outcome.errors.as_str());
        assert_eq!((shown, outcome.status), ((expected, ""), Some(0)), "{line}");
    }
}

/// Sends a signal to a process.
pub(crate) fn signal(id: u32, signal: &str) {
    let status = Command::new("kill")
        .arg(signal)
        .arg(id.to_string())
        .status();
    assert!(status.unwrap().success());
}
