//! Messages, made of the octets that arrive on a connection.

use std::mem;
use std::ops::Range;
use std::time::{Duration, Instant};

use taut_giop::framing::{Framer, FramingLimits, Reassembled, Step};
use taut_giop::message::{FrameError, MessageHeader};

use super::Messaging;
use super::fragment_sweep::FragmentSweep;
use crate::settings::Settings;

/// The finder of messages among the octets from one peer, with the messages of which only
/// some fragments have come.
#[derive(Debug)]
pub(crate) struct Assembly {
    messaging: Messaging,
    framer: Framer,
    fragment_sweep: FragmentSweep,
}

/// The next thing among the octets that have arrived.
#[derive(Debug)]
pub(crate) enum Found {
    /// A message in one piece.
    Message {
        /// Its header.
        header: MessageHeader,
        /// Which of the octets it is, with its header.
        range: Range<usize>,
    },
    /// A message of which the last fragment has come.
    Reassembled(Reassembled),
    /// Nothing that is whole.
    Part {
        /// How many octets the next message or fragment has, as far as that is known.
        needed: usize,
    },
}

impl Assembly {
    /// The assembly of one direction of one connection.
    pub(crate) fn new(messaging: Messaging, settings: &Settings) -> Self {
        Self::within(
            messaging,
            settings.limits.framing,
            settings.limits.message_timeout,
        )
    }

    /// An assembly with these limits, of which one is the least age at which messages in
    /// fragments are dropped.
    fn within(messaging: Messaging, limits: FramingLimits, fragment_age: Duration) -> Self {
        Self {
            messaging,
            framer: messaging.framer(limits),
            fragment_sweep: FragmentSweep::every(fragment_age),
        }
    }

    /// Takes all that it has of messages in fragments, and leaves an assembly without any.
    pub(crate) fn take(&mut self) -> Self {
        let age = self.fragment_sweep.interval();
        let empty = Self::within(self.messaging, *self.limits(), age);
        mem::replace(self, empty)
    }

    /// The protocol of the messages.
    #[inline(always)]
    pub(crate) fn messaging(&self) -> Messaging {
        self.messaging
    }

    /// The limits of what the peer may send.
    #[inline]
    pub(crate) fn limits(&self) -> &FramingLimits {
        self.framer.limits()
    }

    /// Finds the next message among `octets` from `start` on, and moves `start` behind
    /// what has been handled: a message, and fragments that were kept.
    ///
    /// # Errors
    ///
    /// When what is at `start` then is no message that may come next.
    pub(crate) fn next(&mut self, octets: &[u8], start: &mut usize) -> Result<Found, FrameError> {
        loop {
            match self.framer.next(&octets[*start..])? {
                Step::Message {
                    header, consumed, ..
                } => {
                    let range = *start..*start + consumed;
                    *start = range.end;
                    return Ok(Found::Message { header, range });
                }
                Step::Reassembled { message, consumed } => {
                    *start += consumed;
                    return Ok(Found::Reassembled(message));
                }
                Step::Absorbed { consumed } => *start += consumed,
                Step::NeedMore { total } => return Ok(Found::Part { needed: total }),
            }
        }
    }

    /// The header of the first message in `octets`, if that is there in one piece.
    #[inline]
    pub(crate) fn whole(&self, octets: &[u8]) -> Option<MessageHeader> {
        self.framer.whole(octets)
    }

    /// Whether fragments of a message have come, and not all of them.
    #[inline]
    pub(crate) fn has_partials(&self) -> bool {
        self.framer.partial_messages() > 0
    }

    /// Drops what has been kept for longer than `limits.message_timeout`, and at most twice as
    /// long, of messages in fragments for which nobody waits: of which `is_awaited` is
    /// false for the request id. A peer that goes on with one of them breaks the rules.
    pub(crate) fn drop_old_fragments(&mut self, is_awaited: impl Fn(u32) -> bool) {
        if self.has_partials() {
            let now = Instant::now();
            self.fragment_sweep.sweep(&mut self.framer, now, is_awaited);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Request 1 of eight octets behind its id, with more fragments to come; its last
    /// fragment; and a message without a body.
    const FIRST: &[u8] = b"GIOP\x01\x02\x03\x00\x0c\0\0\0\x01\0\0\0content.";
    const LAST: &[u8] = b"GIOP\x01\x02\x01\x07\x08\0\0\0\x01\0\0\0and.";
    const GOODBYE: &[u8] = b"GIOP\x01\x02\x01\x05\0\0\0\0";

    fn assembly() -> Assembly {
        let limits = FramingLimits::default();
        Assembly::within(Messaging::Giop, limits, Duration::from_secs(60))
    }

    #[test]
    fn fragments_are_passed_over_until_a_message_is_whole() {
        let octets = [FIRST, GOODBYE, LAST, GOODBYE, b"GIO"].concat();
        let (mut assembly, mut start) = (assembly(), 0);
        let between = FIRST.len()..FIRST.len() + GOODBYE.len();
        let found = assembly.next(&octets, &mut start);
        assert!(matches!(found, Ok(Found::Message { range, .. }) if range == between));
        assert!(assembly.has_partials());
        let Ok(Found::Reassembled(message)) = assembly.next(&octets, &mut start) else {
            panic!("the last fragment is there");
        };
        assert!(message.bytes.ends_with(b"\x01\0\0\0content.and."));
        assert!(!assembly.has_partials());
        let found = assembly.next(&octets, &mut start);
        assert!(matches!(found, Ok(Found::Message { .. })));
        let found = assembly.next(&octets, &mut start);
        assert!(matches!(found, Ok(Found::Part { needed: 12 })));
        assert_eq!(start, octets.len() - 3);
    }

    #[test]
    fn an_error_leaves_the_start_at_what_is_wrong() {
        let octets = [FIRST, b"no message at all"].concat();
        let mut start = 0;
        assert!(assembly().next(&octets, &mut start).is_err());
        assert_eq!(start, FIRST.len());
    }

    #[test]
    fn what_is_taken_goes_on_elsewhere() {
        let mut one = assembly();
        assert!(matches!(one.next(FIRST, &mut 0), Ok(Found::Part { .. })));
        let mut other = one.take();
        assert!(!one.has_partials() && other.has_partials());
        assert_eq!(one.limits(), other.limits());
        let found = other.next(LAST, &mut 0);
        assert!(matches!(found, Ok(Found::Reassembled(_))));
        assert!(one.next(LAST, &mut 0).is_err());
    }
}
