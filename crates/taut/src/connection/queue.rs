//! Oneways for which nobody waits (`SYNC_NONE`), until they are sent.
//!
//! They gather in a queue beside each connection. The next user of the connection sends
//! them in front of its own message, in the same system call; a caller that meets a bound
//! sends them by themselves, as far as there is room; else the oneway sender does, in time.
//! So they keep their order among each other and with calls on the connection.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::batch::Batch;
use super::turns::{self, Turns, Waits};
use crate::settings::{Settings, SyncScope};

/// The oneways that wait beside one connection.
#[derive(Default)]
pub(super) struct Queue {
    turns: Turns<Waiting>,
    /// The oneways that the connection has taken and not sent: messages, and their octets.
    backlog_messages: AtomicUsize,
    backlog_octets: AtomicUsize,
}

#[derive(Default)]
pub(super) struct Waiting {
    batch: Batch,
    /// Since when.
    since: Option<Instant>,
    /// Whether one of them has said how long it waits.
    is_told: bool,
}

impl Waits for Waiting {
    fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }
}

/// A caller's claim to what waits in a queue.
pub(super) type Claim<'q> = turns::Claim<'q, Waiting>;

/// The oneway sender's turn to send what waits in a queue.
pub(super) type Turn<'q> = turns::Turn<'q, Waiting>;

/// The outcome of adding a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pushed {
    /// It waits: it is the first.
    First,
    /// It waits with others, and for a shorter time than the sender knows of.
    Sooner,
    /// It waits with others.
    Behind,
    /// It waits, and is not to wait any longer.
    Bound,
    /// It does not, for as many wait as may.
    Full,
    /// It does not, for it has to tell the code sets.
    Unintroduced,
}

/// The bounds on how many oneways may wait, and when they are sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    batch_messages: usize,
    batch_octets: usize,
    max_messages: usize,
    max_octets: usize,
    /// How long the sender lets one wait.
    interval: Duration,
    /// How long this one waits, if it says so.
    timeout: Option<Duration>,
}

/// The bounds that a oneway has in place of those of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Batching {
    pub(crate) messages: usize,
    pub(crate) octets: usize,
    pub(crate) timeout: Duration,
}

impl Bounds {
    pub(super) fn new(settings: &Settings) -> Self {
        let immediately = settings.client.oneway_batch_timeout.is_zero();
        Self {
            batch_messages: match immediately {
                true => 1,
                false => settings.client.oneway_batch_messages,
            },
            batch_octets: settings.client.oneway_batch_octets,
            max_messages: settings.client.max_queued_oneways,
            max_octets: settings.client.max_queued_oneway_octets,
            interval: settings.client.oneway_batch_timeout,
            timeout: None,
        }
    }

    /// These, with those that a oneway has in their place.
    pub(super) fn with(&self, batching: &Batching) -> Self {
        Self {
            batch_messages: match batching.timeout.is_zero() {
                true => 1,
                false => batching.messages,
            },
            batch_octets: batching.octets,
            timeout: Some(batching.timeout),
            ..*self
        }
    }

    /// Returns since when a oneway that comes now counts as waiting, so that it is sent in
    /// its time.
    fn since(&self) -> Instant {
        let now = Instant::now();
        let Some(timeout) = self.timeout else {
            return now;
        };
        let since = match timeout.checked_sub(self.interval) {
            Some(longer) => now.checked_add(longer),
            None => now.checked_sub(self.interval - timeout),
        };
        since.unwrap_or(now)
    }
}

