//! One message of a client, and what is sent in answer.

mod relieved;

use taut_cdr::{Decoder, Encoder, Realignment};
use taut_giop::Version;
use taut_giop::message::{FrameError, MessageHeader, MessageType, PlainRequest, ResponseFlags};

use super::ObjectAdapter;
use super::dispatch::Dispatcher;
use super::duty::Upcall;
use super::duty::{Rest, Shift, Task};
use super::peer::Peer;
use crate::counters;
use crate::message::Message;
use crate::messaging::Messaging;
use crate::probes::{self, Step};
use crate::settings::HAS_REACTOR;

/// Why a connection ends.
#[derive(Debug)]
pub(super) enum End {
    /// The client closed it, or it failed.
    Gone,
    /// We close it, and have said so.
    Closed,
    /// The client broke the rules of framing.
    Broken {
        /// What was wrong.
        error: FrameError,
        /// The last message that it gets.
        answer: Box<[u8]>,
    },
    /// A message's header cannot be read, or it goes the wrong way.
    Unreadable(Version),
    /// The client uses the id of a request again that is being carried out.
    Ambiguous(Version, u32),
    /// The client cancels more than it may.
    Flood,
    /// It does not end: another thread reads the connection now, while this one
    /// ran a servant.
    Relieved {
        /// But that one has ended it meanwhile, and nothing else is under way.
        is_last: bool,
    },
}

impl End {
    /// What the client has done that it must not, in a word.
    fn breach(&self) -> Option<&'static str> {
        match self {
            Self::Gone | Self::Closed => None,
            Self::Relieved { .. } => None,
            Self::Broken { .. } => Some("framing"),
            Self::Unreadable(_) => Some("message"),
            Self::Ambiguous(..) => Some("request_id"),
            Self::Flood => Some("cancels"),
        }
    }
}

/// Begins to deal with a request, unless the connection is closing.
#[inline(always)]
pub(super) fn begin(
    peer: &Peer,
    shift: Shift,
    version: Version,
    request_id: u32,
    task: Task,
) -> Result<(), End> {
    if !peer.note_request(request_id) {
        return Err(End::Ambiguous(version, request_id));
    }
    peer.tally().note_request();
    match peer.duty().begin(shift, task) {
        true => Ok(()),
        false => Err(End::Closed),
    }
}

/// Ends a oneway that had no other beside it, if there is nothing more to it than that.
/// Otherwise it has to be [`conclude`]d.
#[inline(always)]
pub(super) fn conclude_oneway(peer: &Peer, shift: Shift, read: &taut_cdr::Result<()>) -> bool {
    read.is_ok() && peer.duty().oneway_ended(shift)
}

/// Ends a request: sends what is in `out`, unless the request could not even be
/// `read`.
#[inline(always)]
pub(super) fn conclude(
    peer: &Peer,
    shift: Shift,
    version: Version,
    request_id: u32,
    read: taut_cdr::Result<()>,
    out: &Encoder,
) -> Result<(), End> {
    let ended = peer.duty().upcall_ended(shift);
    if HAS_REACTOR && ended == Upcall::Relieved {
        return Err(relieved::conclude(peer, version, request_id, read, out));
    }
    send_reply(peer, version, read, out)
}

/// Sends what is in `out`, and ends what the thread on duty has begun.
#[inline(always)]
fn send_reply(
    peer: &Peer,
    version: Version,
    read: taut_cdr::Result<()>,
    out: &Encoder,
) -> Result<(), End> {
    let sent = match read {
        Ok(()) if !out.is_empty() => {
            peer.tally().note_reply(out.len() + out.tail().len());
            peer.send_written(out)
        }
        _ => Ok(()),
    };
    let rest = peer.duty().sent();
    probes::done(Step::ReplySent);
    if rest == Rest::Goodbye {
        peer.say_goodbye();
    }
    match (read, sent) {
        (Err(_), _) => Err(End::Unreadable(version)),
        (_, Err(_)) => Err(End::Gone),
        _ if rest == Rest::Nothing => Ok(()),
        _ => Err(End::Closed),
    }
}

/// A message that is all there.
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

/// Deals with one whole message, whatever it is.
pub(super) fn handle<A: ObjectAdapter>(
    peer: &Peer,
    shift: Shift,
    dispatcher: &mut Dispatcher<A>,
    message: &Whole<'_>,
    out: &mut Encoder,
) -> Result<(), End> {
    let messaging = peer.messaging();
    if message.realignments.is_empty()
        && let Some(request) = messaging.plain_request(message.octets)
    {
        return handle_plain(peer, shift, dispatcher, &request, message.octets, out);
    }
    let version = message.header.version;
    peer.note_version(version);
    let unreadable = |_| End::Unreadable(version);
    match message.header.message_type {
        MessageType::Request => {
            let input = message.decoder(messaging).map_err(unreadable)?;
            handle_request(peer, shift, dispatcher, &message.header, input, out)
        }
        MessageType::LocateRequest => {
            if !peer.duty().begin(shift, Task::Sending) {
                return Err(End::Closed);
            }
            out.clear();
            let input = message.decoder(messaging);
            let read = input.and_then(|input| dispatcher.locate(&message.header, input, out));
            send_reply(peer, version, read, out)
        }
        // Advice to drop a request. One that is being carried out is not
        // interrupted; its reply goes to nobody.
        MessageType::CancelRequest if peer.admits_cancel() => Ok(()),
        MessageType::CancelRequest => Err(End::Flood),
        MessageType::CloseConnection => {
            peer.hang_up(true);
            Err(End::Gone)
        }
        MessageType::MessageError => Err(End::Gone),
        // Where requests go both ways, replies do too.
        MessageType::Reply | MessageType::LocateReply
            if let Some(calls) = peer.calls()
                && calls.take_reply(message.header, message.to_message()) =>
        {
            Ok(())
        }
        MessageType::Reply | MessageType::LocateReply | MessageType::Fragment => {
            Err(End::Unreadable(version))
        }
    }
}

