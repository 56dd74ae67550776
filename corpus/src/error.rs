//! The faults of the corpus as a whole.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::{fmt, io};

/// Why the corpus could not be examined.
#[derive(Debug)]
#[non_exhaustive]
pub enum CorpusError {
    /// A program could not be started.
    Start {
        /// The program that was started.
        program: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// A program ended without success.
    Failed {
        /// The program that was started.
        program: &'static str,
        /// How it ended.
        status: ExitStatus,
    },
    /// A file or directory could not be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line of the list of known gaps is not as it should be.
    KnownGaps {
        /// The line's number.
        line: usize,
    },
    /// The generated code could not be compiled at all.
    Compile(String),
    /// The files are not as the list of known gaps or the page says.
    Unexpected(Vec<String>),
}

impl CorpusError {
    pub(crate) fn unless_success(
        program: &'static str,
        status: io::Result<ExitStatus>,
    ) -> Result<(), Self> {
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Self::Failed { program, status }),
            Err(source) => Err(Self::Start { program, source }),
        }
    }
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, source } => write!(f, "cannot start {program}: {source}"),
            Self::Failed { program, status } => write!(f, "{program} failed: {status}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::KnownGaps { line } => write!(
                f,
                "corpus/known_gaps.txt:{line}: expected a package, a file, and `check`, \
                 `generate`, `compile` or `omniidl`"
            ),
            Self::Compile(why) => write!(f, "the generated code was not compiled: {why}"),
            Self::Unexpected(what) => write!(f, "{}", what.join("\n")),
        }
    }
}

impl std::error::Error for CorpusError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::File { source, .. } => Some(source),
            _ => None,
        }
    }
}
