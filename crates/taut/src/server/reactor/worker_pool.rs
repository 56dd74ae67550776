//! The reactor's threads, and when there are too few of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use taut_sync::lock::{Condvar, Mutex};

use crate::nested_calls::NestedCall;
use crate::settings::Settings;

/// How often the supervisor looks. When it finds twice in a row that every
/// thread is at the same event, it takes them all to be waiting for something.
pub(super) const INTERVAL: Duration = Duration::from_millis(10);

/// How often, and how many times, it looks after it has found that every thread waits for
/// the reply to a servant's call while further events are there.
const SHORT_INTERVAL: Duration = Duration::from_micros(500);
const SHORT_LOOKS: u32 = 8;

/// Of so many threads that all wait, one more is added at a time.
const THREADS_FOR_ONE_MORE: usize = 4;

/// How long no further thread is tried after one could not be started.
pub(super) const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// For how long there must be threads to spare before one may leave.
const TIME_BEFORE_LEAVING: Duration = Duration::from_secs(1);

/// One thread, as the supervisor sees it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Worker {
    /// Counts the beginnings and ends of events: odd within one. Only its own
    /// thread writes it.
    progress: AtomicU64,
    /// The token of its last event.
    token: AtomicU64,
    /// Whether it waits for the reply to a servant's call.
    nested_call: Arc<NestedCall>,
}

/// All threads.
pub(super) struct WorkerPool {
    least: usize,
    most: usize,
    /// How long requests wait while no thread can come to them.
    stall_timeout: Option<Duration>,
    workers: Mutex<Workers>,
    changed: Condvar,
    /// How many threads may leave; and [`WORK`], where something is to be done that no event
    /// tells.
    calls: AtomicUsize,
}

/// The bit in the calls on a pool's threads that says that there is work for them.
const WORK: usize = 1 << (usize::BITS - 1);

#[derive(Default)]
struct Workers {
    present: Vec<Arc<Worker>>,
    is_stopped: bool,
}

/// The actions that the supervisor takes.
pub(super) trait Supervised {
    /// Starts a thread. False when that fails.
    fn spawn(&self) -> bool;

    /// Looks at an event that a thread is dealing with, now and then.
    fn look_at(&self, token: u64);

    /// Whether an event waits for a thread.
    fn has_event(&self) -> bool;

    /// Answers the requests that wait with an exception.
    fn refuse_requests(&self);
}

impl Worker {
    /// Notes that the thread deals with the event of this token.
    #[inline]
    pub(super) fn begin(&self, token: u64) {
        self.token.store(token, Ordering::Relaxed);
        self.step();
    }

    /// Notes that the thread has dealt with it.
    #[inline]
    pub(super) fn end(&self) {
        self.step();
    }

    /// Has the calling thread, which is this one, tell when it waits for a reply.
    pub(super) fn watch_this_thread(&self) {
        NestedCall::watch_this_thread(&self.nested_call);
    }

    #[inline]
    fn step(&self) {
        let progress = self.progress.load(Ordering::Relaxed);
        self.progress
            .store(progress.wrapping_add(1), Ordering::Relaxed);
    }
}

impl WorkerPool {
    pub(super) fn new(settings: &Settings) -> Self {
        let least = settings.server.reactor_threads.max(1);
        let most = settings.server.max_reactor_threads.max(least);
        Self {
            stall_timeout: settings.server.reactor_stall_timeout,
            ..Self::between(least, most)
        }
    }

    /// The threads of a lane, of which there are so many at least and at most.
    pub(super) fn between(least: usize, most: usize) -> Self {
        Self {
            least,
            most,
            stall_timeout: None,
            workers: Mutex::default(),
            changed: Condvar::new(),
            calls: AtomicUsize::new(0),
        }
    }

    /// Adds a thread.
    pub(super) fn add(&self) -> Arc<Worker> {
        let worker = Arc::new(Worker::default());
        self.workers.lock().present.push(Arc::clone(&worker));
        worker
    }

