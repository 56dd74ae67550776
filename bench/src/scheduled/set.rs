//! The sets of operations that are scheduled.

use clap::ValueEnum;
use taut_scheduling::{Options, Preemption, Repository, Strategy};

use crate::options::display_as_option;

/// A set of operations of four rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Set {
    /// All deadlines hold: the utilization is 0.65.
    Feasible,
    /// A little more work, and an earlier deadline of the slowest operation, which does not hold.
    Infeasible,
}

display_as_option!(Set);

/// A strategy by which the dispatcher runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Rule {
    /// The shorter period first.
    Rms,
    /// The earlier deadline first.
    Edf,
}

display_as_option!(Rule);

const MS: u64 = 1_000_000;

/// Of each operation the name, the period, the worst case in the feasible set and in the infeasible
/// one, all in milliseconds.
const OPERATIONS: [(&str, u64, u64, u64); 4] = [
    ("sensors 40 Hz", 25, 5, 6),
    ("processing 20 Hz", 50, 10, 11),
    ("displays 10 Hz", 100, 15, 17),
    ("planning 1 Hz", 1_000, 100, 120),
];

/// The deadline of the slowest operation in the infeasible set.
const EARLY_MS: u64 = 250;

impl Set {
    pub(super) fn repository(self) -> Repository {
        let mut repository = Repository::default();
        for (name, period_ms, feasible_ms, infeasible_ms) in OPERATIONS {
            let handle = repository.describe(name);
            let info = &mut repository[handle];
            info.period_ns = Some(period_ms * MS);
            info.worst_case_ns = MS
                * match self {
                    Self::Feasible => feasible_ms,
                    Self::Infeasible => infeasible_ms,
                };
            if self == Self::Infeasible && period_ms == 1_000 {
                info.deadline_ns = Some(EARLY_MS * MS);
            }
        }
        repository
    }
}

impl Rule {
    pub(super) fn options(self) -> Options {
        let mut options = Options::new(match self {
            Self::Rms => Strategy::RateMonotonic,
            Self::Edf => Strategy::EarliestDeadlineFirst,
        });
        options.preemption = Preemption::Anywhere;
        options.context_switch_ns = 20_000;
        // Below those of the kernel's own threads.
        options.priorities = 10..=40;
        options
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use taut_scheduling::{Handle, TaskSet, analyze, may_miss};

    use super::*;

    /// The operations that may miss their deadlines by the analysis.
    fn late(set: Set, rule: Rule) -> (f64, BTreeSet<u32>) {
        let options = rule.options();
        let tasks = TaskSet::of(&set.repository(), &options.limits).unwrap();
        let analysis = analyze(&tasks, &options).unwrap();
        let late = may_miss(&tasks, &analysis, &options).unwrap();
        (
            tasks.utilization(),
            late.into_iter().map(|Handle(number)| number).collect(),
        )
    }

    #[test]
    fn the_analysis_says_which_set_is_feasible_and_what_is_late_in_the_other() {
        for rule in [Rule::Rms, Rule::Edf] {
            let (utilization, late) = late(Set::Feasible, rule);
            assert!(
                (utilization - 0.65).abs() < 1e-9 && late.is_empty(),
                "{late:?}"
            );
        }
        let (utilization, by_priority) = late(Set::Infeasible, Rule::Rms);
        // Below what the system leaves to real-time threads: 0.95.
        assert!(utilization < 0.8, "{utilization}");
        assert_eq!(by_priority, BTreeSet::from([3]));
        assert!(late(Set::Infeasible, Rule::Edf).1.contains(&3));
    }
}
