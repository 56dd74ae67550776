//! The description of an operation for the scheduler: RT_Info.

use std::fmt;
use std::str::FromStr;

use crate::repository::Handle;

/// A text that is no degree of criticality or importance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRank(String);

impl fmt::Display for UnknownRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = NAMES.join(", ");
        write!(f, "there is no degree `{}`; choose one of {known}", self.0)
    }
}

impl std::error::Error for UnknownRank {}

/// The names of the five degrees.
const NAMES: [&str; 5] = ["very-low", "low", "medium", "high", "very-high"];

/// Defines a scale of five degrees.
macro_rules! scale {
    ($(#[$docs:meta])* $name:ident) => {
        $(#[$docs])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub enum $name {
            /// The lowest degree.
            VeryLow,
            /// The second lowest degree.
            Low,
            /// The middle, which is the default.
            #[default]
            Medium,
            /// The second highest degree.
            High,
            /// The highest degree.
            VeryHigh,
        }

        impl $name {
            /// All degrees, the lowest first.
            pub const ALL: [Self; 5] =
                [Self::VeryLow, Self::Low, Self::Medium, Self::High, Self::VeryHigh];

            /// The name: `very-low`, `low`, `medium`, `high`, `very-high`.
            pub const fn as_str(self) -> &'static str {
                NAMES[self as usize]
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownRank;

            fn from_str(text: &str) -> Result<Self, UnknownRank> {
                // IDL has no hyphens in names.
                let name = text.to_lowercase().replace('_', "-");
                let found = Self::ALL.into_iter().find(|one| one.as_str() == name);
                found.ok_or_else(|| UnknownRank(text.to_owned()))
            }
        }
    };
}

scale! {
    /// How much depends on an operation's deadlines: in overload, MUF gives the processor to the
    /// most critical operations.
    Criticality
}

scale! {
    /// Which operation goes first where all else is equal.
    Importance
}

/// Whether the caller of an operation waits for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CallKind {
    /// It waits: the called operation's time is a part of its own.
    #[default]
    TwoWay,
    /// It does not: the called operation becomes a task of its own, at the caller's rate.
    OneWay,
}

/// An operation that another one calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dependency {
    /// The called operation.
    pub callee: Handle,
    /// How often it is called in one execution of the caller.
    pub calls: u32,
    /// Whether the caller waits.
    pub kind: CallKind,
}

/// The description of an operation for the scheduler.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RtInfo {
    /// The name, which is unique: `Module::Interface::operation`.
    pub entry_point: String,
    /// The longest time that one execution takes, without the operations that it calls.
    pub worst_case_ns: u64,
    /// The time that one execution takes most often.
    pub typical_ns: Option<u64>,
    /// The time between two releases, at least. Operations without it run when they are called.
    pub period_ns: Option<u64>,
    /// The time from a release until the end, at most. Without it, the period.
    pub deadline_ns: Option<u64>,
    /// The time of the first release, where [`Phasing::Offsets`](crate::Phasing::Offsets) counts it.
    pub offset_ns: u64,
    /// How much later than its time a release may come.
    pub jitter_ns: u64,
    /// How long, in one execution, the operation may wait for what less urgent ones hold.
    pub blocking_ns: u64,
    /// How much depends on its deadlines.
    pub criticality: Criticality,
    /// Which operation goes first where all else is equal.
    pub importance: Importance,
    /// How many threads of its own release it. Without it, one if it has a period, else none.
    pub threads: Option<u32>,
    /// The operations that it calls.
    pub dependencies: Vec<Dependency>,
    /// Whether the operation has been described, and not only been named as one that others call.
    pub is_described: bool,
}
