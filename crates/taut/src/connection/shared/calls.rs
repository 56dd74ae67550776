//! The calls that wait on a shared connection, and who reads for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use taut_giop::message::MessageHeader;

use super::waiter::{End, Turn, Waiter};
use crate::connection::ConnectionFault;
use crate::connection::incoming::Incoming;
use crate::message::Message;
use crate::nested_calls;

/// The calls that wait for their replies.
#[derive(Debug)]
pub(super) struct Calls {
    max: usize,
    state: Mutex<State>,
    /// A call has ended.
    room: Condvar,
}

#[derive(Debug)]
struct State {
    /// The oldest first.
    waiting: Vec<Entry>,
    /// The receiving side, unless a leader has it.
    incoming: Option<Incoming>,
    /// Why no reply will come any more.
    end: Option<End>,
}

#[derive(Debug)]
struct Entry {
    request_id: u32,
    waiter: Arc<Waiter>,
    /// Whether its thread waits, so that it can lead; else it still sends.
    can_lead: bool,
}

impl Calls {
    /// Of at most `max` calls at once. Without `incoming` nobody leads.
    pub(super) fn new(max: usize, incoming: Option<Incoming>) -> Self {
        Self {
            max,
            state: Mutex::new(State {
                waiting: Vec::new(),
                incoming,
                end: None,
            }),
            room: Condvar::new(),
        }
    }

    /// Whether no reply will come any more.
    pub(super) fn have_ended(&self) -> bool {
        self.state.lock().end.is_some()
    }

    /// Whether there is none.
    pub(super) fn are_none(&self) -> bool {
        self.state.lock().waiting.is_empty()
    }

    /// Whether a call waits for the reply with this request id.
    pub(super) fn await_reply(&self, request_id: u32) -> bool {
        let state = self.state.lock();
        let mut waiting = state.waiting.iter();
        waiting.any(|entry| entry.request_id == request_id)
    }

    /// Adds a call that is going to be sent, as soon as there is room for one.
    ///
    /// # Errors
    ///
    /// When the connection has ended, or there is no room for so long.
    pub(super) fn enter(
        &self,
        request_id: u32,
        waiter: &Arc<Waiter>,
        patience: Duration,
    ) -> Result<(), Arc<ConnectionFault>> {
        let until = Instant::now() + patience;
        let mut state = self.state.lock();
        loop {
            if let Some(end) = &state.end {
                return Err(Arc::clone(&end.fault));
            }
            if state.waiting.len() < self.max {
                state.waiting.push(Entry {
                    request_id,
                    waiter: Arc::clone(waiter),
                    can_lead: false,
                });
                return Ok(());
            }
            let wait = || self.room.wait_until(&mut state, until).timed_out();
            if nested_calls::wait(wait) {
                return Err(Arc::new(ConnectionFault::Crowded));
            }
        }
    }

    /// Lets a call wait that has been sent. The receiving side, if nobody has it:
    /// then this call's thread leads.
    pub(super) fn line_up(&self, request_id: u32) -> Option<Incoming> {
        let mut state = self.state.lock();
        // It is not there when its reply has come already.
        let entry = state
            .waiting
            .iter_mut()
            .find(|entry| entry.request_id == request_id)?;
        entry.can_lead = true;
        state.incoming.take()
    }

    /// Takes a call away: nobody will give it anything any more.
    pub(super) fn leave(&self, request_id: u32) {
        self.state.lock().remove(request_id);
    }

    /// Ends the leadership of a call that ends: the oldest that waits leads.
    pub(super) fn step_down(&self, incoming: Incoming, request_id: u32) {
        let mut state = self.state.lock();
        state.remove(request_id);
        let Some(next) = state.waiting.iter().find(|entry| entry.can_lead) else {
            state.incoming = Some(incoming);
            return;
        };
        let waiter = Arc::clone(&next.waiter);
        waiter.give(Turn::Lead(incoming));
        drop(state);
        waiter.wake();
    }

    /// Gives a call its reply. False when nobody waits for it: the call has been
    /// given up, or there was none.
    pub(super) fn deliver(&self, request_id: u32, header: MessageHeader, message: Message) -> bool {
        let mut state = self.state.lock();
        let Some(entry) = state.remove(request_id) else {
            return false;
        };
        // Under the lock, for who leaves is given nothing afterwards.
        entry.waiter.give(Turn::Take(header, message));
        drop(state);
        entry.waiter.wake();
        true
    }

    /// Lets whoever waits for room look for it: a call has ended.
    pub(super) fn make_room(&self) {
        self.room.notify_one();
    }

    /// Ends all calls, and lets none begin any more. The end that was first holds.
    pub(super) fn end(&self, end: End) -> End {
        let mut state = self.state.lock();
        let end = state.end.get_or_insert(end).clone();
        let ended = std::mem::take(&mut state.waiting);
        for entry in &ended {
            entry.waiter.give(Turn::End(end.clone()));
        }
        drop(state);
        ended.iter().for_each(|entry| entry.waiter.wake());
        self.room.notify_all();
        end
    }
}

impl State {
    fn remove(&mut self, request_id: u32) -> Option<Entry> {
        let is_it = |entry: &Entry| entry.request_id == request_id;
        let place = self.waiting.iter().position(is_it)?;
        Some(self.waiting.remove(place))
    }
}
