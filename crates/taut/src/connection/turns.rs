//! The turns of sending waiting oneways: the next caller's, or the oneway sender's.
//!
//! Callers claim it before they have a connection, and the oneway sender takes no turn while
//! one does: else it might find the connection of a caller who is just about to send
//! what waits in use, and carry it over another, where that caller's call overtakes it.

#[cfg(all(test, loom))]
mod orders;

use std::time::Duration;

use taut_sync::primitives::{AtomicBool, Condvar, Mutex, Ordering};

/// Messages that wait, and the thread that is about to take them.
#[derive(Default)]
pub(super) struct Turns<W> {
    state: Mutex<State<W>>,
    /// The oneway sender's turn is over.
    is_over: Condvar,
    /// Whether anything waits, or somebody is about to take it; changes under the lock.
    is_busy: AtomicBool,
}

#[derive(Default)]
struct State<W> {
    waiting: W,
    /// How many callers have a claim.
    callers: usize,
    /// Whether the oneway sender has its turn.
    is_served: bool,
}

/// A collection of messages that wait.
pub(super) trait Waits {
    /// Whether nothing does.
    fn is_empty(&self) -> bool;
}

/// A caller who takes what waits as soon as there is a connection. The oneway sender leaves it
/// alone until this is dropped.
pub(super) struct Claim<'t, W: Waits>(&'t Turns<W>);

/// The oneway sender's turn. Callers wait until it is dropped.
pub(super) struct Turn<'t, W: Waits>(&'t Turns<W>);

impl<W: Waits> Turns<W> {
    /// Whether anything waits, or somebody is about to take it.
    #[inline]
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Relaxed)
    }

    /// Looks at what waits, adds to it or takes it.
    pub(super) fn update<R>(&self, update: impl FnOnce(&mut W) -> R) -> R {
        self.change(|state| update(&mut state.waiting))
    }

    fn change<R>(&self, change: impl FnOnce(&mut State<W>) -> R) -> R {
        let mut state = self.state.lock();
        let result = change(&mut state);
        let is_busy = state.is_served || state.callers > 0 || !state.waiting.is_empty();
        self.is_busy.store(is_busy, Ordering::Relaxed);
        result
    }

    /// A caller's claim, behind the oneway sender's turn; none if that lasts for longer than
    /// the caller's `patience`.
    pub(super) fn claim(&self, patience: Duration) -> Option<Claim<'_, W>> {
        let mut state = self.state.lock();
        let wait = self
            .is_over
            .wait_while_for(&mut state, |state| state.is_served, patience);
        if wait.timed_out() {
            return None;
        }
        state.callers += 1;
        self.is_busy.store(true, Ordering::Relaxed);
        Some(Claim(self))
    }

    /// The oneway sender's turn; none while a caller has a claim, or the oneway sender its turn.
    pub(super) fn serve(&self) -> Option<Turn<'_, W>> {
        self.change(|state| {
            let is_free = state.callers == 0 && !state.is_served;
            state.is_served |= is_free;
            is_free
        })
        .then(|| Turn(self))
    }
}

impl<W: Waits> Drop for Claim<'_, W> {
    fn drop(&mut self) {
        self.0.change(|state| state.callers -= 1);
    }
}

impl<W: Waits> Drop for Turn<'_, W> {
    fn drop(&mut self) {
        self.0.change(|state| state.is_served = false);
        self.0.is_over.notify_all();
    }
}
