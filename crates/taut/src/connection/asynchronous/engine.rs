//! The thread that carries the calls on which futures wait.

use std::fmt;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Instant;

use taut_sync::hazard;
use taut_sync::lock::Mutex;
use taut_sync::slot_table::{SlotId, SlotTable};
use taut_sys::poll::{Doorbell, Event, Poller};

use super::calls::Wakers;
use super::connection::{AsyncConnection, wake};
use super::reading::Read;
use super::timers::{TimerKey, Timers};
use super::workers::Workers;
use crate::connection::ConnectionFault;
use crate::connection::client::END_PATIENCE;
use crate::settings::Settings;
use crate::threads::InternalThreads;

/// The token of the bell that is rung for an earlier deadline.
const TIMER: u64 = u64::MAX - 2;

/// The bit of a token that tells a connection's bell from its stream.
const BELL: u64 = 1 << 31;

/// The engine of an ORB, once a future has been polled.
pub(crate) struct LazyEngine {
    started: OnceLock<Arc<Engine>>,
    /// Whether it is over, held while the engine is started.
    is_closed: Mutex<bool>,
    max_workers: usize,
    /// How threads begin.
    threads: InternalThreads,
}

/// The thread, the connections that it reads and the deadlines that it keeps.
pub(crate) struct Engine {
    poller: Poller,
    connections: SlotTable<Arc<AsyncConnection>>,
    timers: Timers,
    timer_bell: Doorbell,
    workers: Arc<Workers>,
    thread: Mutex<Option<JoinHandle<()>>>,
    thread_id: OnceLock<ThreadId>,
}

impl LazyEngine {
    /// None yet.
    pub(in crate::connection) fn new(settings: &Settings) -> Arc<Self> {
        Arc::new(Self {
            started: OnceLock::new(),
            is_closed: Mutex::new(false),
            max_workers: settings.client.max_connecting_threads,
            threads: settings.threads.clone(),
        })
    }

    /// The engine, which is started if need be.
    ///
    /// # Errors
    ///
    /// The operating system's, if it cannot be started.
    pub(in crate::connection) fn get(&self) -> io::Result<&Arc<Engine>> {
        if let Some(engine) = self.started.get() {
            return Ok(engine);
        }
        self.start()
    }

    #[cold]
    fn start(&self) -> io::Result<&Arc<Engine>> {
        let is_closed = self.is_closed.lock();
        if let Some(engine) = self.started.get() {
            return Ok(engine);
        }
        if *is_closed {
            return Err(io::Error::new(
                ErrorKind::NotConnected,
                "the ORB has stopped",
            ));
        }
        let engine = Engine::start(self.max_workers, &self.threads)?;
        Ok(self.started.get_or_init(|| engine))
    }

    /// Closes a connection that carries no call.
    pub(super) fn close(&self, connection: &Arc<AsyncConnection>) {
        if let Some(engine) = self.started.get() {
            engine.end(connection, ConnectionFault::Closed, true);
        }
    }

    /// Ends all calls that wait, and the thread; waits for its end if it can.
    pub(in crate::connection) fn end(&self, waits: bool) {
        *self.is_closed.lock() = true;
        if let Some(engine) = self.started.get() {
            engine.stop(waits);
        }
    }
}

impl Engine {
    fn start(max_workers: usize, threads: &InternalThreads) -> io::Result<Arc<Self>> {
        let poller = Poller::new()?;
        let engine = Arc::new(Self {
            timer_bell: poller.doorbell(TIMER)?,
            poller,
            connections: SlotTable::new(),
            timers: Timers::default(),
            workers: Workers::new(max_workers, threads),
            thread: Mutex::new(None),
            thread_id: OnceLock::new(),
        });
        let own = Arc::clone(&engine);
        let thread = threads.spawn("taut async", move || own.run())?;
        // The thread knows it by itself, too.
        let _ = engine.thread_id.set(thread.thread().id());
        *engine.thread.lock() = Some(thread);
        Ok(engine)
    }

    /// Has a thread do what may block.
    ///
    /// # Errors
    ///
    /// The operating system's, if there is no thread for it.
    pub(crate) fn submit(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.workers.submit(Box::new(job))
    }

    /// Has a future woken at its deadline.
    pub(crate) fn add_deadline(&self, at: Instant, waker: &Waker) -> TimerKey {
        let (key, is_first) = self.timers.add(at, waker);
        if is_first {
            self.timer_bell.ring();
        }
        key
    }

    /// Gives the future of a deadline another waker.
    pub(crate) fn renew_deadline(&self, key: &TimerKey, waker: &Waker) {
        self.timers.renew(key, waker);
    }

    /// Forgets a deadline.
    pub(crate) fn remove_deadline(&self, key: &TimerKey) {
        self.timers.remove(key);
    }

    /// Reads a connection from now on.
    ///
    /// # Errors
    ///
    /// An error of the operating system.
    pub(super) fn adopt(&self, connection: &Arc<AsyncConnection>) -> io::Result<()> {
        let full = || io::Error::other("the ORB has no room for a connection");
        let id = self
            .connections
            .insert(|_| Arc::clone(connection))
            .ok_or_else(full)?;
        let token = token(id).ok_or_else(full)?;
        let watched = self.poller.doorbell(token | BELL).and_then(|bell| {
            // Nobody else sets it.
            let _ = connection.bell.set(bell);
            connection.stream.watch(&self.poller, token)
        });
        if watched.is_err() {
            self.connections.remove(id);
        }
        watched
    }

