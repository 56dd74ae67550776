//! The thread that looks after up-calls with budgets.
//!
//! It runs while there are such up-calls, and for a while afterwards.

use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_sync::lock::{Condvar, Mutex};

use super::upcall_budget::RunningUpcall;
use crate::threads;

/// How long the thread waits for a further up-call before it ends.
const STAY: Duration = Duration::from_secs(1);

/// The up-calls of the process that have budgets.
#[derive(Default)]
struct Watched {
    /// With the time at which each is looked at; none once it is over its budget.
    upcalls: Vec<(Arc<RunningUpcall>, Option<Instant>)>,
    has_thread: bool,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched {
    upcalls: Vec::new(),
    has_thread: false,
});

static CHANGED: Condvar = Condvar::new();

/// Has an up-call looked at, first at this time.
pub(super) fn begin(upcall: &Arc<RunningUpcall>, at: Instant) {
    let mut watched = WATCHED.lock();
    let is_first = watched
        .upcalls
        .iter()
        .all(|(_, other)| other.is_none_or(|other| at < other));
    watched.upcalls.push((Arc::clone(upcall), Some(at)));
    if !watched.has_thread {
        match threads::spawn("taut budgets", watch) {
            Ok(_) => watched.has_thread = true,
            // The servant can still ask, and what it took is found at its end.
            Err(error) => {
                tracing::warn!(%error, "no thread looks after the budgets of servants");
            }
        }
    } else if is_first {
        CHANGED.notify_one();
    }
}

/// Has an up-call not looked at any more.
pub(super) fn end(upcall: &Arc<RunningUpcall>) {
    let mut watched = WATCHED.lock();
    let place = watched
        .upcalls
        .iter()
        .position(|(other, _)| Arc::ptr_eq(other, upcall));
    if let Some(place) = place {
        watched.upcalls.swap_remove(place);
    }
}

fn watch() {
    let mut watched = WATCHED.lock();
    let mut idle_until = Instant::now() + STAY;
    loop {
        let now = Instant::now();
        let is_due =
            |(_, at): &&mut (Arc<RunningUpcall>, Option<Instant>)| at.is_some_and(|at| at <= now);
        let mut all = watched.upcalls.iter_mut();
        if let Some((upcall, at)) = all.find(is_due) {
            let upcall = Arc::clone(upcall);
            *at = None;
            // Events may be the application's code, which must not keep up-calls waiting.
            drop(watched);
            let next = upcall.look();
            watched = WATCHED.lock();
            let mut all = watched.upcalls.iter_mut();
            if let Some((_, at)) = all.find(|(other, _)| Arc::ptr_eq(other, &upcall)) {
                *at = next;
            }
            continue;
        }
        let next = watched.upcalls.iter().filter_map(|(_, at)| *at).min();
        if !watched.upcalls.is_empty() {
            idle_until = now + STAY;
        } else if idle_until <= now {
            watched.has_thread = false;
            return;
        }
        let until = next.unwrap_or(idle_until).max(now);
        // While all are over their budgets, there is nothing to look at.
        let wait = until
            .saturating_duration_since(now)
            .max(Duration::from_micros(20));
        CHANGED.wait_for(&mut watched, wait);
    }
}
