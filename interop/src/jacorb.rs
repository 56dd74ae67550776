//! JacORB's programs for the interfaces of which operations are checked.

use std::process::ExitStatus;
use std::time::Duration;

use taut::Version;

use crate::{Check, HarnessError, Process, peers};

/// How long such a program may take: for its start, a check, or its end.
const TIME_OUT: Duration = Duration::from_secs(60);

/// A server of JacORB's.
#[derive(Debug)]
pub struct JacorbServer {
    process: Process,
    /// One for each version of GIOP that was asked for.
    pub references: Vec<String>,
}

impl JacorbServer {
    /// Starts it. None when JacORB is not there.
    ///
    /// # Errors
    ///
    /// As those of [`Process::start`] and [`Process::read_line`].
    pub fn start(
        class: &str,
        arguments: &[&str],
        versions: &[Version],
    ) -> Result<Option<Self>, HarnessError> {
        let Some(mut command) = peers::jacorb(class) else {
            return Ok(None);
        };
        let versions = versions.iter().map(Version::to_string);
        let command = command.args(arguments).args(versions.clone());
        let mut process = Process::start(command)?;
        let references: Result<_, _> = versions.map(|_| process.read_line(TIME_OUT)).collect();
        Ok(Some(Self {
            process,
            references: references?,
        }))
    }

    /// Waits for its end, which a client has asked for.
    ///
    /// # Errors
    ///
    /// As those of [`Process::wait`].
    pub fn wait(mut self) -> Result<ExitStatus, HarnessError> {
        Ok(self.process.wait(TIME_OUT)?)
    }

    /// Ends it in order.
    ///
    /// # Errors
    ///
    /// As those of [`wait`](Self::wait).
    pub fn end(mut self) -> Result<ExitStatus, HarnessError> {
        self.process.close_input();
        Ok(self.process.wait(TIME_OUT)?)
    }
}

/// A client of JacORB's, which waits to be told what to do.
#[derive(Debug)]
pub struct JacorbClient(Process);

impl JacorbClient {
    /// Starts it. None when JacORB is not there.
    ///
    /// # Errors
    ///
    /// As those of [`Process::start`].
    pub fn start(class: &str) -> Result<Option<Self>, HarnessError> {
        let command = peers::jacorb(class);
        let process = command.map(|mut command| Process::start(&mut command));
        Ok(process.transpose()?.map(Self))
    }

    /// Calls everything that there is to be called, and ends the server.
    ///
    /// # Errors
    ///
    /// [`HarnessError::StrangeLine`], and those of [`Process::read_line`].
    pub fn check(&mut self, version: Version, reference: &str) -> Result<Vec<Check>, HarnessError> {
        let mut line = self.ask(&format!("check {version} {reference}"))?;
        let mut checks = Vec::new();
        while line != "done" {
            checks.push(Check::parse(&line)?);
            line = self.0.read_line(TIME_OUT)?;
        }
        Ok(checks)
    }

    /// Tells it to do something, and reads the first line that it says.
    ///
    /// # Errors
    ///
    /// As those of [`Process::write_line`] and [`Process::read_line`].
    pub fn ask(&mut self, line: &str) -> Result<String, HarnessError> {
        self.0.write_line(line)?;
        Ok(self.0.read_line(TIME_OUT)?)
    }

    /// Ends it.
    ///
    /// # Errors
    ///
    /// As those of [`Process::wait`].
    pub fn end(mut self) -> Result<ExitStatus, HarnessError> {
        self.0.close_input();
        Ok(self.0.wait(TIME_OUT)?)
    }
}