impl Queue {
    /// Whether any waits that no connection has taken, or somebody is about to take it.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        SyncScope::MAY_BE_NONE && self.turns.is_busy()
    }

    /// Whether any waits or has been taken and not sent.
    #[inline]
    pub(super) fn is_at_work(&self) -> bool {
        self.is_waiting() || self.has_backlog()
    }

    /// Whether a connection has taken some and not sent them.
    #[inline]
    pub(super) fn has_backlog(&self) -> bool {
        SyncScope::MAY_BE_NONE && self.backlog_messages.load(Ordering::Relaxed) > 0
    }

    /// Whether what waits tells the code sets.
    pub(super) fn is_introduced(&self) -> bool {
        self.turns.update(|waiting| waiting.batch.is_introduced())
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
        self.turns.update(|waiting| {
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
            let is_enough = batch.messages() >= bounds.batch_messages
                || batch.rest().len() >= bounds.batch_octets;
            let is_sooner = match waiting.since {
                _ if is_first => bounds.timeout.is_some(),
                // Those that say nothing wait as long as those before them, or less.
                Some(since) if bounds.timeout.is_some() || waiting.is_told => {
                    bounds.since() < since
                }
                _ => false,
            };
            if is_first || is_sooner {
                waiting.since = Some(bounds.since());
            }
            waiting.is_told = bounds.timeout.is_some() || waiting.is_told && !is_first;
            match (is_enough, is_sooner, is_first) {
                (true, ..) => Pushed::Bound,
                (false, true, _) => Pushed::Sooner,
                (false, false, true) => Pushed::First,
                (false, false, false) => Pushed::Behind,
            }
        })
    }

    /// Returns how many wait or have been taken and not sent, and their octets.
    pub(super) fn size(&self) -> (usize, usize) {
        let waiting =
            |waiting: &mut Waiting| (waiting.batch.messages(), waiting.batch.rest().len());
        let (messages, octets) = self.turns.update(waiting);
        (
            messages + self.backlog_messages.load(Ordering::Relaxed),
            octets + self.backlog_octets.load(Ordering::Relaxed),
        )
    }

    /// Whether any waits that no connection has taken.
    pub(super) fn has_waiting(&self) -> bool {
        self.turns.update(|waiting| !waiting.is_empty())
    }

    /// Moves what waits behind what `batch` has, which the holder of the connection
    /// `beside` another queue, or this one, is going to send.
    pub(super) fn hand_over(&self, batch: &mut Batch, beside: &Self) {
        self.hand_over_if(|| true, batch, beside);
    }

    /// Does so if the connection beside this queue still `is_in_use`, where the oneway sender has
    /// its turn. A caller that uses it has no oneway of its own in the queue, then: he
    /// would have claimed it.
    pub(super) fn hand_over_if(
        &self,
        is_in_use: impl FnOnce() -> bool,
        batch: &mut Batch,
        beside: &Self,
    ) {
        self.turns.update(|waiting| {
            if is_in_use() {
                batch.append(&mut waiting.batch);
                waiting.since = None;
                beside.note_backlog(batch);
            }
        });
    }

    /// A caller's claim to what waits, behind the oneway sender's turn; none if that lasts for
    /// longer than the caller's `patience`.
    pub(super) fn claim(&self, patience: Duration) -> Option<Claim<'_>> {
        self.turns.claim(patience)
    }

    /// The oneway sender's turn; none while a caller has a claim, and takes what waits along.
    pub(super) fn serve(&self) -> Option<Turn<'_>> {
        self.turns.serve()
    }

    /// Notes what the connection has of it now. The thread that holds the connection calls
    /// this.
    pub(super) fn note_backlog(&self, batch: &Batch) {
        let (messages, octets) = (batch.messages(), batch.rest().len());
        self.backlog_octets.store(octets, Ordering::Relaxed);
        self.backlog_messages.store(messages, Ordering::Relaxed);
    }

    /// Since when the first has been waiting.
    pub(super) fn since(&self) -> Option<Instant> {
        self.turns.update(|waiting| waiting.since)
    }

    /// Notes that what a connection had taken has ended with it.
    pub(super) fn forget_backlog(&self) {
        self.note_backlog(&Batch::default());
    }

    /// Gives up what waits.
    pub(super) fn lose(&self, reason: &'static str) {
        self.turns.update(|waiting| {
            waiting.batch.lose(reason);
            waiting.since = None;
        });
    }
}
