//! The options of an analysis, and its limits.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::strategy::Strategy;

/// Where a running job may lose the processor to a more urgent one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Preemption {
    /// At any time.
    #[default]
    Anywhere,
    /// Between two operations of its chain of calls only.
    BetweenOperations,
}

/// Which first releases an analysis reckons with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Phasing {
    /// Whatever they are: the verdict holds for each.
    #[default]
    Any,
    /// The offsets of the tasks: the verdict holds for these alone.
    Offsets,
}

/// A text that is no value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownOption {
    text: String,
    known: [&'static str; 2],
}

impl fmt::Display for UnknownOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.known;
        write!(f, "`{}` is neither `{first}` nor `{second}`", self.text)
    }
}

impl std::error::Error for UnknownOption {}

/// Finds the value with this name.
fn named<T: Copy>(text: &str, values: [(&'static str, T); 2]) -> Result<T, UnknownOption> {
    let found = values.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| UnknownOption {
        text: text.to_owned(),
        known: values.map(|(name, _)| name),
    })
}

impl FromStr for Preemption {
    type Err = UnknownOption;

    fn from_str(text: &str) -> Result<Self, UnknownOption> {
        let values = [
            ("anywhere", Self::Anywhere),
            ("between-operations", Self::BetweenOperations),
        ];
        named(text, values)
    }
}

impl FromStr for Phasing {
    type Err = UnknownOption;

    fn from_str(text: &str) -> Result<Self, UnknownOption> {
        named(text, [("any", Self::Any), ("offsets", Self::Offsets)])
    }
}

/// Limits of the memory and time that an analysis takes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many operations a repository may have: 10,000.
    pub max_operations: usize,
    /// How many tasks may come of them: 10,000.
    pub max_tasks: usize,
    /// How many operations one job may execute, those that it calls among them: 65,536.
    pub max_calls: usize,
    /// How many steps the analysis of a task may take: 20,000,000. A step looks at one other task.
    pub max_steps: u64,
    /// How many jobs a simulation may release: 200,000.
    pub max_jobs: usize,
    /// How many octets a file may have: 4 MiB.
    pub max_file_octets: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_operations: 10_000,
            max_tasks: 10_000,
            max_calls: 65_536,
            max_steps: 20_000_000,
            max_jobs: 200_000,
            max_file_octets: 4 << 20,
        }
    }
}

/// The parameters of an analysis that belong to no single operation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The strategy.
    pub strategy: Strategy,
    /// Where jobs may be preempted. [`Strategy::DeferredRateMonotonic`] takes this for
    /// [`Preemption::BetweenOperations`], whatever it is.
    pub preemption: Preemption,
    /// Which first releases are reckoned with.
    pub phasing: Phasing,
    /// How long it takes to switch from one job to another. Each job has two switches: to it, and
    /// from it.
    pub context_switch_ns: u64,
    /// How long a job runs, at most, until laxities are compared again. Without it they are
    /// compared all the time, which no dispatcher can do; [`Simulation`](crate::Simulation) then
    /// compares them when jobs are released and when they end.
    pub quantum_ns: Option<u64>,
    /// The system's thread priorities that may be given away, higher ones being more urgent: 1
    /// to 99, those of `SCHED_FIFO` on Linux.
    pub priorities: RangeInclusive<i32>,
    /// The limits.
    pub limits: Limits,
}

impl Options {
    /// The default options, with this strategy.
    pub fn new(strategy: Strategy) -> Self {
        Self {
            strategy,
            preemption: Preemption::default(),
            phasing: Phasing::default(),
            context_switch_ns: 0,
            quantum_ns: None,
            priorities: 1..=99,
            limits: Limits::default(),
        }
    }

    /// Whether jobs are preempted between operations only.
    pub fn is_deferred(&self) -> bool {
        self.strategy == Strategy::DeferredRateMonotonic
            || self.preemption == Preemption::BetweenOperations
    }

    /// The number of priority levels.
    pub(crate) fn levels(&self) -> u32 {
        let (low, high) = (*self.priorities.start(), *self.priorities.end());
        let levels = i64::from(high) - i64::from(low) + 1;
        u32::try_from(levels.max(0)).unwrap_or(u32::MAX)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Strategy::default())
    }
}
