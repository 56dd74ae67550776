//! Real-time scheduling: whether operations meet their deadlines, computed before they run.
//!
//! - **Off line.** A [`Repository`] holds an [`RtInfo`] of each operation: its worst-case
//!   execution time, its period, the operations that it calls. [`TaskSet::of`] follows the chains of
//!   calls and finds the total time and the period of each task; [`analyze`] decides by a
//!   [`Strategy`] whether all deadlines hold, [`growth`] by how much an operation may grow, and
//!   [`simulate`] shows what happens when. Faults are [`Anomaly`] values with a severity; nothing is
//!   passed over in silence.
//! - **On line.** A [`Schedule`] is the result as data, made at start or linked into the program:
//!   its look-ups take constant time, no lock and no memory. The `dispatcher` executes operations
//!   by it, in threads.
//!
//! Times are whole nanoseconds in a `u64`; the names of fields say so.
//!
//! ```
//! use taut_scheduling::{Options, Repository, Strategy, TaskSet, analyze};
//!
//! let mut repository = Repository::default();
//! let sweep = repository.describe("Radar::sweep");
//! repository[sweep].period_ns = Some(10_000_000);
//! repository[sweep].worst_case_ns = 4_000_000;
//! let display = repository.describe("Display::refresh");
//! repository[display].period_ns = Some(40_000_000);
//! repository[display].worst_case_ns = 16_000_000;
//!
//! let options = Options::new(Strategy::RateMonotonic);
//! let tasks = TaskSet::of(&repository, &options.limits)?;
//! let analysis = analyze(&tasks, &options)?;
//! assert!(analysis.is_feasible());
//! assert_eq!(analysis.tasks[1].response.unwrap().worst_ns, 28_000_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it is not
//!
//! It knows no ORB and no IDL, and looks at one processor: `taut-build` reads the annotations of
//! IDL. It does not measure; measured times come from the dispatcher or a file.

mod analysis;
mod anomaly;
mod chains;

#[cfg(feature = "dispatcher")]
pub mod dispatcher;
#[cfg(feature = "file")]
mod file;
mod info;
mod measured;
mod names;
mod options;
mod quoted;
mod repository;
mod rust;
mod schedule;
mod sensitivity;
mod simulation;
mod strategy;
mod task;
mod time;

pub use analysis::{Analysis, AnalysisError, Basis, Response, TaskResult, analyze};
pub use anomaly::{Anomaly, AnomalyKind, Severity};
pub use chains::Faults;
#[cfg(feature = "file")]
pub use file::{Description, FileError};
pub use info::{CallKind, Criticality, Dependency, Importance, RtInfo, UnknownRank};
pub use measured::Measurements;
pub use options::{Limits, Options, Phasing, Preemption, UnknownOption};
pub use repository::{Handle, Repository};
pub use rust::to_rust;
pub use schedule::{Entry, Schedule};
pub use sensitivity::{Growth, growth};
pub use simulation::{Job, Simulation, Slice, Timeline, may_miss, simulate};
pub use strategy::{Strategy, UnknownStrategy};
pub use task::{Task, TaskSet};
pub use time::{ShownTime, TimeError, parse_time};

/// The examples of the README, which are compiled with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
