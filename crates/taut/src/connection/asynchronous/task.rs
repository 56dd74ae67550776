//! A task that a thread carries out and futures wait for.

use std::mem;
use std::sync::Arc;
use std::task::{Poll, Waker};

use taut_sync::primitives::Mutex;

/// The outcome of a task, for all futures that wait for it.
pub(crate) struct Task<T> {
    state: Mutex<State<T>>,
}

struct State<T> {
    outcome: Option<T>,
    /// Those who wait; none where one has gone.
    waiting: Vec<Option<Waker>>,
}

/// The duty to finish a task. If it is dropped, the task has the outcome that was foreseen
/// for that.
pub(crate) struct Promise<T: Clone> {
    task: Arc<Task<T>>,
    otherwise: Option<T>,
}

/// The place of a future among those that wait for a task.
#[derive(Debug, Default)]
pub(crate) struct Place(Option<usize>);

impl<T: Clone> Task<T> {
    /// A task that is not finished; `otherwise` is its outcome if nobody finishes it.
    pub(crate) fn new(otherwise: T) -> (Arc<Self>, Promise<T>) {
        let task = Arc::new(Self {
            state: Mutex::new(State {
                outcome: None,
                waiting: Vec::new(),
            }),
        });
        let promise = Promise {
            task: Arc::clone(&task),
            otherwise: Some(otherwise),
        };
        (task, promise)
    }

    /// The outcome, if it is there; else `waker` is woken when it is.
    pub(crate) fn poll(&self, place: &mut Place, waker: &Waker) -> Poll<T> {
        let mut state = self.state.lock();
        if let Some(outcome) = &state.outcome {
            return Poll::Ready(outcome.clone());
        }
        let index = *place.0.get_or_insert_with(|| {
            state.waiting.push(None);
            state.waiting.len() - 1
        });
        let known = &mut state.waiting[index];
        if known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            return Poll::Pending;
        }
        let before = known.replace(waker.clone());
        drop(state);
        // Code of others, which may come back here.
        drop(before);
        Poll::Pending
    }

    /// Forgets a future that waits no more.
    pub(crate) fn forget(&self, place: &mut Place) {
        let Some(index) = place.0.take() else {
            return;
        };
        let mut state = self.state.lock();
        let waker = state.waiting.get_mut(index).and_then(Option::take);
        drop(state);
        drop(waker);
    }

    fn finish(&self, outcome: T) {
        let mut state = self.state.lock();
        if state.outcome.is_some() {
            return;
        }
        state.outcome = Some(outcome);
        let waiting = mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().flatten().for_each(Waker::wake);
    }
}

impl<T: Clone> Promise<T> {
    /// Finishes the task.
    pub(crate) fn finish(mut self, outcome: T) {
        self.otherwise = None;
        self.task.finish(outcome);
    }
}

impl<T: Clone> Drop for Promise<T> {
    fn drop(&mut self) {
        if let Some(outcome) = self.otherwise.take() {
            self.task.finish(outcome);
        }
    }
}
