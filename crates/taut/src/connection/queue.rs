//! Oneways for which nobody waits (`SYNC_NONE`), until they are sent.
//!
//! They gather in a queue beside each connection. Whoever uses the connection next
//! sends them in front of what it has to send, in the same system call; whoever meets a
//! bound sends them by themselves, as far as there is room; else the courier does, in
//! time. So they keep their order among each other and with calls on the connection.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use super::batch::Batch;
use crate::settings::Settings;

/// What waits beside one connection.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Whether any waits here; changes under the lock.
    is_waiting: AtomicBool,
    waiting: Mutex<Waiting>,
    /// What the connection has taken and not sent: messages, and their octets.
    backlog_messages: AtomicUsize,
    backlog_octets: AtomicUsize,
    /// Whether the courier has the connection, to send what waited.
    is_served: AtomicBool,
}

#[derive(Debug, Default)]
struct Waiting {
    batch: Batch,
    /// Since when.
    since: Option<Instant>,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pushed {
    /// It waits: it is the first.
    First,
    /// It waits with others.
    Behind,
    /// It waits, and is not to wait any longer.
    Bound,
    /// It does not, for as many wait as may.
    Full,
    /// It does not, for it has to tell the code sets.
    Unintroduced,
}

/// What may wait and how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    batch_messages: usize,
    batch_octets: usize,
    max_messages: usize,
    max_octets: usize,
}

impl Bounds {
    pub(super) fn new(settings: &Settings) -> Self {
        let immediately = settings.oneway_batch_timeout.is_zero();
        Self {
            batch_messages: match immediately {
                true => 1,
                false => settings.oneway_batch_messages,
            },
            batch_octets: settings.oneway_batch_octets,
            max_messages: settings.max_queued_oneways,
            max_octets: settings.max_queued_oneway_octets,
        }
    }
}

impl Queue {
    /// Whether any waits that no connection has taken.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        self.is_waiting.load(Ordering::Relaxed)
    }

    /// Whether any waits or has been taken and not sent.
    #[inline]
    pub(super) fn is_at_work(&self) -> bool {
        self.is_waiting() || self.has_backlog()
    }

    /// Whether a connection has taken some and not sent them.
    #[inline]
    pub(super) fn has_backlog(&self) -> bool {
        self.backlog_messages.load(Ordering::Relaxed) > 0
    }

    /// Whether what waits tells the code sets.
    pub(super) fn is_introduced(&self) -> bool {
        self.waiting.lock().batch.is_introduced()
    }

    /// Adds a message. It tells the code sets, or has nothing to tell; or it
    /// `relies` on one before it to have done so.
    pub(super) fn push(
        &self,
        message: &[u8],
        introduces: bool,
        relies: bool,
        bounds: &Bounds,
    ) -> Pushed {
        let mut waiting = self.waiting.lock();
        let batch = &mut waiting.batch;
        if relies && !batch.is_introduced() {
            return Pushed::Unintroduced;
        }
        let messages = batch.messages() + self.backlog_messages.load(Ordering::Relaxed);
        let octets = batch.rest().len() + self.backlog_octets.load(Ordering::Relaxed);
        if messages >= bounds.max_messages || octets + message.len() > bounds.max_octets {
            return Pushed::Full;
        }
        let is_first = batch.is_empty();
        batch.push(message, introduces);
        let is_enough =
            batch.messages() >= bounds.batch_messages || batch.rest().len() >= bounds.batch_octets;
        if is_first {
            waiting.since = Some(Instant::now());
            self.is_waiting.store(true, Ordering::Relaxed);
        }
        match (is_enough, is_first) {
            (true, _) => Pushed::Bound,
            (false, true) => Pushed::First,
            (false, false) => Pushed::Behind,
        }
    }

    /// Moves what waits behind what `batch` has, which whoever holds the connection is
    /// going to send.
    pub(super) fn hand_over(&self, batch: &mut Batch) {
        let mut waiting = self.waiting.lock();
        batch.append(&mut waiting.batch);
        waiting.since = None;
        self.is_waiting.store(false, Ordering::Relaxed);
        self.note_backlog(batch);
    }

    /// Moves what waits elsewhere behind what waits here: who has left it calls over
    /// this queue's connection from here on.
    pub(super) fn follow(&self, other: &Self) {
        if std::ptr::eq(self, other) || !other.is_waiting() {
            return;
        }
        let mut moved = Batch::default();
        let since = {
            let mut waiting = other.waiting.lock();
            moved.append(&mut waiting.batch);
            other.is_waiting.store(false, Ordering::Relaxed);
            waiting.since.take()
        };
        if !moved.is_empty() {
            let mut waiting = self.waiting.lock();
            waiting.batch.append(&mut moved);
            waiting.since = waiting.since.min(since).or(since);
            self.is_waiting.store(true, Ordering::Relaxed);
        }
    }

    /// Notes what the connection has of it now. Whoever holds the connection does so.
    pub(super) fn note_backlog(&self, batch: &Batch) {
        let (messages, octets) = (batch.messages(), batch.rest().len());
        self.backlog_octets.store(octets, Ordering::Relaxed);
        self.backlog_messages.store(messages, Ordering::Relaxed);
    }

    /// Since when the first has been waiting.
    pub(super) fn since(&self) -> Option<Instant> {
        self.waiting.lock().since
    }

    /// Notes that what a connection had taken has ended with it.
    pub(super) fn forget_backlog(&self) {
        self.note_backlog(&Batch::default());
    }

    /// Gives up what waits.
    pub(super) fn lose(&self, reason: &'static str) {
        let mut waiting = self.waiting.lock();
        waiting.batch.lose(reason);
        waiting.since = None;
        self.is_waiting.store(false, Ordering::Relaxed);
    }

    /// Whether the courier has the connection, and so whoever needs it waits for it
    /// rather than to overtake what was before.
    pub(super) fn is_served(&self) -> bool {
        self.is_served.load(Ordering::Relaxed)
    }

    pub(super) fn set_served(&self, is_served: bool) {
        self.is_served.store(is_served, Ordering::Relaxed);
    }
}
