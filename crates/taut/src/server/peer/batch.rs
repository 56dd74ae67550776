//! Replies that wait to be sent together.
//!
//! They lie where a thread that relieves the one on duty finds them. The thread that has put
//! them there sends them; one that has been relieved and the one that relieves it do, whichever
//! comes first; and who looks after servants that take long does. While any waits, the duty says
//! that its thread is sending, so that nobody says goodbye before.

use std::io::{self, ErrorKind, IoSlice};
use std::mem;

use super::Peer;
use crate::buffer_pool;
use crate::server::handover::Handover;
use crate::server::outbox::Outbox;

impl Peer {
    /// Has a reply wait until [`send_batch`](Self::send_batch).
    #[inline]
    pub(in crate::server) fn add_to_batch(&self, reply: &[u8]) {
        let mut handover = self.handover();
        if handover.replies.capacity() == 0 {
            handover.replies = buffer_pool::take();
        }
        handover.replies.extend_from_slice(reply);
    }

    /// Sends the replies that wait, by the thread on duty.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub(in crate::server) fn send_batch(&self) -> io::Result<()> {
        let replies = mem::take(&mut self.handover().replies);
        if replies.is_empty() {
            return Ok(()); // Somebody else has sent them.
        }
        let sent = self.send(&replies);
        buffer_pool::give(replies);
        sent
    }

    /// Sends the replies that wait, or promises to, where nobody waits while it sends.
    #[cold]
    pub(in crate::server) fn post_batch(&self) {
        if let Some(outbox) = self.outbox() {
            self.post_replies(&mut self.handover(), outbox);
            self.note_if_congested();
        }
    }

    /// From here on nobody waits while it sends.
    pub(in crate::server) fn become_reactive(&self) {
        let mut handover = self.handover();
        self.outbox.get_or_init(|| {
            // Of a reply that waits, a part may have been sent: nothing is to come between.
            let outbox = Outbox::default();
            self.post_replies(&mut handover, &outbox);
            outbox
        });
        drop(handover);
        self.note_if_congested();
    }

    /// Posts the replies that wait. Under the lock, so that who finds none there knows that
    /// all have been posted.
    fn post_replies(&self, handover: &mut Handover, outbox: &Outbox) {
        if !handover.replies.is_empty() {
            let parts = &mut [IoSlice::new(&handover.replies)];
            // The thread that reads finds out if the client is gone.
            let _ = outbox.send(&self.stream, parts, (&self.account, &self.this));
            buffer_pool::give(mem::take(&mut handover.replies));
        }
    }

    fn note_if_congested(&self) {
        if self.is_congested() {
            self.note_congestion();
        }
    }

    /// Sends of the replies that wait as much as can be sent without waiting, while a servant
    /// keeps the thread that put them there.
    pub(in crate::server) fn send_batch_at_once(&self) {
        // The thread that holds it sends.
        let Some(mut handover) = self.handover.try_lock() else {
            return;
        };
        if let Some(outbox) = self.outbox() {
            self.post_replies(&mut handover, outbox);
            drop(handover);
            return self.note_if_congested();
        }
        if handover.replies.is_empty() {
            return;
        }
        match self.stream.try_send(&handover.replies) {
            Ok(sent) => drop(handover.replies.drain(..sent)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            // The thread that reads finds out.
            Err(_) => handover.replies.clear(),
        }
    }
}