/// Deals with a plain request, which is all of `octets`.
#[inline(always)]
pub(super) fn handle_plain<A: ObjectAdapter>(
    peer: &Peer,
    shift: Shift,
    dispatcher: &Dispatcher<A>,
    request: &PlainRequest<'_>,
    octets: &[u8],
    out: &mut Encoder,
) -> Result<(), End> {
    let (version, id) = (Version::V1_2, request.request_id);
    let task = match request.response_expected {
        true => Task::Request,
        false => Task::Oneway,
    };
    begin(peer, shift, version, id, task)?;
    out.clear();
    let read = dispatcher.plain_request(request, octets, out);
    if task == Task::Oneway && conclude_oneway(peer, shift, &read) {
        return Ok(());
    }
    conclude(peer, shift, version, id, read, out)
}

/// Deals with a plain request to which there is no reply, among others that have arrived
/// with it.
#[inline(always)]
pub(super) fn handle_oneway<'m, A: ObjectAdapter>(
    peer: &Peer,
    shift: Shift,
    dispatcher: &Dispatcher<A>,
    request: &PlainRequest<'m>,
    octets: &'m [u8],
    out: &mut Encoder,
    memory: &mut A::Memory<'m>,
) -> Result<(), End> {
    let (version, id) = (Version::V1_2, request.request_id);
    begin(peer, shift, version, id, Task::Oneway)?;
    let read = dispatcher.plain_oneway(request, octets, memory);
    if conclude_oneway(peer, shift, &read) {
        return Ok(());
    }
    out.clear();
    conclude(peer, shift, version, id, read, out)
}

/// Deals with a Request of any kind.
fn handle_request<A: ObjectAdapter>(
    peer: &Peer,
    shift: Shift,
    dispatcher: &mut Dispatcher<A>,
    header: &MessageHeader,
    mut input: Decoder<'_>,
    out: &mut Encoder,
) -> Result<(), End> {
    let (messaging, version) = (peer.messaging(), header.version);
    let request = messaging
        .request_header(header, &mut input, dispatcher.lists())
        .map_err(|_| End::Unreadable(version))?;
    let agreed = dispatcher.agree_on_code_sets(&request.service_contexts);
    if let Ok(Some(characters)) = agreed {
        peer.handover().characters = Some(characters);
    }
    let agreed = agreed.map(drop);
    let agreed = agreed
        .and_then(|()| dispatcher.accept_calls_back(peer, version, &request.service_contexts));
    let task = match request.response {
        ResponseFlags::Expected => Task::Request,
        ResponseFlags::None => Task::Oneway,
        ResponseFlags::SyncWithServer => Task::Sending,
    };
    begin(peer, shift, version, request.request_id, task)?;
    out.clear();
    if request.response == ResponseFlags::SyncWithServer {
        let acknowledged = dispatcher.acknowledge(version, request.request_id, out);
        if acknowledged.is_ok() {
            let _ = peer.send(out.as_bytes());
        }
        out.clear();
        peer.duty().acknowledged();
    }
    let read = dispatcher.request(version, &request, agreed, input, out);
    conclude(peer, shift, version, request.request_id, read, out)
}

/// Tells the client why its connection ends, if it must be told, and those who
/// look after the server. Half-closes the connection, unless it is closed in order:
/// then the thread that says goodbye does so.
pub(super) fn take_leave(peer: &Peer, end: &End) {
    let name = peer.name();
    if let Some(kind) = end.breach() {
        peer.note_breach();
        counters::server::protocol_error(kind);
        if peer.is_restricted() {
            tracing::debug!(peer = name, kind, "protocol error, closing the connection");
            return peer.abort();
        }
    }
    match end {
        End::Gone => tracing::debug!(peer = name, "connection closed by the client"),
        // The thread that closes it, or that ends the last request, says goodbye.
        End::Closed => return tracing::debug!(peer = name, "connection closed"),
        End::Relieved { .. } => return,
        End::Broken { error, answer } => {
            tracing::warn!(peer = name, %error, "protocol error, closing the connection");
            let _ = peer.send(answer);
        }
        End::Unreadable(version) => {
            tracing::warn!(peer = name, "unreadable message, closing the connection");
            peer.send_bodyless(*version, MessageType::MessageError);
        }
        End::Ambiguous(version, request_id) => {
            tracing::warn!(
                peer = name,
                request_id,
                "refused: the id is that of a request under way, closing the connection"
            );
            peer.send_bodyless(*version, MessageType::MessageError);
        }
        End::Flood => {
            tracing::warn!(
                peer = name,
                "refused: max_cancels_per_second is exceeded, closing the connection"
            );
            // Requests whose threads have been relieved are still answered: the thread that
            // ends the last of them says goodbye and half-closes.
            return peer.close_by_own_thread();
        }
    }
    peer.stop_sending();
}
