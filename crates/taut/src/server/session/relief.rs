//! What a thread leaves to the one that may relieve it while it runs a servant.

use std::mem;
use std::ops::Range;

use taut_cdr::Encoder;
use taut_giop::framing::Framer;
use taut_giop::message::{MessageHeader, MessageType};

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
    /// arrived behind it, which a thread that relieves this one must find; and with
    /// those that follow, if there are several. Says how far.
    pub(super) fn handle_before_others(
        &mut self,
        peer: &Peer,
        header: MessageHeader,
        input: &mut Vec<u8>,
        range: Range<usize>,
        out: &mut Encoder,
    ) -> Result<usize, End> {
        let end = range.end;
        if header.message_type != MessageType::Request {
            // For no servant runs, nobody relieves this thread.
            let message = Whole::new(header, &input[range]);
            return handle(peer, self.shift, &mut self.dispatcher, &message, out).map(|()| end);
        }
        // Whatever is less is copied.
        if input.len() - end > range.len() {
            return self.handle_several(peer, input, range.start, out);
        }
        self.leave_copied(peer, &input[end..]);
        let message = Whole::new(header, &input[range]);
        handle(peer, self.shift, &mut self.dispatcher, &message, out)?;
        buffer_pool::give(self.take_back(peer).0);
        Ok(end)
    }

    /// Deals with the messages in `input` from `start` on, each of which is less than
    /// what has arrived behind it: who relieves this thread finds all of it, and one
    /// number tells how much has been dealt with. Says how far it came.
    fn handle_several(
        &mut self,
        peer: &Peer,
        input: &mut Vec<u8>,
        start: usize,
        out: &mut Encoder,
    ) -> Result<usize, End> {
        self.leave(peer, |framer| Unread::new(framer, mem::take(input), start));
        let mut octets = buffer_pool::take();
        let mut handled = Ok(());
        while handled.is_ok() && !peer.is_congested() {
            let Some(header) = peer.handover().next(&mut octets) else {
                break;
            };
            let message = Whole::new(header, &octets);
            handled = handle(peer, self.shift, &mut self.dispatcher, &message, out);
        }
        buffer_pool::give(octets);
        if matches!(handled, Err(End::Relieved { .. })) {
            return handled.map(|()| start);
        }
        let (octets, end) = self.take_back(peer);
        *input = octets;
        handled.map(|()| end)
    }

    /// Leaves what has not been dealt with to whoever may relieve this thread.
    fn leave(&mut self, peer: &Peer, unread: impl FnOnce(Framer) -> Unread) {
        let framer = mem::replace(&mut self.framer, Framer::new(self.limits));
        peer.handover().leave(unread(framer));
    }

    fn leave_copied(&mut self, peer: &Peer, octets: &[u8]) {
        self.leave(peer, |framer| Unread::copied(framer, octets));
    }

    /// Takes back what was left to others, for nobody has relieved this thread; and how
    /// much of it has been dealt with.
    fn take_back(&mut self, peer: &Peer) -> (Vec<u8>, usize) {
        let Some(unread) = peer.handover().take() else {
            return (Vec::new(), 0);
        };
        let (framer, octets, start) = unread.into_parts();
        self.framer = framer;
        (octets, start)
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
        buffer_pool::give(self.take_back(peer).0);
        Ok(())
    }
}