    /// Takes a thread away that ends.
    pub(super) fn leave(&self, worker: &Arc<Worker>) {
        let mut workers = self.workers.lock();
        workers.present.retain(|other| !Arc::ptr_eq(other, worker));
    }

    /// Whether a thread may leave, or there is work for one that no event tells.
    #[inline]
    pub(super) fn calls(&self) -> bool {
        self.calls.load(Ordering::Relaxed) != 0
    }

    /// Whether the calling thread is one too many, and is to end.
    #[cold]
    pub(super) fn may_leave(&self) -> bool {
        self.calls
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |calls| {
                (calls & !WORK > 0).then(|| calls - 1)
            })
            .is_ok()
    }

    /// How many threads deal with no event.
    pub(super) fn idle(&self) -> usize {
        let workers = self.workers.lock();
        let idle = workers.present.iter();
        let idle = idle.filter(|worker| worker.progress.load(Ordering::Relaxed) % 2 == 0);
        idle.count()
    }

    /// Tells the threads that there is work for one, or none any more.
    pub(super) fn call_for_work(&self, is_there: bool) {
        match is_there {
            true => self.calls.fetch_or(WORK, Ordering::AcqRel),
            false => self.calls.fetch_and(!WORK, Ordering::AcqRel),
        };
    }

    /// Lets one thread leave, unless one has been let already.
    pub(super) fn let_leave(&self) {
        let change = |calls: usize| (calls & !WORK == 0).then_some(calls | 1);
        let _ = self
            .calls
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
    }

    /// Ends the supervision.
    pub(super) fn stop(&self) {
        self.workers.lock().is_stopped = true;
        self.changed.notify_all();
    }

    /// Adds threads while none makes progress and there may be more, and has requests
    /// refused that none can come to, until the pool is stopped.
    pub(super) fn supervise(&self, supervised: &impl Supervised) {
        // They keep their memory: supervision goes on while nothing may be allocated.
        let mut look = Look::new(self.most);
        let mut before: Vec<u64> = Vec::with_capacity(self.most);
        let mut state = State::new();
        let mut interval = INTERVAL;
        while self.look(&mut look, interval) {
            let now = Instant::now();
            if state.is_time_for_events(now) {
                let tokens = look.tokens.drain(..);
                tokens.for_each(|token| supervised.look_at(token));
            }
            let is_stuck = look.is_busy() && look.progress == before;
            // The system is asked only where no thread can come to an event by itself.
            let is_short = look.is_busy() && look.all_wait && supervised.has_event();
            let may_spawn = look.progress.len() < self.most && now >= state.spawn_again;
            if may_spawn && (is_short || is_stuck && interval == INTERVAL) {
                self.spawn_some(&look, is_short, supervised, &mut state);
            }
            let is_stalled = is_stuck && is_short && !may_spawn;
            if state.has_stalled_for(self.stall_timeout, is_stalled, now) {
                supervised.refuse_requests();
                state.look_quickly();
            }
            let has_spare = look.progress.len() > self.least && look.idle() > 1;
            if state.has_had_spare_for(TIME_BEFORE_LEAVING, has_spare, now) {
                self.let_leave();
            }
            interval = state.next_interval();
            std::mem::swap(&mut look.progress, &mut before);
        }
    }

    /// Waits, and looks at all threads. False when the pool is stopped.
    pub(super) fn look(&self, look: &mut Look, interval: Duration) -> bool {
        look.clear();
        let mut workers = self.workers.lock();
        if !workers.is_stopped {
            self.changed.wait_for(&mut workers, interval);
        }
        for worker in &workers.present {
            look.note(worker);
        }
        !workers.is_stopped
    }

    /// Adds threads: one, or several where requests wait and there are many already.
    fn spawn_some(
        &self,
        look: &Look,
        is_short: bool,
        supervised: &impl Supervised,
        state: &mut State,
    ) {
        let present = look.progress.len();
        let more = match is_short {
            true => {
                state.look_quickly();
                (present / THREADS_FOR_ONE_MORE).max(1)
            }
            false => 1,
        };
        let more = more.min(self.most - present);
        tracing::debug!(threads = present, more, "no thread makes progress: more");
        if !(0..more).all(|_| supervised.spawn()) {
            state.spawn_again = Instant::now() + PAUSE_AFTER_FAILURE;
        }
    }
}

