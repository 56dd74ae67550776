//! Random task sets with small hyperperiods.

use taut_scheduling::{Criticality, Importance, Task};

/// A generator of random numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (self.0 >> 11) % (high - low + 1)
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.between(0, values.len() as u64 - 1) as usize]
    }

    /// Two to four tasks with a load about 1. Deadlines are as long as periods in half of the
    /// sets, else at most so, or also longer if `is_long`.
    pub(crate) fn tasks(&mut self, is_long: bool) -> Vec<Task> {
        let periods: &[u64] = self.one_of(&[
            &[4, 6, 8, 12],
            &[3, 5, 6, 10, 15],
            &[5, 7],
            &[4, 5, 8, 10, 20],
            &[6, 9, 12],
        ]);
        let count = self.between(2, 4);
        let has_own_deadlines = self.between(0, 1) == 1;
        let mut tasks = Vec::new();
        for number in 0..count {
            let period = self.one_of(periods);
            let share = (period * 3 / (count * 2)).max(1);
            let cost = self.between(1, share + 1).min(period);
            let mut task = Task::new(format!("t{number}"), period, cost);
            if has_own_deadlines {
                let longest = if is_long { period * 2 } else { period };
                task.deadline_ns = self.between(cost.min(longest), longest);
            }
            task.criticality = self.one_of(&Criticality::ALL[1..4]);
            task.importance = self.one_of(&Importance::ALL[1..4]);
            tasks.push(task);
        }
        tasks
    }

    /// Divides the time of some tasks into several operations.
    pub(crate) fn divide(&mut self, tasks: &mut [Task]) {
        for task in tasks {
            let mut left = task.cost_ns();
            task.segments_ns.clear();
            while left > 0 {
                let part = self.between(1, left);
                task.segments_ns.push(part);
                left -= part;
            }
        }
    }
}
