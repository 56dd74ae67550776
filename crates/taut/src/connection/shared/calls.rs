//! The calls that wait on a shared connection, and who reads for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_giop::message::MessageHeader;
use taut_sync::lock::{Condvar, Mutex};

use super::call_table::{CallPlace, CallTable};
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
    /// Those whose threads wait, so that they can lead, stand in line; the others still
    /// send.
    waiting: CallTable<Arc<Waiter>>,
    /// The receiving side, unless a leader has it.
    incoming: Option<Incoming>,
    /// Why no reply will come any more.
    end: Option<End>,
}

impl Calls {
    /// Of at most `max` calls at once. Without `incoming` nobody leads.
    pub(super) fn new(max: usize, incoming: Option<Incoming>) -> Self {
        Self {
            max,
            state: Mutex::new(State {
                waiting: CallTable::new(),
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
        self.state.lock().waiting.len() == 0
    }

    /// Whether a call waits for the reply with this request id.
    pub(super) fn await_reply(&self, request_id: u32) -> bool {
        self.state.lock().waiting.contains(request_id)
    }

    /// Adds a call that is going to be sent, as soon as there is room for one.
    ///
    /// # Errors
    ///
    /// When the connection has ended, or there is no room for so long. A call that has
    /// waited while all other request ids were used keeps its id, and the new call gets
    /// no room.
    pub(super) fn enter(
        &self,
        request_id: u32,
        waiter: &Arc<Waiter>,
        patience: Duration,
    ) -> Result<CallPlace, Arc<ConnectionFault>> {
        let until = Instant::now() + patience;
        let mut state = self.state.lock();
        loop {
            if let Some(end) = &state.end {
                return Err(Arc::clone(&end.fault));
            }
            if state.waiting.len() < self.max {
                let place = state.waiting.insert(request_id, Arc::clone(waiter));
                return place.ok_or_else(|| Arc::new(ConnectionFault::Crowded));
            }
            let wait = || self.room.wait_until(&mut state, until).timed_out();
            if nested_calls::wait(wait) {
                return Err(Arc::new(ConnectionFault::Crowded));
            }
        }
    }

    /// Lets a call wait that has been sent. The receiving side, if nobody has it:
    /// then this call's thread leads.
    pub(super) fn line_up(&self, call: CallPlace) -> Option<Incoming> {
        let mut state = self.state.lock();
        // It is not there when its reply has come already.
        match state.waiting.line_up(call) {
            true => state.incoming.take(),
            false => None,
        }
    }

    /// Takes a call away: nobody will give it anything any more.
    pub(super) fn leave(&self, call: CallPlace) {
        self.state.lock().waiting.remove(call);
    }

    /// Ends the leadership of a call that ends: the one that has waited for longest leads.
    pub(super) fn step_down(&self, incoming: Incoming, call: CallPlace) {
        let mut state = self.state.lock();
        state.waiting.remove(call);
        let Some(next) = state.waiting.first_in_line() else {
            state.incoming = Some(incoming);
            return;
        };
        let waiter = Arc::clone(next);
        waiter.give(Turn::Lead(incoming));
        drop(state);
        waiter.wake();
    }

    /// Gives a call its reply. False when nobody waits for it: the call has been
    /// given up, or there was none.
    pub(super) fn deliver(&self, request_id: u32, header: MessageHeader, message: Message) -> bool {
        let mut state = self.state.lock();
        let Some(waiter) = state.waiting.remove_id(request_id) else {
            return false;
        };
        // Under the lock, for a call that leaves is given nothing afterwards.
        waiter.give(Turn::Take(header, message));
        drop(state);
        waiter.wake();
        true
    }

    /// Lets a thread that waits for room look for it: a call has ended.
    pub(super) fn make_room(&self) {
        self.room.notify_one();
    }

    /// Ends all calls, and lets none begin any more. The end that was first holds.
    pub(super) fn end(&self, end: End) -> End {
        let mut state = self.state.lock();
        let end = state.end.get_or_insert(end).clone();
        let ended = state.waiting.remove_all();
        for waiter in &ended {
            waiter.give(Turn::End(end.clone()));
        }
        drop(state);
        ended.iter().for_each(|waiter| waiter.wake());
        self.room.notify_all();
        end
    }
}
