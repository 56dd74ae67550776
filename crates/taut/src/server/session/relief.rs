//! What a thread leaves to the one that may relieve it while it runs a servant.

use std::ops::Range;
use std::sync::Arc;

use taut_cdr::Encoder;
use taut_giop::message::{MessageHeader, MessageType};

use super::Session;
use crate::server::ObjectAdapter;
use crate::server::dispatch::Dispatcher;
use crate::server::exchange::{End, Whole, handle, handle_oneway, handle_plain};
use crate::server::handover::{Octets, Unread};
use crate::server::peer::Peer;
use crate::settings::{HAS_REACTOR, Settings};

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
        if let Some(characters) = handover.characters {
            session.dispatcher.set_agreed_characters(characters);
        }
        let Some(unread) = handover.take() else {
            return (session, Vec::new());
        };
        let (assembly, octets) = unread.into_rest();
        session.assembly = assembly;
        let waiting = octets.len();
        drop(handover);
        session.note_arrival(peer, waiting, true);
        (session, octets)
    }

    /// Deals with the message in `input` that `range` says, where something has
    /// arrived behind it, which a thread that relieves this one must find; and with
    /// those that follow. Says how far.
    pub(super) fn handle_before_others(
        &mut self,
        peer: &Peer,
        header: MessageHeader,
        input: &mut Vec<u8>,
        range: Range<usize>,
        out: &mut Encoder,
    ) -> Result<usize, End> {
        if !HAS_REACTOR || header.message_type != MessageType::Request {
            // For no servant runs, nobody relieves this thread.
            let (end, message) = (range.end, Whole::new(header, &input[range]));
            return handle(peer, self.shift, &mut self.dispatcher, &message, out).map(|()| end);
        }
        self.handle_several(peer, input, range.start, out)
    }

    /// Deals with the messages in `input` from `start` on, as far as they are there in one
    /// piece: who relieves this thread finds all of it, and one number tells how much has
    /// been dealt with. Says how far it came.
    #[inline(never)]
    pub(super) fn handle_several(
        &mut self,
        peer: &Peer,
        input: &mut Vec<u8>,
        start: usize,
        out: &mut Encoder,
    ) -> Result<usize, End> {
        let mut end = start;
        let messaging = self.assembly.messaging();
        self.while_left(peer, input, start, |session, octets| {
            let mut memory = A::Memory::default();
            while !peer.is_congested() {
                let rest = &octets.as_slice()[end..];
                if let Some((request, message)) = messaging.first_plain_request(rest)
                    && message.len() <= session.assembly.limits().max_message_size
                {
                    end += message.len();
                    octets.note(end);
                    let (shift, dispatcher) = (session.shift, &session.dispatcher);
                    if !request.response_expected {
                        let memory = &mut memory;
                        handle_oneway(peer, shift, dispatcher, &request, message, out, memory)?;
                        continue;
                    }
                    // The client may keep this thread waiting with the reply.
                    memory = A::Memory::default();
                    handle_plain(peer, shift, dispatcher, &request, message, out)?;
                    continue;
                }
                let Some(header) = session.assembly.whole(rest) else {
                    break;
                };
                memory = A::Memory::default();
                let message = Whole::new(header, &rest[..header.total_size()]);
                end += message.octets.len();
                octets.note(end);
                handle(peer, session.shift, &mut session.dispatcher, &message, out)?;
            }
            Ok(())
        })?;
        Ok(end)
    }

    /// Deals with a message that came in fragments, behind which there is what begins at
    /// `start` in `input`.
    pub(super) fn handle_reassembled(
        &mut self,
        peer: &Peer,
        message: &Whole<'_>,
        input: &mut Vec<u8>,
        start: usize,
        out: &mut Encoder,
    ) -> Result<(), End> {
        if !HAS_REACTOR {
            return handle(peer, self.shift, &mut self.dispatcher, message, out);
        }
        self.while_left(peer, input, start, |session, _| {
            handle(peer, session.shift, &mut session.dispatcher, message, out)
        })
    }

    /// Does something while what is in `input` from `start` on is left to whoever may
    /// relieve this thread, as are the messages that have arrived in part. If nobody has,
    /// all that is back afterwards.
    #[inline(always)]
    fn while_left(
        &mut self,
        peer: &Peer,
        input: &mut Vec<u8>,
        start: usize,
        work: impl FnOnce(&mut Self, &Octets) -> Result<(), End>,
    ) -> Result<(), End> {
        let mut octets = Octets::share(self.shared.take(), input, start);
        peer.handover().leave(Unread {
            assembly: self.assembly.take(),
            octets: Arc::clone(&octets),
        });
        let done = work(self, &octets);
        if !matches!(done, Err(End::Relieved { .. }))
            && let Some(unread) = peer.handover().take()
        {
            self.assembly = unread.assembly;
        }
        octets.give_back(input);
        self.shared = Some(octets);
        done
    }
}
