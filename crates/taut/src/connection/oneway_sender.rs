//! Sends the oneways of an endpoint for which nobody waits (`SYNC_NONE`), where nobody
//! else does: when they have waited as long as they may, when there is no connection
//! yet, or the peer does not take them at once.
//!
//! Its thread is there as long as there is anything to send. While oneways come it looks
//! at what waits at each time-out, so that nobody has to wake it for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use taut_sync::lock::{Condvar, Mutex};

use crate::threads::InternalThreads;

/// How long the thread waits for more before it ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// The shortest time between two looks.
const SHORTEST_INTERVAL: Duration = Duration::from_micros(100);

/// A thread, started on demand, that sends the oneways waiting beside the connections of an
/// endpoint.
#[derive(Debug)]
pub(super) struct OnewaySender {
    /// How its thread begins.
    threads: InternalThreads,
    interval: Duration,
    /// Whether the thread is going to look at what waits by itself.
    is_alert: AtomicBool,
    /// Whether nothing is sent any more.
    is_over: AtomicBool,
    state: Mutex<State>,
    /// The thread has something to do.
    called: Condvar,
    /// The thread has sent something.
    served: Condvar,
}

#[derive(Debug, Default)]
struct State {
    has_thread: bool,
    /// Whether it is to look at once, and whether what waits is to be sent though its
    /// time has not come.
    is_called: bool,
    is_hurried: bool,
}

/// The queues of oneways that a sender serves.
pub(super) trait OnewayQueues: Send + Sync + 'static {
    /// Sends what has waited for so long, as long as the sender `goes_on`. Since when
    /// the rest has.
    fn serve(&self, patience: Duration, goes_on: &dyn Fn() -> bool) -> Option<Instant>;

    /// Whether anything waits or has not left in full.
    fn is_at_work(&self) -> bool;
}

/// The system has no thread for a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoThread;

impl OnewaySender {
    /// One that sends what has waited for `timeout`.
    pub(super) fn new(timeout: Duration, threads: &InternalThreads) -> Self {
        Self {
            threads: threads.clone(),
            interval: timeout.max(SHORTEST_INTERVAL),
            is_alert: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            state: Mutex::default(),
            called: Condvar::new(),
            served: Condvar::new(),
        }
    }

    /// Makes sure that what waits is sent in time. A thread that leaves something calls it
    /// afterwards.
    #[inline]
    pub(super) fn rouse(self: &Arc<Self>, queues: &Arc<impl OnewayQueues>) -> Result<(), NoThread> {
        match self.is_alert.load(Ordering::SeqCst) {
            true => Ok(()),
            false => self.call(queues, false),
        }
    }

    /// Has the thread look at what waits, for something is to be sent sooner than it knows.
    #[cold]
    pub(super) fn wake(self: &Arc<Self>, queues: &Arc<impl OnewayQueues>) -> Result<(), NoThread> {
        self.call(queues, false)
    }

    /// Has what waits sent at once.
    #[cold]
    pub(super) fn hurry(self: &Arc<Self>, queues: &Arc<impl OnewayQueues>) -> Result<(), NoThread> {
        self.call(queues, true)
    }

    #[cold]
    fn call(
        self: &Arc<Self>,
        queues: &Arc<impl OnewayQueues>,
        hurry: bool,
    ) -> Result<(), NoThread> {
        let mut state = self.state.lock();
        state.is_called = true;
        state.is_hurried |= hurry;
        if state.has_thread {
            self.called.notify_one();
            return Ok(());
        }
        let (sender, queues) = (Arc::clone(self), Arc::clone(queues));
        let work = move || sender.work(&*queues);
        self.threads.spawn("taut oneways", work).map_err(|error| {
            tracing::warn!(%error, "no thread for oneways");
            NoThread
        })?;
        state.has_thread = true;
        Ok(())
    }

    /// Whether there is a thread that sends, or waits for more.
    pub(super) fn has_thread(&self) -> bool {
        self.state.lock().has_thread
    }

    /// Has all sent that waits, and waits until it is, up to a point in time. False when
    /// it is not by then.
    pub(super) fn flush(
        self: &Arc<Self>,
        queues: &Arc<impl OnewayQueues>,
        deadline: Instant,
    ) -> bool {
        while queues.is_at_work() {
            if self.hurry(queues).is_err() {
                return false;
            }
            let mut state = self.state.lock();
            if !queues.is_at_work() {
                return true;
            }
            if self.served.wait_until(&mut state, deadline).timed_out() {
                return !queues.is_at_work();
            }
            // Somebody is just about to take what is left, or uses the connection.
            if queues.is_at_work() {
                self.served.wait_for(&mut state, SHORTEST_INTERVAL);
            }
        }
        true
    }

    /// Sends nothing any more.
    pub(super) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Runs the thread that sends.
    fn work(&self, queues: &impl OnewayQueues) {
        self.is_alert.store(true, Ordering::SeqCst);
        let goes_on = || !self.is_over.load(Ordering::Relaxed);
        let mut is_quiet = false;
        loop {
            let hurry = {
                let mut state = self.state.lock();
                state.is_called = false;
                std::mem::take(&mut state.is_hurried)
            };
            let patience = match hurry {
                true => Duration::ZERO,
                false => self.interval,
            };
            let rest = queues.serve(patience, &goes_on);
            let mut state = self.state.lock();
            self.served.notify_all();
            if state.is_called {
                continue;
            }
            let was_quiet = std::mem::replace(&mut is_quiet, rest.is_none());
            if let Some(since) = rest {
                match since.checked_add(self.interval) {
                    Some(due) => drop(self.called.wait_until(&mut state, due)),
                    None => self.called.wait(&mut state),
                }
            } else if !was_quiet {
                self.called.wait_for(&mut state, self.interval);
            } else {
                // A thread that leaves something from here on starts the sender again; one
                // that has just done so may have taken this thread for alert.
                self.is_alert.store(false, Ordering::SeqCst);
                if !queues.is_at_work()
                    && self.called.wait_for(&mut state, PATIENCE).timed_out()
                    && !state.is_called
                {
                    state.has_thread = false;
                    return;
                }
                self.is_alert.store(true, Ordering::SeqCst);
            }
        }
    }
}
