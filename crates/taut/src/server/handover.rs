//! The state that a thread leaves behind when it runs a servant, for the thread that may
//! relieve it.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use taut_cdr::CharacterForms;

use crate::buffer_pool;
use crate::messaging::Assembly;

/// The state that passes to the thread that reads the connection next.
///
/// Mostly nothing waits and nothing was agreed on, and nobody touches this.
#[derive(Debug, Default)]
pub(super) struct Handover {
    /// The character forms from the peer's code-sets service context (CORBA 3.3 part 2,
    /// 7.10.2.5).
    pub(super) characters: Option<CharacterForms>,
    /// The ids of the requests under way to which a thread makes the reply that has been
    /// relieved, or to which the request was left.
    apart: Vec<u32>,
    /// Replies that wait to be sent together.
    pub(super) replies: Vec<u8>,
    /// The octets that were read and not handled, while the thread on duty runs a servant.
    left: Option<Unread>,
}

/// Octets that were read at once, while messages of them are served one after the other: the
/// thread that does so borrows them from here, and the thread that relieves it finds here what is
/// behind them.
#[derive(Debug, Default)]
pub(super) struct Octets {
    octets: Vec<u8>,
    /// How many of them have been handled. Only the thread on duty writes it, before
    /// it begins what they ask for, which [`Duty`](super::duty::Duty) tells others.
    handled: AtomicUsize,
}

impl Octets {
    /// Takes the octets out of `input`, of which so many have been handled, for others
    /// to share. Where nobody shares what is `kept` of the last time, nothing is allocated.
    pub(super) fn share(kept: Option<Arc<Self>>, input: &mut Vec<u8>, handled: usize) -> Arc<Self> {
        let mut shared = kept.unwrap_or_default();
        let octets = mem::take(input);
        match Arc::get_mut(&mut shared) {
            Some(own) => *own = Self::new(octets, handled),
            None => shared = Arc::new(Self::new(octets, handled)),
        }
        shared
    }

    fn new(octets: Vec<u8>, handled: usize) -> Self {
        Self {
            octets,
            handled: AtomicUsize::new(handled),
        }
    }

    /// Puts the octets back into `input`, unless others share them.
    pub(super) fn give_back(self: &mut Arc<Self>, input: &mut Vec<u8>) {
        if let Some(own) = Arc::get_mut(self) {
            *input = mem::take(&mut own.octets);
        }
    }

    /// All of them.
    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.octets
    }

    /// Notes how many of them have been handled.
    #[inline]
    pub(super) fn note(&self, handled: usize) {
        self.handled.store(handled, Ordering::Relaxed);
    }

    /// Those that have not been handled.
    fn rest(&self) -> &[u8] {
        let handled = self.handled.load(Ordering::Relaxed);
        self.octets.get(handled..).unwrap_or_default()
    }
}

/// Octets that have arrived and not been handled.
#[derive(Debug)]
pub(super) struct Unread {
    /// Keeps the messages that are in fragments.
    pub(super) assembly: Assembly,
    pub(super) octets: Arc<Octets>,
}

impl Unread {
    /// The assembly, and a copy of the octets that have not been handled: the thread that
    /// has been relieved still reads its message among them.
    pub(super) fn into_rest(self) -> (Assembly, Vec<u8>) {
        let mut rest = buffer_pool::take();
        rest.extend_from_slice(self.octets.rest());
        (self.assembly, rest)
    }
}

impl Handover {
    /// Notes that another thread than that on duty makes the reply to a request, or that it
    /// does not any more: the reply is there, or has been left to a third. Both are noted once
    /// each, in whichever order they come.
    pub(super) fn toggle_apart(&mut self, request_id: u32) {
        match self.apart.iter().position(|apart| *apart == request_id) {
            Some(place) => drop(self.apart.swap_remove(place)),
            None => self.apart.push(request_id),
        }
    }

    /// Whether another thread than that on duty makes the reply to a request of this id.
    pub(super) fn is_apart(&self, request_id: u32) -> bool {
        self.apart.contains(&request_id)
    }

    /// Leaves this to the thread that relieves the calling one.
    pub(super) fn leave(&mut self, unread: Unread) {
        self.left = Some(unread);
    }

    /// Takes what was left, in the thread that left it or that relieves that one.
    pub(super) fn take(&mut self) -> Option<Unread> {
        self.left.take()
    }

    /// Whether any octets are left.
    pub(super) fn has_octets(&self) -> bool {
        let left = self.left.as_ref();
        left.is_some_and(|unread| !unread.octets.rest().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messaging::Messaging;
    use crate::settings::Settings;

    fn assembly() -> Assembly {
        Assembly::new(Messaging::Giop, &Settings::default())
    }

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

    #[test]
    fn octets_come_back_unless_others_still_read_them() {
        let mut input = b"handled, and not".to_vec();
        let place = input.as_ptr();
        let mut octets = Octets::share(None, &mut input, 5);
        assert!(input.is_empty());
        let mut handover = Handover::default();
        handover.leave(Unread {
            assembly: assembly(),
            octets: Arc::clone(&octets),
        });
        octets.note(9);
        assert!(handover.has_octets());
        octets.give_back(&mut input);
        assert!(input.is_empty());
        let (_, rest) = handover.take().unwrap().into_rest();
        assert_eq!(rest, b"and not");
        octets.give_back(&mut input);
        assert_eq!(input.as_ptr(), place);

        let kept = Arc::as_ptr(&octets);
        let end = input.len();
        octets = Octets::share(Some(octets), &mut input, end);
        assert_eq!(Arc::as_ptr(&octets), kept);
        handover.leave(Unread {
            assembly: assembly(),
            octets,
        });
        assert!(!handover.has_octets());
    }
}
