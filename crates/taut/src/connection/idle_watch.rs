//! The thread that closes idle connections.

use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use taut_sync::lock::{Condvar, Mutex};

use crate::threads::InternalThreads;

/// An owner of connections that may be idle.
pub(super) trait Watched: Send + Sync + 'static {
    /// Closes the connections that have carried no call since this was last asked.
    fn close_unused(&self);

    /// Whether there is nothing left to watch.
    fn is_empty(&self) -> bool;
}

/// Has a thread close the connections that carry no call for some time, as long as
/// there is anything to watch.
pub(super) struct IdleWatch {
    /// How often it looks. None: connections may be idle for ever.
    interval: Option<Duration>,
    shared: Arc<Shared>,
    threads: InternalThreads,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether it is over for good.
    has_ended: bool,
    is_watching: bool,
    thread: Option<JoinHandle<()>>,
}

impl IdleWatch {
    /// Nothing is watched yet. A connection is found idle when it is found so twice.
    pub(super) fn new(timeout: Option<Duration>) -> Self {
        Self {
            interval: timeout.map(|timeout| timeout / 2),
            shared: Arc::default(),
            threads: InternalThreads::default(),
        }
    }

    /// The same, whose thread begins so.
    pub(super) fn beginning(self, threads: &InternalThreads) -> Self {
        Self {
            threads: threads.clone(),
            ..self
        }
    }

    /// Begins to watch, unless that is done already, or is over.
    pub(super) fn begin(&self, watched: &Weak<impl Watched>) {
        let Some(interval) = self.interval else {
            return;
        };
        let mut state = self.shared.state.lock();
        if state.has_ended || state.is_watching {
            return;
        }
        let (shared, watched) = (Arc::clone(&self.shared), Weak::clone(watched));
        let watch = move || shared.watch(interval, &watched);
        match self.threads.spawn("taut client", watch) {
            Ok(thread) => {
                state.thread = Some(thread);
                state.is_watching = true;
            }
            Err(error) => tracing::warn!(%error, "no thread to close idle connections"),
        }
    }

    /// Ends it for good. The thread that has watched, if there is one, ends soon.
    pub(super) fn end(&self) -> Option<JoinHandle<()>> {
        let mut state = self.shared.state.lock();
        state.has_ended = true;
        self.shared.changed.notify_all();
        state.thread.take()
    }
}

impl Shared {
    fn watch(&self, interval: Duration, watched: &Weak<impl Watched>) {
        while !self.ends_within(interval)
            && let Some(watched) = watched.upgrade()
        {
            watched.close_unused();
            let mut state = self.state.lock();
            // A thread that adds something to watch starts the watch afterwards.
            if watched.is_empty() {
                state.is_watching = false;
                return;
            }
        }
    }

    /// Waits for the end, but no longer than this. True when it has come.
    fn ends_within(&self, time: Duration) -> bool {
        let mut state = self.state.lock();
        let goes_on = |state: &mut State| !state.has_ended;
        self.changed.wait_while_for(&mut state, goes_on, time);
        state.has_ended
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use super::*;

    /// A watched thing that is empty once it has been looked at so often.
    struct Looks(AtomicUsize);

    impl Watched for Looks {
        fn close_unused(&self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }

        fn is_empty(&self) -> bool {
            self.0.load(Ordering::SeqCst) == 0
        }
    }

    fn wait_until(what: impl Fn() -> bool) {
        let begin = Instant::now();
        while !what() {
            assert!(begin.elapsed() < Duration::from_secs(30));
            std::thread::yield_now();
        }
    }

    #[test]
    fn it_watches_as_long_as_there_is_anything_and_begins_again() {
        let looks = Arc::new(Looks(AtomicUsize::new(2)));
        let watch = IdleWatch::new(Some(Duration::from_millis(1)));
        for round in 0..3 {
            looks.0.store(2, Ordering::SeqCst);
            watch.begin(&Arc::downgrade(&looks));
            watch.begin(&Arc::downgrade(&looks));
            wait_until(|| !watch.shared.state.lock().is_watching);
            assert_eq!(looks.0.load(Ordering::SeqCst), 0, "round {round}");
        }
        let thread = watch.end().unwrap();
        thread.join().unwrap();
        looks.0.store(2, Ordering::SeqCst);
        watch.begin(&Arc::downgrade(&looks));
        assert!(watch.end().is_none(), "it began after its end");
    }

    #[test]
    fn without_a_time_nothing_is_watched() {
        let looks = Arc::new(Looks(AtomicUsize::new(1)));
        let watch = IdleWatch::new(None);
        watch.begin(&Arc::downgrade(&looks));
        assert!(watch.end().is_none());
    }
}
