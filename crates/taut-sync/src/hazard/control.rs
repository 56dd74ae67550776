//! The control threads, which give up what nobody holds any more.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::domain::{Domain, State};
use super::sync::{MutexGuard, lock};
use crate::threads;

/// The time for which a control thread waits before it looks again, which doubles
/// each time that there is nothing new.
const FIRST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// The time for which a control thread waits that has nothing to do.
const LINGER: Duration = Duration::from_millis(200);

/// The first thing that each control thread does.
static BEGIN: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Has each control thread that starts from now on do this first, unless something else has been
/// said before.
pub(super) fn begin_with(begin: Box<dyn Fn() + Send + Sync>) {
    let _ = BEGIN.set(begin);
}

impl Domain {
    /// Sees to it that a control thread looks after what waits, if anything does.
    ///
    /// Where none can be started, what waits does so until this is asked again.
    pub(super) fn look_after(&'static self, mut state: MutexGuard<'_, State>) {
        let reclamation = &mut state.reclamation;
        if reclamation.is_empty() {
            return;
        }
        if reclamation.waiting > 0 {
            drop(state);
            self.more.notify_one();
            return;
        }
        reclamation.waiting += 1;
        drop(state);
        let reclaim = || {
            if let Some(begin) = BEGIN.get() {
                begin();
            }
            self.reclaim();
        };
        if threads::spawn("taut reclaim", reclaim).is_err() {
            lock(&self.state).reclamation.waiting -= 1;
        }
    }

    /// Waits until those values have ended that nobody holds now, up to a point in time.
    pub(super) fn settle(&'static self, deadline: Instant) {
        let mut state = lock(&self.state);
        state.sweep();
        let last = state.reclamation.last_turn();
        if state.reclamation.has_free() {
            self.look_after(state);
            state = lock(&self.state);
        }
        while state.reclamation.is_before_end_of(last)
            && !self.done.wait_until(&mut state, deadline).timed_out()
        {}
    }

    /// Runs a control thread, which counts as one that waits.
    fn reclaim(&'static self) {
        let mut pause = FIRST_PAUSE;
        let mut state = lock(&self.state);
        loop {
            if self.is_answered.swap(false, Ordering::Acquire) || state.reclamation.is_uncertain() {
                state.sweep();
            }
            if let Some((retired, turn)) = state.reclamation.begin_turn() {
                state.reclamation.waiting -= 1;
                self.look_after(state);
                retired.end_quietly();
                state = lock(&self.state);
                state.reclamation.end_turn(turn);
                self.done.notify_all();
                state.reclamation.waiting += 1;
                pause = FIRST_PAUSE;
                continue;
            }
            if state.reclamation.waiting > 1 {
                break;
            }
            let is_idle = state.reclamation.is_empty();
            let wait = if is_idle { LINGER } else { pause };
            let is_over = self.more.wait_for(&mut state, wait).timed_out();
            if is_idle && is_over && state.reclamation.is_empty() {
                break;
            }
            pause = match is_over {
                true => (pause * 2).min(LONGEST_PAUSE),
                false => FIRST_PAUSE,
            };
        }
        state.reclamation.waiting -= 1;
    }
}
