//! The reactor's threads, and when there are too few of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::settings::Settings;

/// How often the supervisor looks. When it finds twice in a row that every
/// thread is at the same event, it takes them all to be waiting for something.
const INTERVAL: Duration = Duration::from_millis(10);

/// How often in a row it must find threads to spare before one may leave.
const LOOKS_BEFORE_LEAVING: u32 = 100;

/// One thread, as the supervisor sees it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Worker {
    /// Counts the beginnings and ends of events: odd within one. Only its own
    /// thread writes it.
    progress: AtomicU64,
    /// The token of its last event.
    token: AtomicU64,
}

/// All threads.
pub(super) struct Crew {
    least: usize,
    most: usize,
    workers: Mutex<Workers>,
    changed: Condvar,
    /// How many threads may leave.
    surplus: AtomicUsize,
}

#[derive(Default)]
struct Workers {
    present: Vec<Arc<Worker>>,
    is_dismissed: bool,
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

    #[inline]
    fn step(&self) {
        let progress = self.progress.load(Ordering::Relaxed);
        self.progress
            .store(progress.wrapping_add(1), Ordering::Relaxed);
    }
}

impl Crew {
    pub(super) fn new(settings: &Settings) -> Self {
        let least = settings.reactor_threads.max(1);
        Self {
            least,
            most: settings.max_reactor_threads.max(least),
            workers: Mutex::default(),
            changed: Condvar::new(),
            surplus: AtomicUsize::new(0),
        }
    }

    /// Adds a thread.
    pub(super) fn hire(&self) -> Arc<Worker> {
        let worker = Arc::new(Worker::default());
        self.workers.lock().present.push(Arc::clone(&worker));
        worker
    }

    /// Takes a thread away that ends.
    pub(super) fn leave(&self, worker: &Arc<Worker>) {
        let mut workers = self.workers.lock();
        workers.present.retain(|other| !Arc::ptr_eq(other, worker));
    }

    /// Whether the calling thread is one too many, and is to end.
    #[inline]
    pub(super) fn may_leave(&self) -> bool {
        self.surplus.load(Ordering::Relaxed) > 0 && self.take_surplus()
    }

    #[cold]
    fn take_surplus(&self) -> bool {
        self.surplus
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |surplus| {
                surplus.checked_sub(1)
            })
            .is_ok()
    }

    /// Ends the supervision.
    pub(super) fn dismiss(&self) {
        self.workers.lock().is_dismissed = true;
        self.changed.notify_all();
    }

    /// Calls `hire` whenever no thread has made progress for a while and there
    /// may be more, and `busy` now and then with the token of each event that is
    /// being dealt with, until the crew is dismissed.
    pub(super) fn supervise(&self, hire: impl Fn(), busy: impl Fn(u64)) {
        // What each thread had got to, now and when last looked at. They keep
        // their memory: supervision goes on while nothing may be allocated.
        let mut now: Vec<u64> = Vec::with_capacity(self.most);
        let mut before: Vec<u64> = Vec::with_capacity(self.most);
        let mut tokens: Vec<u64> = Vec::with_capacity(self.most);
        let mut idle_looks = 0;
        loop {
            now.clear();
            {
                let mut workers = self.workers.lock();
                if !workers.is_dismissed {
                    self.changed.wait_for(&mut workers, INTERVAL);
                }
                if workers.is_dismissed {
                    return;
                }
                for worker in &workers.present {
                    let progress = worker.progress.load(Ordering::Relaxed);
                    now.push(progress);
                    if progress % 2 == 1 {
                        tokens.push(worker.token.load(Ordering::Relaxed));
                    }
                }
            }
            tokens.drain(..).for_each(&busy);
            let may_hire = now.len() < self.most;
            let are_all_stuck = now == before && now.iter().all(|progress| progress % 2 == 1);
            if are_all_stuck && may_hire {
                tracing::debug!(threads = now.len(), "no thread makes progress: one more");
                hire();
            }
            let waiting = now.iter().filter(|progress| *progress % 2 == 0).count();
            idle_looks = match now.len() > self.least && waiting > 1 {
                true => idle_looks + 1,
                false => 0,
            };
            if idle_looks == LOOKS_BEFORE_LEAVING {
                idle_looks = 0;
                self.surplus.store(1, Ordering::Relaxed);
            }
            std::mem::swap(&mut now, &mut before);
        }
    }
}
