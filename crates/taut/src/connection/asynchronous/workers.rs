//! The threads that do for futures what may block: looking up names and connecting.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use taut_sync::lock::Mutex;

use crate::threads::InternalThreads;

/// Threads that end as soon as there is nothing to do.
pub(super) struct Workers {
    /// How they begin.
    beginning: InternalThreads,
    max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    threads: usize,
}

/// Something that may block. If it is dropped, those who wait for it are told.
type Job = Box<dyn FnOnce() + Send>;

impl Workers {
    /// At most so many threads.
    pub(super) fn new(max: usize, threads: &InternalThreads) -> Arc<Self> {
        Arc::new(Self {
            beginning: threads.clone(),
            max: max.max(1),
            state: Mutex::default(),
        })
    }

    /// Has a thread carry something out, as soon as one is free.
    ///
    /// # Errors
    ///
    /// The operating system's, if there is no thread and none can be started.
    pub(super) fn submit(self: &Arc<Self>, job: Job) -> io::Result<()> {
        let mut state = self.state.lock();
        state.waiting.push_back(job);
        if state.threads >= self.max {
            return Ok(());
        }
        state.threads += 1;
        drop(state);
        let own = Arc::clone(self);
        let Err(error) = self.beginning.spawn("taut connect", move || own.work()) else {
            return Ok(());
        };
        let mut state = self.state.lock();
        state.threads -= 1;
        // Other threads do what there is to do, if there are any.
        let lost = match state.threads {
            0 => std::mem::take(&mut state.waiting),
            _ => return Ok(()),
        };
        drop(state);
        drop(lost);
        Err(error)
    }

    fn work(&self) {
        /// Notes that the thread ends, also by a panic of the code of others.
        struct Leaving<'w>(&'w Workers);
        impl Drop for Leaving<'_> {
            fn drop(&mut self) {
                let mut state = self.0.state.lock();
                state.threads -= 1;
                let lost = match state.threads {
                    0 => std::mem::take(&mut state.waiting),
                    _ => VecDeque::new(),
                };
                drop(state);
                drop(lost);
            }
        }
        let leaving = Leaving(self);
        loop {
            let mut state = self.state.lock();
            let Some(job) = state.waiting.pop_front() else {
                // In the same step, so that no job is left behind.
                state.threads -= 1;
                drop(state);
                std::mem::forget(leaving);
                return;
            };
            drop(state);
            job();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::threads::InternalThreads;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier, mpsc};

    use super::Workers;

    #[test]
    fn no_more_threads_work_at_once_than_may() -> std::io::Result<()> {
        for max in [1, 2] {
            let workers = Workers::new(max, &InternalThreads::default());
            let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            // So many jobs meet as there may be threads.
            let meeting = Arc::new(Barrier::new(max));
            let (done, all) = mpsc::channel();
            for _ in 0..6 {
                let (running, most) = (Arc::clone(&running), Arc::clone(&most));
                let (meeting, done) = (Arc::clone(&meeting), done.clone());
                workers.submit(Box::new(move || {
                    let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    meeting.wait();
                    running.fetch_sub(1, Ordering::SeqCst);
                    let _ = done.send(());
                }))?;
            }
            drop(done);
            assert_eq!(all.iter().count(), 6);
            assert_eq!(most.load(Ordering::SeqCst), max);
        }
        Ok(())
    }
}
