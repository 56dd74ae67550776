//! The queues of released jobs.

use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use taut_sync::lock::{Condvar, PriorityInheritanceMutex, PriorityInheritanceMutexGuard};

use super::events::{self, EventRecorder, Events};
use super::record::{Ended, Record, Report};
use super::urged::{Place, Urged};
use super::{Priorities, Settings};
use crate::info::Importance;
use crate::repository::Handle;
use crate::schedule::Entry;

/// The order of jobs in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// As they were released.
    Release,
    /// By the level of their operations.
    Level,
    /// By their deadlines.
    Deadline,
    /// By the time between their end, if they began now, and their deadlines.
    Laxity,
}

/// Which operations share a queue, and its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    /// All of them.
    None,
    /// Those of a level.
    Levels,
    /// None: the most urgent job's thread has a higher priority than all others.
    Operations,
}

/// The properties of an operation that the queues need.
#[derive(Debug)]
struct Operation {
    queue: usize,
    level: u32,
    importance: Importance,
    period_ns: u64,
    deadline_ns: u64,
    total_ns: u64,
    is_released: bool,
    has_code: bool,
}

/// A released job.
#[derive(Debug, Clone, Copy)]
pub(super) struct Released {
    pub(super) operation: usize,
    pub(super) release_ns: u64,
    pub(super) deadline_ns: u64,
    /// Its number, counted over all operations.
    pub(super) number: u64,
    place: Place,
}

/// The state that threads share.
#[derive(Debug)]
struct State {
    /// The jobs of each queue, in no order.
    queues: Vec<Vec<Released>>,
    /// How many jobs of each operation wait.
    pending: Vec<usize>,
    /// The time of each operation's next release.
    next: Vec<u64>,
    /// The number of the next job.
    number: u64,
    urged: Urged,
    record: Record,
    has_stopped: bool,
}

/// The queues, of which each has a thread.
#[derive(Debug)]
pub(super) struct Queues {
    operations: Vec<Operation>,
    rule: Rule,
    max_pending: usize,
    /// When time began: once there are all threads, for starting them may take long.
    start: OnceLock<Instant>,
    /// Whether all threads have the schedule's priorities on one CPU, unless they are refused.
    is_one_processor: bool,
    /// The records of each queue's thread.
    rings: Vec<Arc<Events>>,
    /// Threads of all priorities take this lock, and ordinary ones that ask for a report or release
    /// a job: who has it goes on at the priority of those that wait.
    state: PriorityInheritanceMutex<State>,
    /// Wakes the thread of each queue.
    arrivals: Vec<Condvar>,
    /// Wakes the thread that releases operations.
    stopping: Condvar,
}

impl Queues {
    /// The queues of a schedule, with the rights of their threads to record. `has_code` says of each
    /// operation whether it has code.
    pub(super) fn new(
        entries: &[Entry],
        has_code: impl Fn(usize) -> bool,
        rule: Rule,
        division: Division,
        settings: &Settings,
    ) -> (Self, Vec<EventRecorder>) {
        let operation = |(index, entry): (usize, &Entry)| Operation {
            queue: match division {
                Division::None => 0,
                Division::Levels => entry.level as usize,
                Division::Operations => index,
            },
            level: entry.level,
            importance: entry.importance,
            period_ns: entry.period_ns,
            deadline_ns: entry.deadline_ns,
            total_ns: entry.total_ns,
            is_released: entry.is_released,
            has_code: has_code(index),
        };
        let operations: Vec<_> = entries.iter().enumerate().map(operation).collect();
        let queues = operations
            .iter()
            .map(|one| one.queue + 1)
            .max()
            .unwrap_or(0);
        let members = |queue| {
            operations
                .iter()
                .filter(move |one| one.queue == queue)
                .count()
        };
        let capacity = |queue| members(queue).saturating_mul(settings.max_pending_jobs);
        let state = State {
            queues: (0..queues)
                .map(|queue| Vec::with_capacity(capacity(queue)))
                .collect(),
            pending: vec![0; operations.len()],
            next: vec![0; operations.len()],
            number: 0,
            urged: Urged::default(),
            record: Record::new(entries),
            has_stopped: false,
        };
        let recorded = settings.max_recorded_jobs / queues.max(1);
        let recorders: Vec<_> = (0..queues).map(|_| events::recorder(recorded)).collect();
        let has_priorities = settings.priorities != Priorities::Unset;
        let own = Self {
            is_one_processor: settings.cpu.is_some() && has_priorities,
            rings: recorders.iter().map(|one| Arc::clone(one.ring())).collect(),
            operations,
            rule,
            max_pending: settings.max_pending_jobs,
            start: OnceLock::new(),
            state: PriorityInheritanceMutex::new(state),
            arrivals: (0..queues).map(|_| Condvar::new()).collect(),
            stopping: Condvar::new(),
        };
        (own, recorders)
    }

