//! Where a thread waits for the reply to its call.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use taut_giop::message::MessageHeader;
use taut_sync::lock::{Condvar, Mutex};

use crate::connection::ConnectionFault;
use crate::connection::incoming::Incoming;
use crate::message::Message;

/// Where a thread waits.
#[derive(Debug, Default)]
pub(super) struct Waiter {
    turn: Mutex<Turn>,
    changed: Condvar,
}

/// The task of a thread that waits.
#[derive(Debug, Default)]
pub(super) enum Turn {
    /// To go on waiting.
    #[default]
    Wait,
    /// To read.
    Lead(Incoming),
    /// To take its reply.
    Take(MessageHeader, Message),
    /// To give up.
    End(End),
}

/// Why a connection ended, for each of its calls.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) fault: Arc<ConnectionFault>,
    /// Whether the peer has said that what it has not answered was not begun.
    pub(super) said_goodbye: bool,
    /// The octets that the peer's system has acknowledged, where the end proves that this
    /// is all that it will have received.
    pub(super) acknowledged: Option<u64>,
}

thread_local! {
    /// Where this thread waited last.
    static WAITER: Cell<Option<Arc<Waiter>>> = const { Cell::new(None) };
}

impl Waiter {
    /// The place where this thread waits; another while it waits there already.
    pub(super) fn of_this_thread() -> Arc<Self> {
        WAITER.take().unwrap_or_default()
    }

    /// Keeps the place for this thread's next call. Nobody else may give it
    /// anything any more.
    pub(super) fn rest(self: Arc<Self>) {
        *self.turn.lock() = Turn::Wait;
        WAITER.set(Some(self));
    }

    /// Says what the thread is to do, of which [`wake`](Self::wake) tells it.
    pub(super) fn give(&self, turn: Turn) {
        *self.turn.lock() = turn;
    }

    /// Wakes the thread. Not under a lock, which it would need at once: it may run before
    /// the caller goes on.
    pub(super) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Waits until there is something to do; [`Turn::Wait`] when there is nothing
    /// by the deadline.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Turn {
        let mut turn = self.turn.lock();
        while matches!(*turn, Turn::Wait) {
            match deadline {
                None => self.changed.wait(&mut turn),
                Some(deadline) => {
                    if self.changed.wait_until(&mut turn, deadline).timed_out() {
                        break;
                    }
                }
            }
        }
        std::mem::take(&mut turn)
    }

    /// Takes the task that there is now.
    pub(super) fn turn(&self) -> Turn {
        std::mem::take(&mut *self.turn.lock())
    }
}

impl End {
    /// The call's own time is over; nothing is known of its request.
    pub(super) fn timed_out() -> Self {
        Self {
            fault: Arc::new(ConnectionFault::TimedOut),
            said_goodbye: false,
            acknowledged: None,
        }
    }
}
