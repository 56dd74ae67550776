//! One write to the disk for the changes of many threads.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::{Answer, Change, StoreError, StoreLimits};

/// The most changes of one transaction.
pub(super) const CHANGES_MAX: usize = 256;

/// A change that waits to be carried out.
pub(super) struct Waiting {
    pub(super) change: Change,
    pub(super) limits: StoreLimits,
    state: Mutex<State>,
    changed: Condvar,
}

/// The answer to a change, or why there is none.
type Outcome = Result<Answer, StoreError>;

enum State {
    Waits,
    /// The thread of this change is to carry out all that wait.
    Leads,
    Done(Outcome),
}

/// The changes that wait, first come first served. The thread that finds no other at work carries
/// out all that wait at that moment, in one transaction, and hands over to the thread of the next.
#[derive(Default)]
pub(super) struct GroupCommit {
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Arc<Waiting>>,
    is_led: bool,
}

impl GroupCommit {
    /// Has a change carried out by `commit`, in this thread or another one, together with others.
    /// `commit` returns an outcome for each.
    pub(super) fn run(
        &self,
        change: Change,
        limits: StoreLimits,
        commit: impl Fn(&[Arc<Waiting>]) -> Vec<Outcome>,
    ) -> Outcome {
        let own = Arc::new(Waiting::new(change, limits));
        let leads = {
            let mut queue = self.queue.lock();
            queue.waiting.push_back(Arc::clone(&own));
            !std::mem::replace(&mut queue.is_led, true)
        };
        if leads {
            self.lead(&commit);
        }
        loop {
            let mut state = own.state.lock();
            match std::mem::replace(&mut *state, State::Waits) {
                State::Done(outcome) => return outcome,
                State::Leads => {
                    drop(state);
                    self.lead(&commit);
                }
                State::Waits => own.changed.wait(&mut state),
            }
        }
    }

    /// Carries out what waits, the first of which is this thread's, and hands over.
    fn lead(&self, commit: impl Fn(&[Arc<Waiting>]) -> Vec<Outcome>) {
        let batch: Vec<_> = {
            let mut queue = self.queue.lock();
            let count = queue.waiting.len().min(CHANGES_MAX);
            queue.waiting.drain(..count).collect()
        };
        let outcomes = catch_unwind(AssertUnwindSafe(|| commit(&batch)));
        let mut outcomes = outcomes.unwrap_or_default().into_iter();
        for waiting in &batch {
            let failed =
                || Err(StoreError::new("the store failed in the midst of a change").after_commit());
            waiting.tell(State::Done(outcomes.next().unwrap_or_else(failed)));
        }
        let mut queue = self.queue.lock();
        match queue.waiting.front() {
            Some(next) => next.tell(State::Leads),
            None => queue.is_led = false,
        }
    }
}

impl Waiting {
    pub(super) fn new(change: Change, limits: StoreLimits) -> Self {
        Self {
            change,
            limits,
            state: Mutex::new(State::Waits),
            changed: Condvar::new(),
        }
    }

    fn tell(&self, state: State) {
        *self.state.lock() = state;
        self.changed.notify_one();
    }
}
