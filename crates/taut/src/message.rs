//! A message that has been received.

use std::time::{Duration, Instant};

use taut_cdr::{Decoder, Elements, Landed, MemoryLimit, Realignment};
use taut_sync::lock::Mutex;
use taut_types::value;

use crate::buffer_pool;
use crate::probes::{self, Step};

/// A message that has been received, or what has been of it.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) octets: Vec<u8>,
    /// The parts that only few messages have.
    parts: Option<Box<ReceivedParts>>,
}

/// The parts of a message that did not come in one piece into one buffer.
#[derive(Debug, Default)]
struct ReceivedParts {
    /// Where alignment starts anew, behind fragments.
    realignments: Box<[Realignment]>,
    /// The elements of the last sequence, where they are not among the octets.
    landed: Mutex<Elements>,
}

impl Message {
    /// An empty message, with a buffer of this thread's pool.
    #[inline]
    pub(crate) fn take() -> Self {
        Self {
            octets: buffer_pool::take(),
            parts: None,
        }
    }

    /// That of an exchange in which nothing comes back: it has no room.
    #[inline]
    pub(crate) fn none() -> Self {
        Self {
            octets: Vec::new(),
            parts: None,
        }
    }

    /// A message that was received elsewhere.
    pub(crate) fn of(octets: Vec<u8>) -> Self {
        Self {
            octets,
            parts: None,
        }
    }

    /// Says where alignment starts anew.
    pub(crate) fn realign(&mut self, realignments: impl Into<Box<[Realignment]>>) {
        let realignments = realignments.into();
        if !realignments.is_empty() {
            self.parts.get_or_insert_default().realignments = realignments;
        }
    }

    /// Adds the elements of the last sequence, behind the octets.
    pub(crate) fn land(&mut self, elements: Elements) {
        self.parts.get_or_insert_default().landed = Mutex::new(elements);
    }

    /// Where alignment starts anew; mostly nowhere.
    pub(crate) fn realignments(&self) -> &[Realignment] {
        match &self.parts {
            Some(parts) => &parts.realignments,
            None => &[],
        }
    }

    /// Gives a decoder of the octets the further parts, and the limit of memory for
    /// the values.
    #[inline]
    pub(crate) fn tell<'m>(&'m self, decoder: Decoder<'m>, limit: MemoryLimit) -> Decoder<'m> {
        match &self.parts {
            Some(parts) => decoder
                .with_realignments(&parts.realignments)
                .with_landed(&**parts, limit),
            None => decoder.with_memory_limit(limit),
        }
    }

    /// Forgets what was received.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.octets.clear();
        self.parts = None;
    }
}

/// The elements belong to the first decoder that takes them.
impl Landed for ReceivedParts {
    fn octets(&self) -> usize {
        self.landed.lock().as_bytes().len()
    }

    fn take(&self) -> Elements {
        std::mem::take(&mut self.landed.lock())
    }
}

/// The buffer returns to the pool of the thread that drops the message.
impl Drop for Message {
    #[inline]
    fn drop(&mut self) {
        buffer_pool::give(std::mem::take(&mut self.octets));
        probes::done(Step::CallReturned);
    }
}

/// A system exception has no room for the id of a value's type that is not known.
#[cold]
pub(crate) fn log_unknown_value(error: &taut_cdr::Error, input: &Decoder<'_>) {
    if cfg!(feature = "tracing")
        && let Some(id) = value::unknown_id(error, input)
    {
        tracing::debug!(%id, "a value of an unknown type; `taut::value::register` makes it known");
    }
}

/// How long there is no further event of values that peers marshal in ways of their own.
const DEVIATION_PAUSE: Duration = Duration::from_secs(10);

/// Has an event tell of values that a peer marshals otherwise than the standard says, now
/// and then: such a peer does it with each of them.
pub(crate) fn log_deviations() {
    if !cfg!(feature = "tracing") {
        return;
    }
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    value::observe_deviations(|_, deviation| {
        if is_due(&mut LAST.lock(), Instant::now()) {
            tracing::warn!(%deviation, "a value was read that breaks a rule of the standard");
        }
    });
}

/// Whether there is to be another event now, behind the `last` one.
fn is_due(last: &mut Option<Instant>, now: Instant) -> bool {
    let is_due = last.is_none_or(|last| now.duration_since(last) >= DEVIATION_PAUSE);
    if is_due {
        *last = Some(now);
    }
    is_due
}

/// Makes room for a message of `total` octets, as far as what has arrived
/// makes the promise credible: memory grows with the data, not with its claims.
#[inline]
pub(crate) fn reserve_for(buffer: &mut Vec<u8>, total: usize) {
    const FREE: usize = 64 * 1024;
    let missing = total.saturating_sub(buffer.len());
    if buffer.capacity() - buffer.len() < missing.max(1) {
        let credible = FREE.max(2 * buffer.len());
        buffer.reserve(missing.clamp(1, credible));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn events_of_deviations_are_limited_in_rate() {
        let start = Instant::now();
        let mut last = None;
        let mut due = |seconds| is_due(&mut last, start + Duration::from_secs(seconds));
        let due: Vec<_> = (0..25).filter(|seconds| due(*seconds)).collect();
        assert_eq!(due, [0, 10, 20]);
    }
}
