//! A small executor: futures that the thread of the test polls.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long a test waits for what must come.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A waker that counts, and wakes a thread.
pub(super) struct Count {
    thread: Thread,
    pub(super) woken: AtomicUsize,
}

impl Count {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            thread: thread::current(),
            woken: AtomicUsize::new(0),
        })
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.woken.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// Polls a future until it is ready.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let count = Count::new();
    let waker = Waker::from(Arc::clone(&count));
    let mut context = Context::from_waker(&waker);
    let begin = Instant::now();
    loop {
        let seen = count.woken.load(Ordering::SeqCst);
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        while count.woken.load(Ordering::SeqCst) == seen {
            assert!(begin.elapsed() < PATIENCE, "the future is never woken");
            thread::park_timeout(Duration::from_secs(1));
        }
    }
}

/// Polls a future once.
pub(super) fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// A task of [`join_all`].
struct Task {
    is_due: AtomicBool,
    thread: Thread,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.is_due.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// Polls all futures from this thread, each only when it has been woken, until all are ready;
/// a future that is never woken is an error.
pub(super) fn join_all<F: Future + Unpin>(futures: Vec<F>) -> Vec<F::Output> {
    let new = |future| {
        let task = Arc::new(Task {
            is_due: AtomicBool::new(true),
            thread: thread::current(),
        });
        (Some(future), task, None)
    };
    type Run<F> = (Option<F>, Arc<Task>, Option<<F as Future>::Output>);
    let mut tasks: Vec<Run<F>> = futures.into_iter().map(new).collect();
    let mut left = tasks.len();
    let mut last = Instant::now();
    while left > 0 {
        let before = left;
        for (future, task, output) in &mut tasks {
            let Some(current) = future else { continue };
            if !task.is_due.swap(false, Ordering::SeqCst) {
                continue;
            }
            let waker = Waker::from(Arc::clone(task));
            let mut context = Context::from_waker(&waker);
            if let Poll::Ready(ready) = Pin::new(current).poll(&mut context) {
                *output = Some(ready);
                *future = None;
                left -= 1;
            }
        }
        if left == before {
            assert!(last.elapsed() < PATIENCE, "{left} futures are never woken");
            thread::park_timeout(Duration::from_millis(100));
        } else {
            last = Instant::now();
        }
    }
    tasks
        .into_iter()
        .filter_map(|(_, _, output)| output)
        .collect()
}
