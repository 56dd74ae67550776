//! Places in a process where connections come in.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use taut_transport::{Acceptor, Address, Channel, Stream};

use crate::channel::End;
use crate::protocol::Places;

/// A place where connections come in, as clients see it.
#[derive(Debug)]
pub(crate) struct Place {
    backlog: usize,
    state: Mutex<State>,
    /// Something of the state has changed.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The server's ends of connections that are not accepted yet.
    waiting: VecDeque<End>,
    is_closed: bool,
}

/// A place where connections come in, as its server has it.
#[derive(Debug)]
pub(crate) struct InProcessAcceptor {
    pub(crate) place: Arc<Place>,
    pub(crate) address: Address,
    pub(crate) places: Weak<Places>,
}

impl Place {
    pub(crate) fn new(backlog: usize) -> Self {
        Self {
            backlog,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Adds a connection, and gives the client's end of it; waits as long as too many others
    /// wait to be accepted.
    pub(crate) fn connect(&self, server: String, timeout: Duration) -> io::Result<End> {
        let deadline = Instant::now().checked_add(timeout);
        let mut state = self.state.lock();
        while state.waiting.len() >= self.backlog && !state.is_closed {
            match deadline {
                Some(at) if self.changed.wait_until(&mut state, at).timed_out() => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Some(_) => {}
                None => self.changed.wait(&mut state),
            }
        }
        if state.is_closed {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let (client, server) = End::pair(server);
        state.waiting.push_back(server);
        drop(state);
        self.changed.notify_all();
        Ok(client)
    }
}

impl Acceptor for InProcessAcceptor {
    fn accept(&self) -> io::Result<Stream> {
        let mut state = self.place.state.lock();
        loop {
            if state.is_closed {
                return Err(io::Error::other("nobody listens here any more"));
            }
            if let Some(end) = state.waiting.pop_front() {
                drop(state);
                self.place.changed.notify_all();
                let channel: Box<dyn Channel> = Box::new(end);
                return Ok(channel.into());
            }
            self.place.changed.wait(&mut state);
        }
    }

    fn wait_for_client(&self, timeout: Duration) -> io::Result<bool> {
        let mut state = self.place.state.lock();
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
        let waited = self
            .place
            .changed
            .wait_while_for(&mut state, is_idle, timeout);
        Ok(!waited.timed_out() || !is_idle(&mut state))
    }

    fn address(&self) -> &Address {
        &self.address
    }

    fn close(&self) -> io::Result<()> {
        if let Some(places) = self.places.upgrade() {
            places.lock().remove(&self.address.place());
        }
        let mut state = self.place.state.lock();
        state.is_closed = true;
        // Those that are not accepted see their peer die.
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.place.changed.notify_all();
        drop(waiting);
        Ok(())
    }
}

impl Drop for InProcessAcceptor {
    fn drop(&mut self) {
        let _ = self.close();
    }
}
