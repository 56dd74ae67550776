//! A message that is all there, and the ways that messages go.

use taut_cdr::{Decoder, Encoder, Realignment};
use taut_giop::message::{CancelRequestHeader, MessageHeader, MessageType};

use crate::message::Message;
use crate::messaging::Messaging;
use crate::server::ObjectAdapter;
use crate::server::deferral;
use crate::server::end::End;
use crate::server::request_in_progress::RequestInProgress;
use crate::server::service::Service;

/// A message that is all there, among the octets that were received.
pub(super) struct Whole<'m> {
    pub(super) header: MessageHeader,
    pub(super) octets: &'m [u8],
    /// Where alignment starts anew, because of its fragments.
    pub(super) realignments: &'m [Realignment],
}

impl<'m> Whole<'m> {
    /// One that came in one piece.
    pub(super) fn new(header: MessageHeader, octets: &'m [u8]) -> Self {
        Self {
            header,
            octets,
            realignments: &[],
        }
    }

    /// Behind its header.
    fn decoder(&self, messaging: Messaging) -> taut_cdr::Result<Decoder<'m>> {
        let input = messaging.decoder(&self.header, self.octets)?;
        Ok(input.with_realignments(self.realignments))
    }

    /// A copy for another thread.
    fn to_message(&self) -> Message {
        let mut message = Message::take();
        message.octets.extend_from_slice(self.octets);
        message.realign(self.realignments);
        message
    }
}

/// Handles a whole message, whatever it is.
///
/// # Errors
///
/// When the connection ends, or another thread reads it from here on.
pub(super) fn handle<A: ObjectAdapter>(
    service: &mut Service<A>,
    message: &Whole<'_>,
    out: &mut Encoder,
) -> Result<(), End> {
    let messaging = service.messaging();
    // The shape `minimal` rather has one way for all requests that do not come alone.
    if cfg!(feature = "full")
        && message.realignments.is_empty()
        && let Some((version, request)) = messaging.plain_request(message.octets)
    {
        let (request, octets) = ((version, &request), message.octets);
        return RequestInProgress::serve_plain_apart(service, request, octets, out);
    }
    if message.realignments.is_empty()
        && RequestInProgress::serve_qualified(service, message.octets, out)?
    {
        return Ok(());
    }
    let (header, peer) = (&message.header, service.peer());
    peer.note_version(header.version);
    let input = || {
        let input = message.decoder(messaging);
        input.map_err(|_| End::Unreadable(header.version))
    };
    match header.message_type {
        MessageType::Request => RequestInProgress::serve(service, header, input()?, out),
        MessageType::LocateRequest => {
            RequestInProgress::serve_locate(service, header, input()?, out)
        }
        // Advice to drop a request. One that is being served is not
        // interrupted; its reply goes to nobody. One that is answered later is told.
        MessageType::CancelRequest if peer.admits_cancel() => {
            if peer.deferrals().is_some() {
                let cancelled = CancelRequestHeader::decode(&mut input()?);
                let cancelled = cancelled.map_err(|_| End::Unreadable(header.version))?;
                deferral::cancel(peer, cancelled.request_id);
            }
            Ok(())
        }
        MessageType::CancelRequest => Err(End::Flood),
        MessageType::CloseConnection => {
            peer.hang_up(true);
            Err(End::Gone)
        }
        MessageType::MessageError => Err(End::Gone),
        // Where requests go both ways, replies do too.
        MessageType::Reply | MessageType::LocateReply
            if let Some(calls) = peer.client_role()
                && calls.take_reply(*header, message.to_message()) =>
        {
            Ok(())
        }
        MessageType::Reply | MessageType::LocateReply | MessageType::Fragment => {
            Err(End::Unreadable(header.version))
        }
    }
}
