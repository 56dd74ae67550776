//! Oneways for which nobody waits (`SYNC_NONE`).
//!
//! Each call leaves its message in a queue, and a thread that is there as long as
//! there is anything to send takes all that has gathered, and sends it in one go.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::budget::Permit;
use crate::buffer_pool;
use crate::settings::Settings;
use crate::transport::Stream;

/// The most messages that are sent in one system call.
const MAX_BATCH: usize = 64;

/// How long the thread waits for more before it ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// The queue of one endpoint.
#[derive(Debug)]
pub(crate) struct Courier {
    max_messages: usize,
    max_octets: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    /// Octets that wait.
    octets: usize,
    /// Whether there is a thread that sends.
    has_thread: bool,
    /// Whether it is sending what it has taken.
    is_sending: bool,
    /// The connection, unless the thread is sending on it.
    line: Option<Line>,
}

/// A connection on which nothing is answered.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) stream: Stream,
    pub(super) _permit: Permit,
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// As many wait as may.
    Full,
    /// The system has no thread to send it.
    NoThread,
}

impl Courier {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            max_messages: settings.max_queued_oneways,
            max_octets: settings.max_queued_oneway_octets,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Takes a message, to be sent soon over a connection that `connect` opens
    /// when there is none.
    ///
    /// # Errors
    ///
    /// [`NotTaken`]; then the message is lost.
    pub(super) fn take(
        self: &Arc<Self>,
        message: Vec<u8>,
        connect: impl Fn() -> Option<Line> + Send + 'static,
    ) -> Result<(), NotTaken> {
        let mut state = self.state.lock();
        let octets = state.octets + message.len();
        if state.waiting.len() >= self.max_messages || octets > self.max_octets {
            return Err(NotTaken::Full);
        }
        state.octets = octets;
        state.waiting.push_back(message);
        if state.has_thread {
            drop(state);
            self.changed.notify_all();
            return Ok(());
        }
        let courier = Arc::clone(self);
        let thread = thread::Builder::new().name("taut oneways".to_owned());
        if thread.spawn(move || courier.work(connect)).is_err() {
            state.octets -= state.waiting.pop_back().map_or(0, |message| message.len());
            return Err(NotTaken::NoThread);
        }
        state.has_thread = true;
        Ok(())
    }

    /// Waits until everything has been sent or given up, up to a point in time.
    pub(super) fn flush(&self, deadline: Instant) {
        let mut state = self.state.lock();
        while !state.waiting.is_empty() || state.is_sending {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                let lost = state.waiting.len();
                tracing::warn!(lost, "oneways were not sent in time");
                return;
            }
        }
        state.line = None;
    }

    /// Closes the connection if nothing is to be sent.
    pub(super) fn close_idle(&self) {
        let mut state = self.state.lock();
        if !state.has_thread {
            state.line = None;
        }
    }

    /// Closes the connection if nothing is to be sent now, though something may
    /// have been just before. True when there was one.
    pub(super) fn give_way(&self) -> bool {
        let mut state = self.state.lock();
        state.waiting.is_empty() && state.line.take().is_some()
    }

    /// Whether it has work: a thread sends, or waits for more.
    pub(super) fn is_at_work(&self) -> bool {
        self.state.lock().has_thread
    }

    /// Whether it has nothing: no work, and no connection.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.state.lock();
        !state.has_thread && state.waiting.is_empty() && state.line.is_none()
    }

    /// What the thread does.
    fn work(&self, connect: impl Fn() -> Option<Line>) {
        let mut batch = Vec::with_capacity(MAX_BATCH);
        let mut state = self.state.lock();
        loop {
            while state.waiting.is_empty() {
                if self.changed.wait_for(&mut state, PATIENCE).timed_out()
                    && state.waiting.is_empty()
                {
                    state.has_thread = false;
                    return;
                }
            }
            let count = state.waiting.len().min(MAX_BATCH);
            batch.extend(state.waiting.drain(..count));
            state.octets -= batch.iter().map(Vec::len).sum::<usize>();
            state.is_sending = true;
            let mut line = state.line.take();
            drop(state);
            deliver(&mut line, &connect, &batch);
            batch.drain(..).for_each(buffer_pool::give);
            state = self.state.lock();
            state.line = line;
            state.is_sending = false;
            self.changed.notify_all();
        }
    }
}

/// Sends messages, over a new connection if the old one has ended.
fn deliver(line: &mut Option<Line>, connect: &impl Fn() -> Option<Line>, batch: &[Vec<u8>]) {
    // Nothing is answered here; whatever has arrived says that the connection
    // ends.
    if line.as_ref().is_some_and(|line| line.stream.has_arrived()) {
        *line = None;
    }
    if line.is_none() {
        *line = connect();
    }
    let Some(Line { stream, .. }) = line else {
        tracing::debug!(lost = batch.len(), "no connection for oneways");
        return;
    };
    if let Err(error) = send_all(stream, batch) {
        tracing::debug!(peer = stream.peer(), %error, lost = batch.len(), "oneways not sent");
        *line = None;
    }
}

fn send_all(stream: &Stream, batch: &[Vec<u8>]) -> io::Result<()> {
    let mut parts = [(); MAX_BATCH].map(|()| IoSlice::new(&[]));
    for (part, message) in parts.iter_mut().zip(batch) {
        *part = IoSlice::new(message);
    }
    stream.send_parts(&mut parts[..batch.len()])
}
