//! The errors between a test and the programs that it starts.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;
use std::{fmt, io};

use test_tools::ProcessError;

/// Why a peer did not do what the harness asked of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum HarnessError {
    /// A program could not be started or talked to.
    Process(ProcessError),
    /// Something did not happen in the time given.
    TimeOut {
        /// The place where it was to happen.
        program: String,
        /// How long the harness waited.
        waited: Duration,
    },
    /// The program ended before it was ready.
    Ended {
        /// The program, as it was started.
        program: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// A file or a port that the harness itself needs is not to be had.
    Resource {
        /// The resource that was needed.
        what: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// An ORB of ours cannot be had, or cannot be a server.
    Orb(Box<dyn std::error::Error + Send + Sync>),
    /// The client of another ORB said something that is no check.
    StrangeLine(String),
    /// The results of a client differ from the list of checks that are known to fail.
    Difference(String),
    /// A list of known gaps cannot be read.
    KnownGaps {
        /// The list's file.
        file: PathBuf,
        /// The line, counted from 1; 0 when there is none.
        line: usize,
        /// The fault of the list.
        why: String,
    },
}

impl HarnessError {
    pub(crate) fn orb(source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Orb(Box::new(source))
    }
}

impl From<ProcessError> for HarnessError {
    fn from(error: ProcessError) -> Self {
        Self::Process(error)
    }
}

impl fmt::Display for HarnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(source) => source.fmt(f),
            Self::TimeOut { program, waited } => {
                write!(f, "{program}: nothing within {} ms", waited.as_millis())
            }
            Self::Ended { program, status } => {
                write!(f, "{program}: ended before it was ready: {status}")
            }
            Self::Resource { what, source } => write!(f, "no {what}: {source}"),
            Self::Orb(source) => source.fmt(f),
            Self::StrangeLine(line) => {
                write!(f, "{line:?} is neither `ok NAME` nor `FAILED NAME: why`")
            }
            Self::Difference(what) => f.write_str(what),
            Self::KnownGaps { file, line, why } => {
                write!(f, "{}:{line}: {why}", file.display())
            }
        }
    }
}

impl std::error::Error for HarnessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Process(source) => source.source(),
            Self::Resource { source, .. } => Some(source),
            Self::Orb(source) => Some(source.as_ref()),
            Self::TimeOut { .. }
            | Self::Ended { .. }
            | Self::StrangeLine(_)
            | Self::Difference(_)
            | Self::KnownGaps { .. } => None,
        }
    }
}