    /// The number of queues.
    pub(super) fn len(&self) -> usize {
        self.arrivals.len()
    }

    /// The queue of an operation.
    pub(super) fn queue_of(&self, operation: usize) -> usize {
        self.operations[operation].queue
    }

    /// When time began.
    pub(super) fn start(&self) -> Option<Instant> {
        self.start.get().copied()
    }

    /// The time since the start.
    pub(super) fn now_ns(&self) -> u64 {
        let elapsed = self.start.get().map(Instant::elapsed).unwrap_or_default();
        u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
    }

    fn state(&self) -> PriorityInheritanceMutexGuard<'_, State> {
        self.state.lock()
    }

    /// Releases operations at their times from now on, until the dispatcher stops.
    pub(super) fn release_in_time(&self) {
        let start = *self.start.get_or_init(Instant::now);
        let mut state = self.state();
        while !state.has_stopped {
            let next_ns = self.release_due(&mut state, self.now_ns());
            let next = start + Duration::from_nanos(next_ns);
            self.stopping.wait_until(&mut state, next);
        }
    }

    /// Releases the operations that are due at a time since the start. Returns the time of the next
    /// release after it.
    fn release_due(&self, state: &mut State, now_ns: u64) -> u64 {
        let mut soonest = u64::MAX;
        for (index, operation) in self.operations.iter().enumerate() {
            if !operation.is_released {
                continue;
            }
            // Releases that cannot even wait are left out all at once.
            let behind = now_ns.saturating_sub(state.next[index]) / operation.period_ns;
            let lost = behind.saturating_sub(self.max_pending as u64);
            state.record.operations[index].skipped += lost;
            state.next[index] += lost * operation.period_ns;
            while state.next[index] <= now_ns {
                let release = state.next[index];
                self.release(state, index, release);
                state.next[index] = release.saturating_add(operation.period_ns);
            }
            soonest = soonest.min(state.next[index]);
        }
        soonest
    }

    /// Releases a job of an operation now.
    pub(super) fn release_now(&self, operation: Handle) -> bool {
        let index = operation.index();
        let has_code = |operation: &Operation| operation.has_code;
        let mut state = self.state();
        !state.has_stopped
            && self.operations.get(index).is_some_and(has_code)
            && self.release(&mut state, index, self.now_ns())
    }

    /// Puts a job into its queue, unless too many jobs of its operation wait.
    fn release(&self, state: &mut State, index: usize, release_ns: u64) -> bool {
        let operation = &self.operations[index];
        if state.pending[index] >= self.max_pending {
            state.record.operations[index].skipped += 1;
            return false;
        }
        state.pending[index] += 1;
        state.record.operations[index].released += 1;
        let deadline_ns = release_ns.saturating_add(operation.deadline_ns);
        let rank = match self.rule {
            Rule::Release => 0,
            Rule::Level => i128::from(operation.level),
            Rule::Deadline => i128::from(deadline_ns),
            // Waiting jobs lose laxity alike, so that the time now does not matter.
            Rule::Laxity => i128::from(deadline_ns) - i128::from(operation.total_ns),
        };
        let importance = match self.rule {
            Rule::Release => Importance::default(),
            _ => operation.importance,
        };
        let number = state.number;
        state.number += 1;
        state.queues[operation.queue].push(Released {
            operation: index,
            release_ns,
            deadline_ns,
            number,
            place: (rank, Reverse(importance), release_ns),
        });
        self.arrivals[operation.queue].notify_one();
        true
    }

    /// Waits for a job of a queue and takes the most urgent one. None when the dispatcher stops. The
    /// priority is that at which it is executed, where priorities go round.
    pub(super) fn take(&self, queue: usize) -> Option<(Released, Option<i32>)> {
        let mut state = self.state();
        loop {
            if state.has_stopped {
                return None;
            }
            let waiting = state.queues[queue].iter().enumerate();
            let first = waiting.min_by_key(|(_, job)| (job.place, job.operation));
            if let Some((index, _)) = first {
                let job = state.queues[queue].swap_remove(index);
                state.pending[job.operation] -= 1;
                let priority = state.urged.begin(queue, job.place);
                return Some((job, priority));
            }
            self.arrivals[queue].wait(&mut state);
        }
    }

    /// Notes a job of a queue that has ended.
    pub(super) fn note(&self, queue: usize, job: Ended) {
        let mut state = self.state();
        state.record.note(job);
        state.urged.end(queue);
    }

    /// Has the thread of the most urgent job preempt the others, which have one priority less than
    /// this one.
    pub(super) fn urge_by_priority(&self, threads: Vec<i32>, priority: i32) {
        let mut state = self.state();
        if state.record.refused.is_none() {
            state.urged = Urged::new(threads, priority);
        }
    }

    /// Notes that threads do not get the priorities of the schedule.
    pub(super) fn note_refused(&self, reason: String) {
        self.state().record.refused.get_or_insert(reason);
    }

    /// Tells all threads to end.
    pub(super) fn stop(&self) {
        self.state().has_stopped = true;
        self.stopping.notify_all();
        for arrival in &self.arrivals {
            arrival.notify_all();
        }
    }

    /// The report of all that has been noted. Threads go on recording.
    pub(super) fn report(&self) -> Report {
        let (operations, refused) = {
            let state = self.state();
            (
                state.record.operations.clone(),
                state.record.refused.clone(),
            )
        };
        let lanes = operations.iter().map(|one| one.name.clone()).collect();
        let rings = self.rings.iter().map(|ring| &**ring);
        let is_one_processor = self.is_one_processor && refused.is_none();
        Report {
            timeline: events::timeline(lanes, rings, self.now_ns(), is_one_processor),
            operations,
            priorities_refused: refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Barrier, mpsc};
    use std::thread;

    use taut_sys::priority;

    use super::*;
    use crate::info::Criticality;

    /// The queue of operations with these periods, of which each may have 8 jobs that wait.
    fn queues(periods_ns: &[u64]) -> Queues {
        let entry = |period_ns: &u64| Entry {
            name: period_ns.to_string().into(),
            priority: 1,
            level: 0,
            subpriority: 0,
            period_ns: *period_ns,
            deadline_ns: *period_ns,
            total_ns: 1,
            criticality: Criticality::default(),
            importance: Importance::default(),
            is_released: true,
        };
        let entries: Vec<_> = periods_ns.iter().map(entry).collect();
        let settings = Settings::default();
        Queues::new(&entries, |_| true, Rule::Release, Division::None, &settings).0
    }

    #[test]
    fn time_begins_when_operations_are_released_and_not_when_queues_are_made() {
        const HOUR: u64 = 3_600_000_000_000;
        let queues = queues(&[HOUR, HOUR]);
        // Starting threads may take as long as it likes.
        thread::sleep(Duration::from_millis(2));
        assert_eq!(queues.now_ns(), 0);
        thread::scope(|scope| {
            scope.spawn(|| queues.release_in_time());
            for operation in 0..2 {
                let (job, _) = queues.take(0).unwrap();
                assert_eq!((job.operation, job.release_ns), (operation, 0));
            }
            queues.stop();
        });
        let report = queues.report();
        assert!(report.operations.iter().all(|one| one.skipped == 0));
    }

    #[test]
    fn operations_are_released_at_the_multiples_of_their_periods() {
        let queues = queues(&[10, 25]);
        let mut state = queues.state();
        let counts = |state: &State| {
            let operations = state.record.operations.iter();
            let counts = operations.map(|one| (one.released, one.skipped));
            counts.collect::<Vec<_>>()
        };
        for (now_ns, next_ns, expected) in [
            (0, 10, [(1, 0), (1, 0)]),
            (9, 10, [(1, 0), (1, 0)]),
            (10, 20, [(2, 0), (1, 0)]),
            // A look that comes late finds all that was due meanwhile.
            (31, 40, [(4, 0), (2, 0)]),
            // Of each 8 jobs wait; the others are left out, and counted.
            (1_000, 1_010, [(8, 93), (8, 33)]),
            (1_009, 1_010, [(8, 93), (8, 33)]),
        ] {
            assert_eq!(queues.release_due(&mut state, now_ns), next_ns, "{now_ns}");
            assert_eq!(counts(&state), expected, "{now_ns}");
        }
        let releases = |operation: usize| {
            let jobs = state.queues[0].iter();
            let own = jobs.filter(move |job| job.operation == operation);
            own.map(|job| job.release_ns).collect::<Vec<_>>()
        };
        assert_eq!(releases(0)[..4], [0, 10, 20, 30]);
        assert!(releases(1).iter().all(|release| release % 25 == 0));
    }

    #[test]
    fn of_jobs_with_one_deadline_the_more_important_and_then_the_earlier_goes_first() {
        // The order of a simulation: at 6 the first and the last end with a deadline of 12.
        let mut queues = queues(&[12, 6, 4]);
        queues.rule = Rule::Deadline;
        let order = |queues: &Queues| {
            let mut state = queues.state();
            for now_ns in [0, 6, 8] {
                queues.release_due(&mut state, now_ns);
            }
            drop(state);
            let taken = (0..6).map(|_| queues.take(0).unwrap().0);
            let with_one = taken.filter(|job| job.deadline_ns == 12);
            let order = with_one.map(|job| (job.operation, job.release_ns));
            order.collect::<Vec<_>>()
        };
        assert_eq!(order(&queues), [(0, 0), (1, 6), (2, 8)]);
        let mut queues = self::queues(&[12, 6, 4]);
        queues.rule = Rule::Deadline;
        queues.operations[1].importance = Importance::High;
        assert_eq!(order(&queues), [(1, 6), (0, 0), (2, 8)]);
    }

    #[test]
    fn an_ordinary_thread_that_has_the_lock_is_not_held_up_by_less_urgent_jobs() {
        let cpu = *taut_sys::cpu::allowed().unwrap().last().unwrap();
        let with_priority = move |priority: i32| {
            taut_sys::cpu::pin(cpu).unwrap();
            priority::set_fifo(priority)
        };
        let queues = &queues(&[1]);
        let (is_released, ready) = (&AtomicBool::new(false), &Barrier::new(3));
        let ((release, released), (begin, begun)) = (mpsc::channel(), mpsc::channel());
        thread::scope(|scope| {
            let releasing = scope.spawn(move || {
                let outcome = with_priority(20);
                ready.wait();
                released.recv().unwrap();
                begin.send(()).unwrap();
                drop(queues.state());
                is_released.store(true, Ordering::SeqCst);
                outcome
            });
            // A job that is ready before the releasing thread waits for the lock.
            let computing = scope.spawn(move || {
                let _ = with_priority(10);
                ready.wait();
                begun.recv().unwrap();
                is_released.load(Ordering::SeqCst)
            });
            let asking = scope.spawn(move || {
                taut_sys::cpu::pin(cpu).unwrap();
                ready.wait();
                let state = queues.state();
                // From here on the releasing thread has the CPU, until it waits for the lock.
                release.send(()).unwrap();
                drop(state);
            });
            asking.join().unwrap();
            let came_first = computing.join().unwrap();
            match releasing.join().unwrap() {
                Ok(()) => assert!(came_first, "a job ran while the lock was waited for"),
                Err(error) => eprintln!("LEFT OUT: a lock that is waited for, for {error}"),
            }
        });
    }
}
