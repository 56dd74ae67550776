//! The messages that a thread leaves to the one that may relieve it while it runs a servant.

use std::ops::Range;
use std::sync::Arc;

use taut_cdr::Encoder;
use taut_giop::Version;
use taut_giop::message::{MessageHeader, MessageType, PlainRequest};

use super::Session;
use super::message::{Whole, handle};
use crate::messaging::Messaging;
use crate::server::ObjectAdapter;
use crate::server::end::End;
use crate::server::handover::{Octets, Unread};
use crate::server::request_in_progress::{RequestInProgress, send_batch};
use crate::server::service::Service;
use crate::settings::{HAS_REACTOR, Settings};

impl<A: ObjectAdapter> Session<A> {
    /// The session of a thread that has relieved another, which still makes its reply if
    /// `is_reply_due`; and the octets that it left.
    pub(in crate::server) fn succeed(
        service: Service<A>,
        is_reply_due: bool,
        settings: &Settings,
    ) -> (Self, Vec<u8>) {
        let mut session = Self::new(service, settings);
        let mut handover = session.peer().handover();
        if is_reply_due {
            handover.toggle_apart(session.peer().request_id());
        }
        let (characters, unread) = (handover.characters, handover.take());
        let rest = unread.map(Unread::into_rest);
        drop(handover);
        // Here and there: the thread that comes first finds something.
        session.peer().post_batch();
        if let Some(characters) = characters {
            session.service.set_agreed_characters(characters);
        }
        let Some((assembly, octets)) = rest else {
            return (session, Vec::new());
        };
        session.assembly = assembly;
        session.note_arrival(octets.len(), true);
        (session, octets)
    }

    /// Handles the message in `input` that `range` says, where something has
    /// arrived behind it, which a thread that relieves this one must find; and with
    /// those that follow. Says how far.
    pub(super) fn handle_before_others(
        &mut self,
        header: MessageHeader,
        input: &mut Vec<u8>,
        range: Range<usize>,
        out: &mut Encoder,
    ) -> Result<usize, End> {
        if !HAS_REACTOR || header.message_type != MessageType::Request {
            // For no servant runs, nobody relieves this thread.
            let (end, message) = (range.end, Whole::new(header, &input[range]));
            return handle(&mut self.service, &message, out).map(|()| end);
        }
        self.handle_several(input, range.start, out)
    }

    /// Handles the messages in `input` from `start` on, as far as they are there in one
    /// piece: a thread that relieves this one finds all of it, and one number tells how much
    /// has been handled. Says how far it came.
    #[inline(never)]
    pub(super) fn handle_several(
        &mut self,
        input: &mut Vec<u8>,
        start: usize,
        out: &mut Encoder,
    ) -> Result<usize, End> {
        let mut end = start;
        let messaging = self.assembly.messaging();
        self.while_left(input, start, |session, octets| {
            let mut memory = A::Memory::default();
            // Those of GIOPlite, and those in which interceptors take part, are found by what
            // handles any other message.
            let are_plain = messaging == Messaging::Giop && !session.service.is_apart();
            while !session.peer().is_congested() {
                let rest = &octets.as_slice()[end..];
                if are_plain
                    && let Some((request, message)) = PlainRequest::first(rest)
                    && message.len() <= session.assembly.limits().max_message_size
                {
                    if request.response_expected {
                        // The client may keep this thread waiting with the reply.
                        memory = A::Memory::default();
                        end = session.serve_replied(octets, end, out)?;
                        continue;
                    }
                    end += message.len();
                    octets.note(end);
                    let (service, request) = (&session.service, (Version::V1_2, &request));
                    let memory = &mut memory;
                    RequestInProgress::serve_oneway(service, request, message, out, memory)?;
                    continue;
                }
                let Some(header) = session.assembly.whole(rest) else {
                    break;
                };
                memory = A::Memory::default();
                let message = Whole::new(header, &rest[..header.total_size()]);
                end += message.octets.len();
                octets.note(end);
                handle(&mut session.service, &message, out)?;
            }
            Ok(())
        })?;
        Ok(end)
    }

    /// Serves the plain requests in `octets` from `end` on to which there are replies, up to the
    /// first other message, and sends the replies. Says how far it came.
    #[inline(never)]
    fn serve_replied(
        &mut self,
        octets: &Octets,
        mut end: usize,
        out: &mut Encoder,
    ) -> Result<usize, End> {
        let served = self.serve_all_replied(octets, &mut end, out);
        if matches!(served, Err(End::Relieved { .. })) {
            return served.map(|()| end);
        }
        let sent = send_batch(self.service.peer(), &mut self.batch);
        served.and(sent).map(|()| end)
    }

    /// The same, but that replies may wait to be sent afterwards, unless another thread reads
    /// the connection.
    fn serve_all_replied(
        &mut self,
        octets: &Octets,
        end: &mut usize,
        out: &mut Encoder,
    ) -> Result<(), End> {
        // When the last up-call ended, if nothing has been sent since.
        let mut clock = None;
        while !self.peer().is_congested() {
            let first = PlainRequest::first(&octets.as_slice()[*end..]);
            let Some((request, message)) = first.filter(|(request, message)| {
                let most = self.assembly.limits().max_message_size;
                request.response_expected && message.len() <= most
            }) else {
                break;
            };
            *end += message.len();
            octets.note(*end);
            let request = (Version::V1_2, &request);
            if !self.batch.is_wanted() {
                RequestInProgress::serve_plain(&self.service, request, message, out)?;
                continue;
            }
            let batch = (&mut self.batch, &mut clock);
            RequestInProgress::serve_among_others(&self.service, request, message, out, batch)?;
            if clock.is_some_and(|now| self.batch.is_due(now)) {
                clock = None;
                send_batch(self.service.peer(), &mut self.batch)?;
            }
        }
        Ok(())
    }

    /// Handles a message that came in fragments, behind which there is what begins at
    /// `start` in `input`.
    pub(super) fn handle_reassembled(
        &mut self,
        message: &Whole<'_>,
        input: &mut Vec<u8>,
        start: usize,
        out: &mut Encoder,
    ) -> Result<(), End> {
        if !HAS_REACTOR {
            return handle(&mut self.service, message, out);
        }
        self.while_left(input, start, |session, _| {
            handle(&mut session.service, message, out)
        })
    }

    /// Does something while what is in `input` from `start` on is left to the thread that
    /// may relieve this one, as are the messages that have arrived in part. If nobody has,
    /// all that is back afterwards.
    #[inline(always)]
    fn while_left(
        &mut self,
        input: &mut Vec<u8>,
        start: usize,
        work: impl FnOnce(&mut Self, &Octets) -> Result<(), End>,
    ) -> Result<(), End> {
        let mut octets = Octets::share(self.shared.take(), input, start);
        let assembly = self.assembly.take();
        self.peer().handover().leave(Unread {
            assembly,
            octets: Arc::clone(&octets),
        });
        let done = work(self, &octets);
        if !matches!(done, Err(End::Relieved { .. }))
            && let Some(unread) = self.service.peer().handover().take()
        {
            self.assembly = unread.assembly;
        }
        octets.give_back(input);
        self.shared = Some(octets);
        done
    }
}
