//! A processor that executes jobs tick by tick. It shares no code with the product.

use taut_scheduling::Task;

/// The pattern of a task's releases.
#[derive(Clone, Copy)]
pub(crate) struct Pattern {
    /// The first release. None: the task is not released.
    pub(crate) first: Option<u64>,
    /// By how much the first job is late: it counts as released that much earlier. Later jobs
    /// are punctual, as far as the first one's release allows.
    pub(crate) jitter: u64,
}

impl Pattern {
    pub(crate) const NOW: Self = Self::at(0);

    pub(crate) const fn at(first: u64) -> Self {
        Self {
            first: Some(first),
            jitter: 0,
        }
    }

    pub(crate) const NEVER: Self = Self {
        first: None,
        jitter: 0,
    };
}

/// A job as the rule of choice sees it.
#[derive(Clone, Copy)]
pub(crate) struct Active {
    pub(crate) task: usize,
    pub(crate) number: u64,
    /// The time that counts as its release.
    pub(crate) nominal: i64,
    pub(crate) deadline: i64,
    pub(crate) executed: u64,
    pub(crate) left: u64,
    pub(crate) ran_last: bool,
}

/// A job that has ended, or has not by the end of the clock.
pub(crate) struct Done {
    pub(crate) task: usize,
    pub(crate) nominal: i64,
    pub(crate) deadline: i64,
    pub(crate) end: Option<i64>,
}

impl Done {
    pub(crate) fn response(&self) -> Option<u64> {
        self.end
            .map(|end| u64::try_from(end - self.nominal).unwrap())
    }

    /// Whether it ended too late, or has not ended though it is due until `until`.
    pub(crate) fn is_missed(&self, until: u64) -> bool {
        match self.end {
            Some(end) => end > self.deadline,
            None => i64::try_from(until).unwrap() >= self.deadline,
        }
    }
}

/// A clock's set-up.
pub(crate) struct Clock<'t> {
    pub(crate) tasks: &'t [Task],
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) until: u64,
    /// Ends at the first idle tick after this time.
    pub(crate) idle_after: Option<u64>,
    /// Whether a job is only preempted between its operations.
    pub(crate) is_deferred: bool,
}

impl Clock<'_> {
    /// Executes the tasks; the job with the least `key` runs.
    pub(crate) fn run<K: Ord>(&self, key: impl Fn(&Active, u64) -> K) -> Vec<Done> {
        let mut active: Vec<Active> = Vec::new();
        let mut done = Vec::new();
        let mut released = vec![0_u64; self.tasks.len()];
        let record = |job: &Active, end| Done {
            task: job.task,
            nominal: job.nominal,
            deadline: job.deadline,
            end,
        };
        let costs: Vec<u64> = self
            .tasks
            .iter()
            .map(|task| task.segments_ns.iter().sum())
            .collect();
        for now in 0..self.until {
            for (index, task) in self.tasks.iter().enumerate() {
                let Pattern { first, jitter } = self.patterns[index];
                let Some(first) = first else { continue };
                while now >= first && now + jitter >= first + released[index] * task.period_ns {
                    let nominal = (first + released[index] * task.period_ns) as i64 - jitter as i64;
                    active.push(Active {
                        task: index,
                        number: released[index],
                        nominal,
                        deadline: nominal + task.deadline_ns as i64,
                        executed: 0,
                        left: costs[index],
                        ran_last: false,
                    });
                    released[index] += 1;
                }
            }
            if active.is_empty() {
                if self.idle_after.is_some_and(|after| now > after) {
                    break;
                }
                continue;
            }
            let held = active
                .iter()
                .position(|job| self.is_deferred && job.ran_last && !self.is_boundary(job));
            let chosen = held.unwrap_or_else(|| {
                let indices = 0..active.len();
                indices
                    .min_by_key(|index| key(&active[*index], now))
                    .unwrap()
            });
            for (index, job) in active.iter_mut().enumerate() {
                job.ran_last = index == chosen;
            }
            active[chosen].executed += 1;
            active[chosen].left -= 1;
            if active[chosen].left == 0 {
                let job = active.remove(chosen);
                done.push(record(&job, Some(now as i64 + 1)));
            }
        }
        done.extend(active.iter().map(|job| record(job, None)));
        done
    }

    /// Whether a job is between two operations.
    fn is_boundary(&self, job: &Active) -> bool {
        let mut sum = 0;
        let mut ends = self.tasks[job.task].segments_ns.iter().map(|segment| {
            sum += segment;
            sum
        });
        job.executed == 0 || ends.any(|end| end == job.executed)
    }
}

/// The least common multiple of the periods.
pub(crate) fn hyperperiod(tasks: &[Task]) -> u64 {
    let mut multiple = 1;
    while tasks.iter().any(|task| multiple % task.period_ns != 0) {
        multiple += 1;
    }
    multiple
}

/// The work of these tasks in a hyperperiod of all.
pub(crate) fn work<'t>(tasks: impl Iterator<Item = &'t Task>, hyperperiod: u64) -> u64 {
    tasks
        .map(|task| task.segments_ns.iter().sum::<u64>() * hyperperiod / task.period_ns)
        .sum()
}

/// The longest response of a task among these jobs.
pub(crate) fn longest(done: &[Done], task: usize) -> Option<u64> {
    let own = done.iter().filter(|job| job.task == task);
    own.filter_map(Done::response).max()
}
