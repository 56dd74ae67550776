//! Faults and remarkable properties of a set of operations, with their severity.

use std::fmt;

use crate::repository::Handle;

/// How grave an anomaly is. The degrees are those of RtecScheduler's `Anomaly_Severity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// A property to know of; nothing is wrong.
    None,
    /// All deadlines hold, but not by what was asked for.
    Warning,
    /// Deadlines can be missed.
    Error,
    /// There is nothing to analyze.
    Fatal,
}

impl Severity {
    /// The word for it: `note`, `warning`, `error`, `fatal`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "note",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }
}

/// The subject of an anomaly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnomalyKind {
    /// Operations call each other in a circle.
    CyclicDependencies,
    /// An operation is called that nobody has described.
    UnresolvedDependency,
    /// An operation has threads of its own and no period.
    ThreadSpecification,
    /// An operation has neither a period nor a caller.
    NeverReleased,
    /// An operation has no worst-case execution time.
    NoExecutionTime,
    /// A time or a count is outside of its range.
    Range,
    /// A limit of the analysis is reached.
    Limit,
    /// Operations miss their deadlines.
    DeadlineMissed,
    /// There are more rates than priorities of threads.
    InsufficientPriorityLevels,
    /// Rate-monotonic utilization is over its bound; exact response times decided.
    BoundExceeded,
    /// Offsets are given, and the analysis holds for any first releases.
    OffsetsIgnored,
    /// In overload a critical operation gives way to a less critical one.
    CriticalityInversion,
    /// An execution took longer than its worst case.
    MeasuredBeyondWorstCase,
    /// An execution was measured of an operation that is not there.
    MeasuredUnknown,
}

impl AnomalyKind {
    /// The code: `deadline-missed`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CyclicDependencies => "cyclic-dependencies",
            Self::UnresolvedDependency => "unresolved-dependency",
            Self::ThreadSpecification => "thread-specification",
            Self::NeverReleased => "never-released",
            Self::NoExecutionTime => "no-execution-time",
            Self::Range => "range",
            Self::Limit => "limit",
            Self::DeadlineMissed => "deadline-missed",
            Self::InsufficientPriorityLevels => "insufficient-priority-levels",
            Self::BoundExceeded => "bound-exceeded",
            Self::OffsetsIgnored => "offsets-ignored",
            Self::CriticalityInversion => "criticality-inversion",
            Self::MeasuredBeyondWorstCase => "measured-beyond-worst-case",
            Self::MeasuredUnknown => "measured-unknown",
        }
    }
}

/// A fault, or a remarkable property, of a set of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Anomaly {
    /// How grave it is.
    pub severity: Severity,
    /// Its subject.
    pub kind: AnomalyKind,
    /// The operations that it concerns, the most telling first.
    pub operations: Vec<Handle>,
    /// One sentence that says what there is, with the names of the operations.
    pub message: String,
    /// The remedy, if one is known.
    pub help: Option<String>,
}

impl Anomaly {
    pub(crate) fn new(
        severity: Severity,
        kind: AnomalyKind,
        operations: impl IntoIterator<Item = Handle>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            kind,
            operations: operations.into_iter().collect(),
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (severity, kind) = (self.severity.as_str(), self.kind.as_str());
        write!(f, "{severity}[{kind}]: {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}
