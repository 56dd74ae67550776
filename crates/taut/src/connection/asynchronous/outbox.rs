//! Octets of requests that wait until the transport takes them.

use std::mem;

use crate::buffer_pool::MAX_KEPT_CAPACITY;

/// Octets that wait to be sent, in order. One thread at a time takes them out and sends
/// them, while others add more.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Octets that were added.
    back: Vec<u8>,
    /// Octets that come before those, of which the first ones have left; empty while a
    /// thread has them.
    front: Vec<u8>,
    /// How many octets of the front have left.
    sent: usize,
    /// How many octets the thread that sends took.
    taken: usize,
    is_sending: bool,
    /// Whether the thread that sends is to try again, for there may be room.
    again: bool,
    /// How many octets have left in all.
    left: u64,
}

/// The octets that a thread has taken to send.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) octets: Vec<u8>,
    /// How many have left.
    pub(super) sent: usize,
}

impl Outbox {
    /// Adds octets.
    pub(super) fn add(&mut self, octets: &[u8]) {
        self.back.extend_from_slice(octets);
    }

    /// How many octets have left in all.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// How many octets will have left once all is sent that is there now.
    pub(super) fn end(&self) -> u64 {
        self.left + self.waiting() as u64
    }

    /// How many octets wait.
    pub(super) fn waiting(&self) -> usize {
        self.back.len() + self.front.len() - self.sent + self.taken
    }

    /// Takes what there is to send; none if there is nothing, or a thread does so already,
    /// which will try again.
    pub(super) fn take(&mut self) -> Option<Taken> {
        if self.is_sending {
            self.again = true;
            return None;
        }
        if self.front.is_empty() {
            mem::swap(&mut self.front, &mut self.back);
        }
        if self.front.is_empty() {
            return None;
        }
        (self.is_sending, self.again) = (true, false);
        let (octets, sent) = (mem::take(&mut self.front), mem::take(&mut self.sent));
        self.taken = octets.len() - sent;
        Some(Taken { octets, sent })
    }

    /// Puts back what was taken. True: there is more to send, or it is to be tried again.
    pub(super) fn put_back(&mut self, taken: Taken) -> bool {
        let Taken { mut octets, sent } = taken;
        let not_sent = octets.len() - sent;
        self.left += (self.taken - not_sent) as u64;
        self.taken = 0;
        self.is_sending = false;
        if not_sent > 0 {
            (self.front, self.sent) = (octets, sent);
            return mem::take(&mut self.again);
        }
        if octets.capacity() <= MAX_KEPT_CAPACITY {
            octets.clear();
            self.front = octets;
        }
        self.sent = 0;
        !self.back.is_empty()
    }

    /// Forgets all, for nothing is sent any more.
    pub(super) fn clear(&mut self) {
        (self.back, self.front) = Default::default();
        self.sent = 0;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn octets_leave_in_order_and_are_counted() {
        let mut outbox = Outbox::default();
        assert!(outbox.take().is_none());
        outbox.add(b"one");
        let mut taken = outbox.take().unwrap();
        assert_eq!(taken.octets, b"one");
        outbox.add(b"two");
        assert_eq!((outbox.waiting(), outbox.end()), (6, 6));
        assert!(outbox.take().is_none(), "two threads send");
        taken.sent = 2;
        // Another thread has found out that there is room.
        assert!(outbox.put_back(taken));
        assert_eq!((outbox.waiting(), outbox.left(), outbox.end()), (4, 2, 6));
        let mut taken = outbox.take().unwrap();
        assert_eq!(&taken.octets[taken.sent..], b"e");
        taken.sent = taken.octets.len();
        assert!(outbox.put_back(taken));
        let mut taken = outbox.take().unwrap();
        assert_eq!(&taken.octets[taken.sent..], b"two");
        taken.sent = 1;
        assert!(!outbox.put_back(taken));
        assert_eq!((outbox.waiting(), outbox.left(), outbox.end()), (2, 4, 6));
    }
}
