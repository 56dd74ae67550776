//! What a thread leaves to the one that may relieve it while it runs a servant.

use std::mem;
use std::ops::Range;

use taut_cdr::Encoder;
use taut_giop::framing::Framer;
use taut_giop::message::MessageHeader;

use super::Session;
use crate::buffer_pool;
use crate::server::ObjectAdapter;
use crate::server::dispatch::Dispatcher;
use crate::server::exchange::{End, Whole, handle};
use crate::server::handover::Unread;
use crate::server::peer::Peer;
use crate::settings::Settings;

impl<A: ObjectAdapter> Session<A> {
    /// The session of a thread that has relieved another, and the octets that
    /// it left.
    pub(in crate::server) fn succeed(
        dispatcher: Dispatcher<A>,
        peer: &Peer,
        settings: &Settings,
    ) -> (Self, Vec<u8>) {
        let mut handover = peer.handover();
        handover.toggle_apart(peer.request_id());
        let mut session = Self::new(dispatcher, peer, settings);
        session.dispatcher.set_char_code_set(handover.char_code_set);
        let Some(unread) = handover.take() else {
            return (session, Vec::new());
        };
        let (framer, octets) = unread.into_rest();
        session.framer = framer;
        let waiting = octets.len();
        drop(handover);
        session.note_arrival(peer, waiting, true);
        (session, octets)
    }

    /// Deals with the message in `input` that `range` says, where something has
    /// arrived behind it, which a thread that relieves this one must find.
    pub(super) fn handle_before_others(
        &mut self,
        peer: &Peer,
        header: MessageHeader,
        input: &mut Vec<u8>,
        range: Range<usize>,
        out: &mut Encoder,
    ) -> Result<(), End> {
        // Whatever is less is copied.
        if input.len() - range.end <= range.len() {
            self.leave_copied(peer, &input[range.end..]);
            let message = Whole::new(header, &input[range]);
            handle(peer, self.shift, &mut self.dispatcher, &message, out)?;
            buffer_pool::give(self.take_back(peer));
            return Ok(());
        }
        let mut octets = buffer_pool::take();
        octets.extend_from_slice(&input[range.clone()]);
        self.leave(peer, |framer| {
            Unread::new(framer, mem::take(input), range.end)
        });
        let message = Whole::new(header, &octets);
        let handled = handle(peer, self.shift, &mut self.dispatcher, &message, out);
        buffer_pool::give(octets);
        if !matches!(handled, Err(End::Relieved { .. })) {
            *input = self.take_back(peer);
        }
        handled
    }

    /// Leaves what has not been dealt with to whoever may relieve this thread.
    fn leave(&mut self, peer: &Peer, unread: impl FnOnce(Framer) -> Unread) {
        let framer = mem::replace(&mut self.framer, Framer::new(self.limits));
        peer.handover().leave(unread(framer));
    }

    fn leave_copied(&mut self, peer: &Peer, octets: &[u8]) {
        self.leave(peer, |framer| Unread::copied(framer, octets));
    }

    /// Takes back what was left to others, for nobody has relieved this thread.
    fn take_back(&mut self, peer: &Peer) -> Vec<u8> {
        let Some(unread) = peer.handover().take() else {
            return Vec::new();
        };
        let (framer, octets) = unread.into_parts();
        self.framer = framer;
        octets
    }

    /// Deals with a message that came in fragments; `rest` has arrived behind it.
    pub(super) fn handle_reassembled(
        &mut self,
        peer: &Peer,
        message: &Whole<'_>,
        rest: &[u8],
        out: &mut Encoder,
    ) -> Result<(), End> {
        self.leave_copied(peer, rest);
        handle(peer, self.shift, &mut self.dispatcher, message, out)?;
        buffer_pool::give(self.take_back(peer));
        Ok(())
    }
}
