//! The errors of a benchmark.

use std::path::PathBuf;
use std::{error, fmt, io};

use test_tools::{CountError, ProcessError};

/// Why a benchmark has no result.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum BenchError {
    /// A program could not be started or talked to, was silent for too long, or ended
    /// where a line was expected; it has said why itself.
    Process(ProcessError),
    /// A program's answer is not one that the protocol knows.
    Answer { program: String, line: String },
    /// The driver's request is not one that the protocol knows.
    Request { line: String },
    /// The mode needs more CPUs than the process may use.
    Cpus { needed: usize, allowed: usize },
    /// A process has something else than it had before.
    Leak { what: String },
    /// A client keeps less of its throughput than it should.
    Share {
        attack: String,
        share: f64,
        least: f64,
    },
    /// Look-ups find something else than they should.
    #[cfg_attr(
        not(feature = "probes"),
        expect(dead_code, reason = "only `demux` is about look-ups")
    )]
    LookUp {
        case: String,
        found: usize,
        expected: usize,
    },
    /// Instructions could not be counted.
    #[cfg_attr(
        not(feature = "probes"),
        expect(dead_code, reason = "only `demux` is about look-ups")
    )]
    Count { source: CountError },
    /// Operations missed deadlines that the analysis says they keep.
    Late { what: String },
    /// A dispatcher does not start.
    Dispatch {
        source: taut_scheduling::dispatcher::DispatchError,
    },
    /// Nothing of what was asked for can be measured here.
    Nothing,
    /// The program was built without the feature `probes`.
    WithoutProbes,
    /// An object request broker could not be set up, or has no such object.
    Orb {
        source: Box<dyn error::Error + Send + Sync>,
    },
    /// A call failed.
    Call {
        source: Box<dyn error::Error + Send + Sync>,
    },
    /// The operating system did not give something that is needed.
    System {
        what: &'static str,
        source: io::Error,
    },
    /// Results that another command has written could not be read.
    Read {
        file: PathBuf,
        source: Box<dyn error::Error + Send + Sync>,
    },
    /// A page does not show what the records say.
    OutOfDate { file: PathBuf },
    /// The results could not be written.
    Write { file: PathBuf, source: io::Error },
}

impl BenchError {
    /// Turns an error of the operating system into one that says at what.
    pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { what, source }
    }

    /// A line that is no request, or none that this client knows.
    pub(crate) fn request(line: &str) -> Self {
        Self::Request {
            line: line.to_owned(),
        }
    }

    /// Turns the error of an object request broker that is not ready for calls.
    pub(crate) fn orb(source: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self::Orb {
            source: source.into(),
        }
    }

    /// Turns the error of a call.
    pub(crate) fn call(source: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Self::Call {
            source: source.into(),
        }
    }
}

impl From<ProcessError> for BenchError {
    fn from(error: ProcessError) -> Self {
        Self::Process(error)
    }
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(source @ ProcessError::TimeOut { .. }) => {
                write!(f, "{source}; see --time-out-s")
            }
            Self::Process(source) => source.fmt(f),
            Self::Answer { program, line } => {
                write!(f, "{program}: the answer is not understood: {line:?}")
            }
            Self::Request { line } => {
                write!(
                    f,
                    "expected `run CALLS`, `samples CALLS`, `usage CALLS`, `allocations CALLS`, \
                     `quit`, or `select` and what the client knows, found: {line:?}"
                )
            }
            Self::Cpus { needed, allowed } => {
                write!(f, "needs {needed} CPUs, and {allowed} may be used")
            }
            Self::Leak { what } => write!(f, "not as after the warm-up: {what}"),
            Self::Share {
                attack,
                share,
                least,
            } => write!(
                f,
                "{attack}: the client keeps {share:.3} of its throughput, and should {least:.3}"
            ),
            Self::LookUp {
                case,
                found,
                expected,
            } => write!(
                f,
                "{case}: {found} of {expected} look-ups found what they should"
            ),
            Self::Count { source } => write!(f, "{source}"),
            Self::Late { what } => write!(
                f,
                "deadlines were missed that the analysis says are kept: {what}; look at the time that \
                 the machine itself was away, and at what else runs with real-time priorities"
            ),
            Self::Dispatch { source } => write!(f, "{source}"),
            Self::Nothing => f.write_str("nothing is left to be measured"),
            Self::WithoutProbes => f.write_str(
                "built without the feature `probes`; `cargo xtask bench probes` builds with it",
            ),
            Self::Orb { source } => write!(f, "the ORB: {source}"),
            Self::Call { source } => write!(f, "the call failed: {source}"),
            Self::System { what, source } => write!(f, "{what}: {source}"),
            Self::Read { file, source } => write!(f, "{}: {source}", file.display()),
            Self::OutOfDate { file } => write!(
                f,
                "{}: not as it would be written; `cargo xtask bench render` writes it",
                file.display()
            ),
            Self::Write { file, source } => write!(f, "{}: {source}", file.display()),
        }
    }
}

impl error::Error for BenchError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Process(source) => source.source(),
            Self::System { source, .. } | Self::Write { source, .. } => Some(source),
            Self::Count { source } => source.source(),
            Self::Dispatch { source } => source.source(),
            Self::Orb { source } | Self::Call { source } | Self::Read { source, .. } => {
                Some(source.as_ref())
            }
            Self::Answer { .. }
            | Self::Request { .. }
            | Self::Cpus { .. }
            | Self::Leak { .. }
            | Self::Late { .. }
            | Self::Share { .. }
            | Self::LookUp { .. }
            | Self::OutOfDate { .. }
            | Self::Nothing
            | Self::WithoutProbes => None,
        }
    }
}
