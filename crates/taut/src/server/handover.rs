//! What a thread leaves behind when it runs a servant, for the thread that may
//! relieve it.

use taut_cdr::CharCodeSet;
use taut_giop::framing::Framer;

use crate::buffer_pool;

/// What whoever reads the connection next must know.
///
/// Mostly nothing waits and nothing was agreed on, and nobody touches this.
#[derive(Debug, Default)]
pub(super) struct Handover {
    /// What the peer's code-sets service context said (CORBA 3.3 part 2,
    /// 7.10.2.5).
    pub(super) char_code_set: CharCodeSet,
    /// The ids of the requests under way whose threads have been relieved.
    pub(super) apart: Vec<u32>,
    /// What was read and not dealt with, while the thread on duty runs a servant.
    left: Option<Unread>,
}

/// What has arrived and not been dealt with.
#[derive(Debug)]
pub(super) struct Unread {
    /// Keeps the messages that are in fragments.
    pub(super) framer: Framer,
    octets: Vec<u8>,
    /// How many of the octets have been dealt with.
    start: usize,
}

impl Unread {
    /// The octets from `start` on.
    pub(super) fn new(framer: Framer, octets: Vec<u8>, start: usize) -> Self {
        Self {
            framer,
            octets,
            start,
        }
    }

    /// A copy of these octets.
    pub(super) fn copied(framer: Framer, octets: &[u8]) -> Self {
        let mut copy = buffer_pool::take();
        copy.extend_from_slice(octets);
        Self::new(framer, copy, 0)
    }

    /// The framer, and all octets as they were given.
    pub(super) fn into_parts(self) -> (Framer, Vec<u8>) {
        (self.framer, self.octets)
    }

    /// The framer, and the octets that have not been dealt with.
    pub(super) fn into_rest(mut self) -> (Framer, Vec<u8>) {
        self.octets.drain(..self.start);
        (self.framer, self.octets)
    }
}

impl Handover {
    /// Leaves this to whoever relieves the calling thread.
    pub(super) fn leave(&mut self, unread: Unread) {
        self.left = Some(unread);
    }

    /// Takes what was left, by whoever left it or relieves that one.
    pub(super) fn take(&mut self) -> Option<Unread> {
        self.left.take()
    }

    /// Whether any octets are left.
    pub(super) fn has_octets(&self) -> bool {
        let left = self.left.as_ref();
        left.is_some_and(|unread| unread.start < unread.octets.len())
    }
}
