//! The share of the processor that tasks take, and the steps that a computation takes.

use std::cmp::Ordering;

use crate::task::Task;
use crate::time::LONGEST_NS;

/// Whether tasks ask for more than the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    /// Some time is left.
    Below,
    /// All time is taken, exactly.
    Full,
    /// They ask for more.
    Over,
}

/// The least common multiple of periods, if it is less than some 36 years.
pub(crate) fn hyperperiod(periods: impl Iterator<Item = u64>) -> Option<u64> {
    let mut multiple = 1_u64;
    for period in periods {
        let (mut a, mut b) = (multiple, period);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        multiple = multiple
            .checked_mul(period / a)
            .filter(|it| *it <= LONGEST_NS)?;
    }
    Some(multiple)
}

/// The work of tasks in a hyperperiod, and its length, if it is short enough to be exact.
fn work<'t>(tasks: impl Iterator<Item = &'t Task> + Clone) -> Option<(u128, u64)> {
    let hyperperiod = hyperperiod(tasks.clone().map(|task| task.period_ns))?;
    let work = |task: &Task| u128::from(task.cost_ns()) * u128::from(hyperperiod / task.period_ns);
    Some((tasks.map(work).sum(), hyperperiod))
}

/// The load that these tasks are. Where their hyperperiod is too long to be exact, a load
/// within a billionth of the whole counts as over it.
pub(crate) fn of<'t>(tasks: impl Iterator<Item = &'t Task> + Clone) -> Load {
    if let Some((work, hyperperiod)) = work(tasks.clone()) {
        return match work.cmp(&u128::from(hyperperiod)) {
            Ordering::Less => Load::Below,
            Ordering::Equal => Load::Full,
            Ordering::Greater => Load::Over,
        };
    }
    match tasks.map(Task::utilization).sum::<f64>() < 1.0 - 1e-9 {
        true => Load::Below,
        false => Load::Over,
    }
}

/// The bound of Liu and Layland for `n` tasks.
pub(super) fn rate_monotonic_bound(n: usize) -> f64 {
    let n = n as f64;
    match n > 0.0 {
        true => n * (2_f64.powf(1.0 / n) - 1.0),
        false => 1.0,
    }
}

/// The time that tasks which ask for more than there is lack in `period`: rounded up, and never
/// nothing.
pub(super) fn lacking<'t>(tasks: impl Iterator<Item = &'t Task> + Clone, period: u64) -> u64 {
    let exact = work(tasks.clone()).and_then(|(work, hyperperiod)| {
        let over = work.saturating_sub(u128::from(hyperperiod));
        let lacking = over.checked_mul(u128::from(period))?;
        u64::try_from(lacking.div_ceil(u128::from(hyperperiod))).ok()
    });
    let rounded = || {
        let utilization: f64 = tasks.map(Task::utilization).sum();
        ((utilization - 1.0) * period as f64).ceil() as u64
    };
    exact.unwrap_or_else(rounded).max(1)
}

/// The steps that a computation may still take.
#[derive(Debug)]
pub(super) struct Steps(u64);

/// More steps were needed than there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OutOfSteps;

impl Steps {
    pub(super) fn new(max: u64) -> Self {
        Self(max)
    }

    /// Takes so many steps.
    pub(super) fn take(&mut self, count: usize) -> Result<(), OutOfSteps> {
        self.0 = self.0.checked_sub(count as u64 + 1).ok_or(OutOfSteps)?;
        Ok(())
    }
}

/// How many jobs of a task are released in a busy period before `length` is over.
pub(super) fn released_before(task: &Task, length: u64) -> u64 {
    length
        .saturating_add(task.jitter_ns)
        .div_ceil(task.period_ns)
}

/// How many jobs of a task are released in a busy period until `length`, this moment included.
pub(super) fn released_until(task: &Task, length: u64) -> u64 {
    length.saturating_add(task.jitter_ns) / task.period_ns + 1
}

/// How many jobs of a task have their deadlines within the first `length` of a busy period.
pub(super) fn due_within(task: &Task, length: u64) -> u64 {
    let end = length.saturating_add(task.jitter_ns);
    match end.checked_sub(task.deadline_ns) {
        Some(rest) => rest / task.period_ns + 1,
        None => 0,
    }
}

/// The length of the busy period in which all tasks are released at once, behind a block of
/// length `blocking`. It is no longer than `longest`.
pub(super) fn busy_period<'t>(
    tasks: impl Iterator<Item = &'t Task> + Clone,
    blocking: u64,
    longest: u64,
    steps: &mut Steps,
) -> Result<u64, OutOfSteps> {
    let costs: Vec<_> = tasks.clone().map(Task::cost_ns).collect();
    let mut length = costs
        .iter()
        .fold(blocking, |sum, cost| sum.saturating_add(*cost));
    loop {
        steps.take(costs.len())?;
        let each = tasks.clone().zip(&costs);
        let next = each.fold(blocking, |sum, (task, cost)| {
            sum.saturating_add(released_before(task, length).saturating_mul(*cost))
        });
        if next == length || next >= longest {
            return Ok(next.min(longest));
        }
        length = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_exact_where_floating_point_is_not() {
        let thirds = [3, 3, 3].map(|period| Task::new("", period, 1));
        assert_eq!(of(thirds.iter()), Load::Full);
        let tenths: Vec<_> = (0..10).map(|_| Task::new("", 10, 1)).collect();
        assert_eq!(of(tenths.iter()), Load::Full);
        assert_eq!(of(tenths[1..].iter()), Load::Below);
        assert_eq!(of(tenths.iter().chain(&thirds[1..])), Load::Over);
    }

    #[test]
    fn hyperperiods_beyond_all_use_are_none() {
        assert_eq!(hyperperiod([4, 6, 10].into_iter()), Some(60));
        assert_eq!(hyperperiod([LONGEST_NS, LONGEST_NS - 1].into_iter()), None);
    }

    #[test]
    fn the_bound_falls_to_the_logarithm_of_two() {
        assert!((rate_monotonic_bound(1) - 1.0).abs() < 1e-12);
        assert!((rate_monotonic_bound(2) - 0.828_427).abs() < 1e-6);
        assert!((rate_monotonic_bound(100_000) - 2_f64.ln()).abs() < 1e-5);
    }
}
