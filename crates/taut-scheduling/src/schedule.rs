//! The on-line part: what an analysis has found, as data.

use std::borrow::Cow;

use crate::analysis::Analysis;
use crate::chains;
use crate::info::{Criticality, Importance};
use crate::names::NameTable;
use crate::options::Options;
use crate::repository::{Handle, Repository};
use crate::strategy::Strategy;
use crate::task::TaskSet;

/// The place of an operation in a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The operation's name.
    pub name: Cow<'static, str>,
    /// The priority of the system's thread that executes it: higher is more urgent.
    pub priority: i32,
    /// The level of preemption, and the number of the dispatcher's queue: 0 is the most urgent.
    pub level: u32,
    /// The place within the level, by importance: 0 is first.
    pub subpriority: u32,
    /// The least time between two executions.
    pub period_ns: u64,
    /// The time from a release to its deadline.
    pub deadline_ns: u64,
    /// The worst-case execution time, with all operations that it calls and waits for.
    pub total_ns: u64,
    /// The criticality.
    pub criticality: Criticality,
    /// The importance.
    pub importance: Importance,
    /// Whether it is released by time; else others call it.
    pub is_released: bool,
}

/// A schedule: the place of each operation, by its handle. All look-ups take constant time, no
/// lock and no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    strategy: Strategy,
    entries: Cow<'static, [Entry]>,
    names: NameTable,
}

impl Schedule {
    /// Makes the schedule of an analysis. An infeasible one may be made, too: whether it is used is
    /// the caller's choice.
    ///
    /// The tasks must be those of the repository, and the analysis that of the tasks; it may panic
    /// otherwise.
    pub fn new(
        repository: &Repository,
        set: &TaskSet,
        analysis: &Analysis,
        options: &Options,
    ) -> Self {
        let totals = chains::totals_ns(repository);
        let mut entries: Vec<_> = repository
            .iter()
            .map(|(handle, info)| {
                let representative = set.task_of.get(handle.index()).copied().unwrap_or(0);
                let task = &set.tasks[representative];
                let level = analysis.tasks[representative].level;
                let below = i32::try_from(level).unwrap_or(i32::MAX);
                Entry {
                    name: info.entry_point.clone().into(),
                    priority: options.priorities.end().saturating_sub(below),
                    level,
                    subpriority: 0,
                    period_ns: set.periods_ns[handle.index()],
                    deadline_ns: task.deadline_ns,
                    total_ns: totals[handle.index()],
                    criticality: info.criticality,
                    importance: info.importance,
                    is_released: info.period_ns.is_some() && info.threads != Some(0),
                }
            })
            .collect();
        let mut order: Vec<_> = (0..entries.len()).collect();
        order.sort_by_key(|index| {
            let entry = &entries[*index];
            (entry.level, std::cmp::Reverse(entry.importance), *index)
        });
        let mut last_level = None;
        let mut place = 0;
        for index in order {
            let entry = &mut entries[index];
            place = match last_level == Some(entry.level) {
                true => place + 1,
                false => 0,
            };
            last_level = Some(entry.level);
            entry.subpriority = place;
        }
        let names: Vec<_> = entries.iter().map(|entry| &*entry.name).collect();
        // A repository's names differ from each other.
        let names = NameTable::new(&names).unwrap_or(NameTable {
            displacements: Cow::Borrowed(&[]),
            slots: Cow::Borrowed(&[]),
        });
        Self {
            strategy: options.strategy,
            entries: entries.into(),
            names,
        }
    }

    /// A schedule of data that [`to_rust`](crate::to_rust) has written.
    pub const fn from_parts(
        strategy: Strategy,
        entries: &'static [Entry],
        displacements: &'static [u32],
        slots: &'static [u32],
    ) -> Self {
        Self {
            strategy,
            entries: Cow::Borrowed(entries),
            names: NameTable {
                displacements: Cow::Borrowed(displacements),
                slots: Cow::Borrowed(slots),
            },
        }
    }

    /// Gives each level its priority of the system's threads: for systems, and callers, to which
    /// priorities mean something else than the options have.
    pub fn set_priorities(&mut self, priority: impl Fn(u32) -> i32) {
        for entry in self.entries.to_mut() {
            entry.priority = priority(entry.level);
        }
    }

    /// The strategy.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The place of an operation. None if the handle belongs to another schedule.
    #[inline]
    pub fn get(&self, handle: Handle) -> Option<&Entry> {
        self.entries.get(handle.index())
    }

    /// The handle of an operation, by its name: the time depends on the name's length alone.
    pub fn lookup(&self, name: &str) -> Option<Handle> {
        let handle = Handle(self.names.candidate(name)?);
        let entry = self.get(handle)?;
        (entry.name == name).then_some(handle)
    }

    /// All places, in the order of their handles.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn names(&self) -> &NameTable {
        &self.names
    }
}
