//! What a thread leaves behind when it runs a servant, for the thread that may
//! relieve it.

use taut_cdr::CharCodeSet;
use taut_giop::framing::Framer;
use taut_giop::message::MessageHeader;

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
    apart: Vec<u32>,
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

    /// The framer, all octets as they were given, and how many of them have been dealt
    /// with.
    pub(super) fn into_parts(self) -> (Framer, Vec<u8>, usize) {
        (self.framer, self.octets, self.start)
    }

    /// Copies the next message, if it is there in one piece and is less than what has
    /// arrived behind it; from here on it counts as dealt with.
    fn next(&mut self, message: &mut Vec<u8>) -> Option<MessageHeader> {
        let rest = &self.octets[self.start..];
        let header = self.framer.whole(rest)?;
        let (octets, behind) = rest.split_at(header.total_size());
        if behind.len() <= octets.len() {
            return None;
        }
        message.clear();
        message.extend_from_slice(octets);
        self.start += octets.len();
        Some(header)
    }

    /// The framer, and the octets that have not been dealt with.
    pub(super) fn into_rest(mut self) -> (Framer, Vec<u8>) {
        self.octets.drain(..self.start);
        (self.framer, self.octets)
    }
}

impl Handover {
    /// Notes that a request's thread has been relieved, or that it is done. The two
    /// threads do it once each, in whichever order they come.
    pub(super) fn toggle_apart(&mut self, request_id: u32) {
        match self.apart.iter().position(|apart| *apart == request_id) {
            Some(place) => drop(self.apart.swap_remove(place)),
            None => self.apart.push(request_id),
        }
    }

    /// Whether a request is under way whose thread has been relieved.
    pub(super) fn is_apart(&self, request_id: u32) -> bool {
        self.apart.contains(&request_id)
    }

    /// Leaves this to whoever relieves the calling thread.
    pub(super) fn leave(&mut self, unread: Unread) {
        self.left = Some(unread);
    }

    /// Copies the next message of what was left, to be dealt with by whoever left it, if
    /// it is there in one piece and is less than what has arrived behind it.
    pub(super) fn next(&mut self, message: &mut Vec<u8>) -> Option<MessageHeader> {
        self.left.as_mut()?.next(message)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_is_done_before_its_relief_is_noted_leaves_nothing() {
        let mut handover = Handover::default();
        handover.toggle_apart(7);
        assert!(handover.is_apart(7) && !handover.is_apart(8));
        handover.toggle_apart(8);
        handover.toggle_apart(7);
        assert!(!handover.is_apart(7) && handover.is_apart(8));
        handover.toggle_apart(8);
        assert!(handover.apart.is_empty());
    }
}