/// The memory of a supervisor from look to look.
pub(super) struct State {
    /// When events that are being dealt with are looked at next.
    look_at_events: Instant,
    /// When a further thread may be tried.
    pub(super) spawn_again: Instant,
    /// How many looks follow one another quickly.
    short_looks: u32,
    /// Since when no thread comes to what waits.
    stalled_since: Option<Instant>,
    /// Since when there are threads to spare.
    spare_since: Option<Instant>,
}

impl State {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            look_at_events: now,
            spawn_again: now,
            short_looks: 0,
            stalled_since: None,
            spare_since: None,
        }
    }

    /// Whether the events that are being dealt with are looked at now.
    pub(super) fn is_time_for_events(&mut self, now: Instant) -> bool {
        let is_time = now >= self.look_at_events;
        if is_time {
            self.look_at_events = now + INTERVAL;
        }
        is_time
    }

    /// Has some looks follow one another quickly.
    pub(super) fn look_quickly(&mut self) {
        self.short_looks = SHORT_LOOKS;
    }

    /// How long to wait until the next look.
    pub(super) fn next_interval(&mut self) -> Duration {
        match self.short_looks.checked_sub(1) {
            Some(left) => {
                self.short_looks = left;
                SHORT_INTERVAL
            }
            None => INTERVAL,
        }
    }

    /// Whether no thread has come to what waits for so long, now that it is so or not.
    pub(super) fn has_stalled_for(
        &mut self,
        time: Option<Duration>,
        is_stalled: bool,
        now: Instant,
    ) -> bool {
        if !is_stalled {
            self.stalled_since = None;
            return false;
        }
        let since = *self.stalled_since.get_or_insert(now);
        time.is_some_and(|time| now.duration_since(since) >= time)
    }

    /// Whether there have been threads to spare for so long, now that there are some or not; then
    /// it is counted anew.
    pub(super) fn has_had_spare_for(
        &mut self,
        time: Duration,
        has_spare: bool,
        now: Instant,
    ) -> bool {
        if !has_spare {
            self.spare_since = None;
            return false;
        }
        let since = *self.spare_since.get_or_insert(now);
        let is_long = now.duration_since(since) >= time;
        if is_long {
            self.spare_since = None;
        }
        is_long
    }
}

/// The findings of one look at all threads.
pub(super) struct Look {
    /// The progress of each thread.
    pub(super) progress: Vec<u64>,
    /// The events that are being dealt with.
    pub(super) tokens: Vec<u64>,
    /// Whether every thread waits for the reply to a servant's call.
    all_wait: bool,
}

impl Look {
    pub(super) fn new(most: usize) -> Self {
        Self {
            progress: Vec::with_capacity(most),
            tokens: Vec::with_capacity(most),
            all_wait: true,
        }
    }

    fn clear(&mut self) {
        self.progress.clear();
        self.tokens.clear();
        self.all_wait = true;
    }

    fn note(&mut self, worker: &Worker) {
        let progress = worker.progress.load(Ordering::Relaxed);
        self.progress.push(progress);
        if progress % 2 == 1 {
            self.tokens.push(worker.token.load(Ordering::Relaxed));
        }
        self.all_wait &= worker.nested_call.is_waiting();
    }

    /// Whether every thread deals with an event.
    pub(super) fn is_busy(&self) -> bool {
        self.progress.iter().all(|progress| progress % 2 == 1)
    }

    /// How many threads deal with none.
    pub(super) fn idle(&self) -> usize {
        let idle = self.progress.iter().filter(|progress| *progress % 2 == 0);
        idle.count()
    }
}
