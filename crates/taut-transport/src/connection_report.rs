//! The fate of the options of a connection.

use std::fmt;
use std::io;

use crate::{ChannelOption, ConnectionOptions, Stream};

/// The fate of the options that a connection was to have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConnectionReport(Vec<OptionOutcome>);

/// The fate of one option.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionOutcome {
    /// The option.
    pub option: ChannelOption,
    /// Whether the connection has it.
    pub result: Result<(), OptionFault>,
}

/// Why a connection goes without an option.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionFault {
    /// The transport has no such option.
    Unknown,
    /// The system refuses it, for this reason.
    Refused(String),
}

impl ConnectionOptions {
    /// Sets the options on a connection, each that can be.
    pub fn set_on(&self, stream: &Stream) -> ConnectionReport {
        let set = |option| OptionOutcome {
            option,
            result: stream.set_option(option).map_err(OptionFault::from),
        };
        ConnectionReport(self.each().map(set).collect())
    }
}

impl ConnectionReport {
    /// Returns what became of each option, in the order in which they were set.
    pub fn outcomes(&self) -> &[OptionOutcome] {
        &self.0
    }

    /// Returns the options that the connection goes without, each with the reason.
    pub fn missing(&self) -> impl Iterator<Item = (ChannelOption, &OptionFault)> {
        let missing = |outcome: &'_ OptionOutcome| outcome.result.is_err();
        let all = self.0.iter().filter(move |outcome| missing(outcome));
        all.filter_map(|outcome| Some((outcome.option, outcome.result.as_ref().err()?)))
    }

    /// Whether the connection has all of them.
    pub fn is_complete(&self) -> bool {
        self.missing().next().is_none()
    }
}

impl From<io::Error> for OptionFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Of a transport alone: the system's own refusals have a number.
            io::ErrorKind::Unsupported if error.raw_os_error().is_none() => Self::Unknown,
            _ => Self::Refused(error.to_string()),
        }
    }
}

impl fmt::Display for OptionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("the transport has no such option"),
            Self::Refused(reason) => write!(f, "the system refuses it: {reason}"),
        }
    }
}

/// Writes the options that the connection goes without, with their reasons.
impl fmt::Display for ConnectionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (option, fault)) in self.missing().enumerate() {
            let between = if index > 0 { "; " } else { "" };
            write!(f, "{between}{option}: {fault}")?;
        }
        Ok(())
    }
}
