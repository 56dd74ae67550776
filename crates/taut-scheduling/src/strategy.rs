//! The strategies by which operations are scheduled.

use std::fmt;
use std::str::FromStr;

/// The rule that chooses, among the jobs that are ready, the one that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// RMS: the shorter period has the higher priority.
    #[default]
    RateMonotonic,
    /// RMS in which a running operation is preempted between operations only.
    DeferredRateMonotonic,
    /// EDF: the job with the earliest deadline runs.
    EarliestDeadlineFirst,
    /// MUF: the highest criticality, and in it the least laxity, and then the greatest importance.
    MaximumUrgencyFirst,
    /// MLF: the job with the least laxity runs: the time to its deadline less the time that it
    /// still needs.
    MinimumLaxityFirst,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Self; 5] = [
        Self::RateMonotonic,
        Self::DeferredRateMonotonic,
        Self::EarliestDeadlineFirst,
        Self::MaximumUrgencyFirst,
        Self::MinimumLaxityFirst,
    ];

    /// The name, as files and commands have it: `rms`, `rms-deferred`, `edf`, `muf`, `mlf`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RateMonotonic => "rms",
            Self::DeferredRateMonotonic => "rms-deferred",
            Self::EarliestDeadlineFirst => "edf",
            Self::MaximumUrgencyFirst => "muf",
            Self::MinimumLaxityFirst => "mlf",
        }
    }

    /// Whether each task keeps one priority.
    pub const fn has_fixed_priorities(self) -> bool {
        matches!(self, Self::RateMonotonic | Self::DeferredRateMonotonic)
    }

    /// Whether laxity decides, which changes while jobs wait.
    pub const fn depends_on_laxity(self) -> bool {
        matches!(self, Self::MaximumUrgencyFirst | Self::MinimumLaxityFirst)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that names no strategy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownStrategy(String);

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Strategy::ALL.map(Strategy::as_str).join(", ");
        write!(
            f,
            "there is no strategy `{}`; choose one of {names}",
            self.0
        )
    }
}

impl std::error::Error for UnknownStrategy {}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|one| one.as_str() == text);
        found.ok_or_else(|| UnknownStrategy(text.to_owned()))
    }
}
