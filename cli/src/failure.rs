//! How the command ends when it does not succeed.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::output::{self, ERROR};

/// Why the command did not do what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A message for people, of several lines if need be.
    Message(String),
    /// A failure whose message has been written already.
    Reported,
    /// The output cannot be written.
    Output(io::Error),
}

impl Failure {
    pub(crate) fn new(message: impl ToString) -> Self {
        Self::Message(message.to_string())
    }

    /// Writes what is wrong to standard error; gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match &self {
            Self::Reported => return ExitCode::FAILURE,
            // The reader of the output has seen enough, as with `| head`.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            _ => {}
        }
        output::complain(&format!("{ERROR}error{ERROR:#}: {self}\n"));
        ExitCode::FAILURE
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(message) => f.write_str(message),
            Self::Reported => f.write_str("it failed, as has been told"),
            Self::Output(error) => write!(f, "the output cannot be written: {error}"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
