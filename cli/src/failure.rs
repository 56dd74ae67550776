//! How the command ends when it does not succeed.

use std::fmt;
use std::io;
use std::process::ExitCode;

use serde_json::{Map, Value};

use crate::output::{self, ERROR};

/// Why the command did not do what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A message for people, of several lines if need be.
    Message(String),
    /// An exception: a message for people, and facts for programs.
    Exception(String, Map<String, Value>),
    /// A failure whose message has been written already.
    Reported,
    /// The output cannot be written.
    Output(io::Error),
}

impl Failure {
    pub(crate) fn new(message: impl ToString) -> Self {
        Self::Message(message.to_string())
    }

    /// The message, if there is one that has not been written yet.
    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Self::Message(message) | Self::Exception(message, _) => Some(message),
            Self::Reported | Self::Output(_) => None,
        }
    }

    /// The same failure with another message in place of its own, if it has one.
    pub(crate) fn reworded(self, reword: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Message(message) => Self::Message(reword(&message)),
            Self::Exception(message, facts) => Self::Exception(reword(&message), facts),
            other => other,
        }
    }

    /// Writes what is wrong to standard error as an object in a line, for programs.
    pub(crate) fn told_as_json(self) -> Self {
        let (message, mut facts) = match self {
            Self::Message(message) => (message, Map::new()),
            Self::Exception(message, facts) => (message, facts),
            other => return other,
        };
        facts.insert("error".to_owned(), message.into());
        output::complain(&format!("{}\n", Value::Object(facts)));
        Self::Reported
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
            Self::Message(message) | Self::Exception(message, _) => f.write_str(message),
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
