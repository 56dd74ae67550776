//! Waiting for the first of several replies.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};
use taut_sync::lock::{Condvar, Mutex};

use super::poller::{Poller, not_there};

/// Something that a [`PollableSet`] waits for: the generated pollers, and [`Poller`] itself
/// (the standard's `CORBA::Pollable`).
pub trait Pollable {
    /// The poller in it.
    fn poller(&self) -> &Poller;
}

impl Pollable for Poller {
    fn poller(&self) -> &Poller {
        self
    }
}

impl<P: Pollable + ?Sized> Pollable for Box<P> {
    fn poller(&self) -> &Poller {
        (**self).poller()
    }
}

/// A set of pollers, of which the first is waited for that has a reply (the standard's
/// `CORBA::PollableSet`). `Box<dyn Pollable>` holds pollers of several interfaces.
///
/// ```
/// use std::time::Duration;
///
/// use taut::ami::{PollError, Pollable, PollableSet};
///
/// /// Takes pollers out of a set as their replies come.
/// fn all<P: Pollable>(set: &PollableSet<P>, mut take: impl FnMut(P)) -> Result<(), PollError> {
///     while set.number_left() > 0 {
///         take(set.get_ready_pollable(Some(Duration::from_secs(10)))?);
///     }
///     Ok(())
/// }
/// ```
pub struct PollableSet<P: Pollable> {
    pollables: Mutex<Vec<P>>,
    bell: Arc<Bell>,
}

/// The means by which a poller tells its set that its reply is there.
#[derive(Default)]
pub(super) struct Bell {
    rings: Mutex<u64>,
    rung: Condvar,
}

impl Bell {
    pub(super) fn ring(&self) {
        *self.rings.lock() += 1;
        self.rung.notify_all();
    }
}

/// The poller is in a set already: this one, or another.
///
/// As a system exception it is BAD_PARAM with OMG minor 43.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlreadyInSet;

/// The poller is not in the set (the standard's exception of the same name).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownPollable;

/// Why [`PollableSet::get_ready_pollable`] has nothing to return.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PollError {
    /// The set is empty (the standard's exception of the same name).
    NoPossiblePollable,
    /// NO_RESPONSE or TIMEOUT, both with OMG minor 1: no reply is there, or none has come in
    /// time.
    System(SystemException),
}

impl<P: Pollable> PollableSet<P> {
    /// A set without pollers.
    pub fn new() -> Self {
        Self {
            pollables: Mutex::new(Vec::new()),
            bell: Arc::default(),
        }
    }

    /// Adds a poller.
    ///
    /// # Errors
    ///
    /// [`AlreadyInSet`] when it is in this set or another.
    pub fn add_pollable(&self, potential: P) -> Result<(), AlreadyInSet> {
        if !potential.poller().polled().enter(&self.bell) {
            return Err(AlreadyInSet);
        }
        self.pollables.lock().push(potential);
        // Its reply may have come before.
        self.bell.ring();
        Ok(())
    }

    /// Takes a poller out whose reply is there, or has gone elsewhere, waiting for that no
    /// longer than this.
    ///
    /// # Errors
    ///
    /// [`PollError`].
    pub fn get_ready_pollable(&self, timeout: Option<Duration>) -> Result<P, PollError> {
        let until = timeout.map(|timeout| Instant::now().checked_add(timeout));
        let mut rings = *self.bell.rings.lock();
        loop {
            if let Some(ready) = self.take_ready()? {
                return Ok(ready);
            }
            let mut now = self.bell.rings.lock();
            while *now == rings {
                match until {
                    Some(Some(until)) => {
                        if self.bell.rung.wait_until(&mut now, until).timed_out() {
                            return Err(PollError::System(not_there(timeout)));
                        }
                    }
                    // Later than there are times.
                    Some(None) | None => self.bell.rung.wait(&mut now),
                }
            }
            rings = *now;
        }
    }

    /// Takes a poller out.
    ///
    /// # Errors
    ///
    /// [`UnknownPollable`] when it is not in the set.
    pub fn remove(&self, potential: &P) -> Result<P, UnknownPollable> {
        let mut pollables = self.pollables.lock();
        let is_it = |own: &P| own.poller().is(potential.poller());
        let place = pollables.iter().position(is_it).ok_or(UnknownPollable)?;
        let removed = pollables.swap_remove(place);
        drop(pollables);
        removed.poller().polled().leave();
        // Somebody may wait for the last.
        self.bell.ring();
        Ok(removed)
    }

    /// The number of pollers that are in the set.
    pub fn number_left(&self) -> usize {
        self.pollables.lock().len()
    }

    fn take_ready(&self) -> Result<Option<P>, PollError> {
        let mut pollables = self.pollables.lock();
        if pollables.is_empty() {
            return Err(PollError::NoPossiblePollable);
        }
        let is_settled = |own: &P| own.poller().polled().is_settled();
        let place = pollables.iter().position(is_settled);
        let ready = place.map(|place| pollables.remove(place));
        drop(pollables);
        if let Some(ready) = &ready {
            ready.poller().polled().leave();
        }
        Ok(ready)
    }
}

impl<P: Pollable> Default for PollableSet<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// Its pollers may go into other sets.
impl<P: Pollable> Drop for PollableSet<P> {
    fn drop(&mut self) {
        for pollable in self.pollables.lock().drain(..) {
            pollable.poller().polled().leave();
        }
    }
}

impl From<AlreadyInSet> for SystemException {
    fn from(_: AlreadyInSet) -> Self {
        Self::omg(SystemExceptionKind::BadParam, 43, CompletionStatus::No)
    }
}

impl fmt::Display for AlreadyInSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the poller is in a set already")
    }
}

impl fmt::Display for UnknownPollable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the poller is not in the set")
    }
}

impl fmt::Display for PollError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPossiblePollable => f.write_str("the set has no pollers"),
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl std::error::Error for AlreadyInSet {}
impl std::error::Error for UnknownPollable {}
impl std::error::Error for PollError {}

impl<P: Pollable> fmt::Debug for PollableSet<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PollableSet")
            .field("number_left", &self.number_left())
            .finish_non_exhaustive()
    }
}
