//! A message that has been received.

use taut_cdr::{Decoder, Realignment};
use taut_types::value;

use crate::buffer_pool;
use crate::probes::{self, Step};

/// The octets of a message, and what its fragments did to its alignment.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) octets: Vec<u8>,
    /// Where alignment starts anew; mostly nowhere.
    pub(crate) realignments: Box<[Realignment]>,
}

impl Message {
    /// An empty message, with a buffer of this thread's pool.
    #[inline]
    pub(crate) fn take() -> Self {
        Self {
            octets: buffer_pool::take(),
            realignments: Box::default(),
        }
    }

    /// That of an exchange in which nothing comes back: it has no room.
    #[inline]
    pub(crate) fn none() -> Self {
        Self {
            octets: Vec::new(),
            realignments: Box::default(),
        }
    }

    /// Forgets what was received.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.octets.clear();
        self.realignments = Box::default();
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
    if let Some(id) = value::unknown_id(error, input) {
        tracing::debug!(%id, "a value of an unknown type; `taut::value::register` makes it known");
    }
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
