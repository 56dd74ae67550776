//! The times of all steps, for people and programs.

use std::fmt;

use super::histogram::Times;
use super::{Kind, Side, Step};

/// The times of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StepTimes {
    /// Which step.
    pub step: Step,
    /// How often it was taken; the times are 0 where that is 0.
    pub count: u64,
    /// The time in nanoseconds that half of all did not exceed, to 3 %.
    pub median_ns: f64,
    /// The mean in nanoseconds.
    pub mean_ns: f64,
    /// The least in nanoseconds.
    pub min_ns: f64,
    /// The time in nanoseconds that 99 of 100 did not exceed, to 3 %.
    pub p99_ns: f64,
}

/// The times of all steps. Displayed, it is a table of those that were taken, each side
/// by itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Table {
    /// In the order of [`Step::ALL`].
    pub steps: [StepTimes; Step::ALL.len()],
    /// The time of a probe itself, in nanoseconds, on average: so much of each step is not
    /// the ORB's.
    pub probe_ns: f64,
}

impl Table {
    /// Of times in ticks of so many nanoseconds.
    pub(super) fn of(
        steps: &[(Step, Times); Step::ALL.len()],
        probe: &Times,
        tick_ns: f64,
    ) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "times are told to 3 %")]
        let ns = |ticks: Option<u64>| ticks.unwrap_or_default() as f64 * tick_ns;
        let told = |&(step, ref times): &(Step, Times)| StepTimes {
            step,
            count: times.count(),
            median_ns: ns(times.percentile(50)),
            mean_ns: times.mean().unwrap_or_default() * tick_ns,
            min_ns: ns(times.min()),
            p99_ns: ns(times.percentile(99)),
        };
        Self {
            steps: steps.each_ref().map(told),
            probe_ns: probe.mean().unwrap_or_default() * tick_ns,
        }
    }

    /// The times of a step.
    pub fn step(&self, step: Step) -> &StepTimes {
        &self.steps[step as usize]
    }

    /// The sum of the means of all steps of one kind on one side, in nanoseconds: of steps
    /// as short as a tick of the counter, which some virtual machines have every 10 ns, the
    /// medians tell little.
    pub fn sum_ns(&self, side: Side, kind: Kind) -> f64 {
        let steps = self.steps.iter();
        let of_both = steps.filter(|it| (it.step.side(), it.step.kind()) == (side, kind));
        of_both.map(|it| it.mean_ns).sum()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in [Side::Client, Side::Server] {
            let taken = |it: &&StepTimes| it.step.side() == side && it.count > 0;
            if !self.steps.iter().any(|it| taken(&it)) {
                continue;
            }
            let name = match side {
                Side::Client => "client",
                Side::Server => "server",
            };
            writeln!(
                f,
                "{name:<18} {:>10} {:>10} {:>10} {:>10} {:>10}",
                "count", "median ns", "mean ns", "min ns", "p99 ns"
            )?;
            for it in self.steps.iter().filter(taken) {
                writeln!(
                    f,
                    "{:<18} {:>10} {:>10.0} {:>10.0} {:>10.0} {:>10.0}",
                    it.step.name(),
                    it.count,
                    it.median_ns,
                    it.mean_ns,
                    it.min_ns,
                    it.p99_ns
                )?;
            }
        }
        writeln!(f, "a probe takes {:.1} ns of each step", self.probe_ns)
    }
}
