//! A future and who polls it.

use std::mem;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use taut_sync::lock::Mutex;

use super::{BoxFuture, Threads};

/// A future that one thread at a time polls, when it has been woken.
pub(crate) struct Task {
    threads: Arc<Threads>,
    state: Mutex<State>,
}

enum State {
    /// A thread polls it.
    Polled {
        /// Whether it has been woken since that began.
        is_woken: bool,
    },
    /// It waits to be woken.
    Waiting(BoxFuture),
    /// It waits for a thread.
    Queued(BoxFuture),
    /// It has ended.
    Done,
}

impl Task {
    /// A task whose future the calling thread is about to poll for the first time.
    pub(super) fn new(threads: &Arc<Threads>) -> Arc<Self> {
        Arc::new(Self {
            threads: Arc::clone(threads),
            state: Mutex::new(State::Polled { is_woken: false }),
        })
    }

    /// Has a thread poll a future for the first time.
    pub(super) fn start(threads: &Arc<Threads>, future: BoxFuture) {
        let task = Self {
            threads: Arc::clone(threads),
            state: Mutex::new(State::Queued(future)),
        };
        Arc::new(task).queue();
    }

    /// Goes on with a future that was polled with this task's waker, and is not ready.
    pub(crate) fn go_on(self: Arc<Self>, future: BoxFuture) {
        self.wait_with(future);
    }

    /// Has the future wait until it is woken, or for a thread if it has been.
    fn wait_with(self: Arc<Self>, future: BoxFuture) {
        let mut state = self.state.lock();
        if let State::Polled { is_woken: false } = *state {
            *state = State::Waiting(future);
            return;
        }
        *state = State::Queued(future);
        drop(state);
        self.queue();
    }

    fn queue(self: Arc<Self>) {
        let threads = Arc::clone(&self.threads);
        if !threads.push(Arc::clone(&self)) {
            self.end();
        }
    }

    /// Polls the future, by a thread that has taken the task out of the queue.
    pub(super) fn run(self: Arc<Self>) {
        let polled = State::Polled { is_woken: false };
        let before = mem::replace(&mut *self.state.lock(), polled);
        let State::Queued(mut future) = before else {
            // Only queued tasks are in the queue.
            return self.end();
        };
        let waker = Waker::from(Arc::clone(&self));
        if future
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
        {
            return self.wait_with(future);
        }
        self.end();
        drop(future);
    }

    /// Drops the future, outside of the lock: that may wake other tasks.
    fn end(&self) {
        let before = mem::replace(&mut *self.state.lock(), State::Done);
        drop(before);
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let mut state = self.state.lock();
        match mem::replace(&mut *state, State::Done) {
            State::Waiting(future) => {
                *state = State::Queued(future);
                drop(state);
                self.queue();
            }
            State::Polled { .. } => *state = State::Polled { is_woken: true },
            other => *state = other,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::threads::InternalThreads;
    use std::future::poll_fn;
    use std::sync::mpsc::channel;
    use std::task::Poll;
    use std::thread;
    use std::time::Duration;

    use super::super::Executor;
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn a_future_that_is_woken_while_it_is_polled_is_polled_again() {
        let beginning = InternalThreads::default();
        let executor = Executor::new(("taut future", &beginning), None, 1);
        let (done, was_done) = channel();
        let mut polls = 0;
        let future = poll_fn(move |context| {
            polls += 1;
            context.waker().wake_by_ref();
            if polls < 5 {
                return Poll::Pending;
            }
            done.send(thread::current().name().map(str::to_owned))
                .unwrap();
            Poll::Ready(())
        });
        let mut future: BoxFuture = Box::pin(future);
        let task = executor.task();
        let waker = Waker::from(Arc::clone(&task));
        assert!(
            future
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
        );
        task.go_on(future);
        let name = was_done.recv_timeout(PATIENCE).unwrap();
        assert_eq!(name.as_deref(), Some("taut future"));
        executor.close();
    }

    #[test]
    fn a_future_that_is_woken_when_the_threads_have_ended_is_dropped() {
        struct Dropped(std::sync::mpsc::Sender<()>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.send(()).unwrap();
            }
        }
        let beginning = InternalThreads::default();
        let executor = Executor::new(("taut future", &beginning), None, 1);
        let (dropped, was_dropped) = channel();
        let dropped = Dropped(dropped);
        let task = executor.task();
        let waker = Waker::from(Arc::clone(&task));
        task.go_on(Box::pin(async move {
            let _dropped = dropped;
            std::future::pending::<()>().await;
        }));
        executor.close();
        assert!(was_dropped.try_recv().is_err());
        waker.wake();
        was_dropped.recv_timeout(PATIENCE).unwrap();
    }
}