    fn run(self: Arc<Self>) {
        let _ = self.thread_id.set(thread::current().id());
        hazard::prepare_thread();
        let mut wakers = Wakers::new();
        loop {
            let next = self.timers.take_due(&mut wakers);
            wake_all(&mut wakers);
            let event = match next {
                None => self.poller.wait(),
                Some(at) => {
                    let time = at.saturating_duration_since(Instant::now());
                    self.poller.wait_for(time)
                }
            };
            match event {
                Ok(Some(event)) => self.attend(event, &mut wakers),
                Ok(None) => break,
                Err(error) if error.kind() == ErrorKind::TimedOut => {}
                Err(error) => {
                    tracing::error!(%error, "calls that are awaited cannot go on");
                    break;
                }
            }
            wake_all(&mut wakers);
        }
        self.end_all();
    }

    /// Deals with what has happened.
    fn attend(&self, event: Event, wakers: &mut Wakers) {
        if event.token == TIMER {
            return;
        }
        let id = slot_id(event.token);
        let Some(entry) = self.connections.get(id) else {
            return;
        };
        let connection = Arc::clone(&entry.value);
        drop(entry);
        connection.flush(wakers);
        if event.token & BELL != 0 && !connection.has_ended() && !connection.stream.has_arrived() {
            return;
        }
        match connection.read(wakers) {
            Read::All if event.is_last && !connection.has_ended() => {
                // There is no further event for the end alone.
                if connection.stream.has_arrived() {
                    self.renew(&connection, id);
                }
            }
            Read::All => {}
            Read::Some => self.renew(&connection, id),
            Read::Over {
                fault,
                said_goodbye,
            } => {
                self.connections.remove(id);
                connection.stream.unwatch(&self.poller);
                self.end(&connection, fault, said_goodbye);
            }
        }
    }

    /// Goes on with a connection behind the others.
    fn renew(&self, connection: &AsyncConnection, id: SlotId) {
        if let Some(token) = token(id) {
            let _ = connection.stream.watch_again(&self.poller, token);
        }
    }

    /// Ends a connection and its calls. Whether they were executed may have to be waited
    /// for, which another thread does.
    fn end(&self, connection: &Arc<AsyncConnection>, fault: ConnectionFault, said_goodbye: bool) {
        let mut wakers = Wakers::new();
        // That is how it ended, and the end of the stream what came of it.
        let fault = connection.take_send_fault().unwrap_or(fault);
        let is_doubtful = fault.is_in_order() && !said_goodbye && connection.has_calls();
        if !is_doubtful {
            connection.end(fault, said_goodbye, None, &mut wakers);
            return wake(&mut wakers);
        }
        connection.leave_home();
        let ends = EndsAnyway(Arc::clone(connection));
        // If there is no thread, the closure ends the connection when it is dropped.
        let _ = self.submit(move || {
            let ends = ends;
            let stream = &ends.0.stream;
            stream.stop_sending();
            let acknowledged = stream.acknowledged_in_all(END_PATIENCE);
            let mut wakers = Wakers::new();
            ends.0.end(fault, false, acknowledged, &mut wakers);
            wake(&mut wakers);
        });
    }

    /// Ends all connections.
    fn end_all(&self) {
        let ids: Vec<_> = self.connections.ids().collect();
        for id in ids {
            if let Some(entry) = self.connections.remove(id) {
                let mut wakers = Wakers::new();
                let connection = &entry.value;
                connection.end(ConnectionFault::Closed, false, None, &mut wakers);
                wake(&mut wakers);
            }
        }
    }

    fn stop(&self, waits: bool) {
        self.poller.wake_all();
        let thread = self.thread.lock().take();
        // A future that is the last to hold the ORB may be dropped by the thread itself.
        let is_own = self.thread_id.get() == Some(&thread::current().id());
        if let Some(thread) = thread
            && waits
            && !is_own
        {
            // If it has panicked, it has ended too.
            let _ = thread.join();
        }
    }
}

/// A connection that ends when this is dropped, if it has not ended before.
struct EndsAnyway(Arc<AsyncConnection>);

impl Drop for EndsAnyway {
    fn drop(&mut self) {
        let mut wakers = Wakers::new();
        self.0
            .end(ConnectionFault::Closed, false, None, &mut wakers);
        wake(&mut wakers);
    }
}

/// Wakes all, and keeps the room for the next. A panic of the code of others does not end
/// the thread.
fn wake_all(wakers: &mut Wakers) {
    for waker in wakers.drain(..) {
        if catch_unwind(AssertUnwindSafe(|| waker.wake())).is_err() {
            tracing::error!("a future's waker has panicked");
        }
    }
}

/// The token of a connection's stream; none if there are too many connections.
fn token(id: SlotId) -> Option<u64> {
    let index = u64::from(id.index);
    (index & BELL == 0).then(|| u64::from(id.generation) << 32 | index)
}

fn slot_id(token: u64) -> SlotId {
    SlotId {
        index: (token & !BELL) as u32,
        generation: (token >> 32) as u32,
    }
}

impl fmt::Debug for LazyEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyEngine").finish_non_exhaustive()
    }
}
