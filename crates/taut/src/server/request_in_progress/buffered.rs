//! A request that waits, apart from its connection, until a thread of its lane is there.

use std::fmt::{self, Debug};
use std::sync::Arc;

use taut_cdr::{ByteOrder, CharacterForms, Decoder, Encoder, Result as CdrResult};
use taut_giop::{SystemException, Version};

use super::relieved;
use super::{conclude, conclude_with};
use crate::buffer_pool;
use crate::deadline::{self, Deadline};
use crate::message::Message;
use crate::messaging::Messaging;
use crate::server::end::End;
use crate::server::peer::Peer;
use crate::server::peer_in_service::{InService, serving};
use crate::server::request::{ReplyAddress, ReplyWriter};
use crate::server::service::Service;
use crate::server::{Disposition, ObjectAdapter, SentPriority, ServerRequest};
use crate::service_contexts::ServiceContextList;
use crate::upcall::contexts;

/// A request that has been read, and is carried out later than by the thread that has read it.
///
/// It counts as one whose thread has been relieved (see [`Duty`](crate::server::duty::Duty)), so
/// that its connection is read on, and the end of connection and server waits for it.
pub(in crate::server) struct Buffered {
    served: InService,
    object_key: Box<[u8]>,
    sent: SentPriority,
    operation: Box<[u8]>,
    message: Message,
    arguments: Arguments,
    /// None where no reply is expected.
    reply: Option<ReplyAddress>,
    received: ServiceContextList,
    is_acknowledged: bool,
    deadline: Option<Deadline>,
}

/// Where and how the arguments lie in a message.
#[derive(Clone, Copy)]
struct Arguments {
    position: usize,
    order: ByteOrder,
    characters: CharacterForms,
}

impl Buffered {
    /// Takes a request, which the calling thread carries out, away from it. None when as many
    /// requests of the connection are under way as can be counted.
    pub(in crate::server) fn take<A: ObjectAdapter>(
        service: &Service<A>,
        (object_key, sent): (&[u8], SentPriority),
        request: &mut ServerRequest<'_>,
    ) -> Option<Self> {
        let peer = service.peer().share()?;
        if !peer.duty().defer() {
            return None;
        }
        let reply = request.take_reply(peer.messaging());
        // A thread that has relieved the calling one notes the id; one that relieves it from here
        // on does not.
        if let Some(address) = &reply
            && peer.duty().leave_reply(service.shift())
        {
            peer.handover().toggle_apart(address.request_id);
        }
        let input = request.input();
        let mut message = Message::take();
        message.octets.extend_from_slice(input.bytes());
        message.realign(input.realignments());
        Some(Self {
            object_key: object_key.into(),
            sent,
            operation: request.operation().into(),
            message,
            arguments: Arguments {
                position: input.position(),
                order: input.order(),
                characters: CharacterForms {
                    narrow: input.char_code_set(),
                    wide: input.wide_form(),
                },
            },
            reply,
            received: contexts::received(ServiceContextList::clone),
            is_acknowledged: contexts::is_acknowledged(),
            deadline: deadline::of_thread(),
            served: InService { peer, shift: None },
        })
    }

    /// How many octets it has.
    pub(in crate::server) fn size(&self) -> usize {
        self.message.octets.len() + self.object_key.len() + self.operation.len()
    }

    /// The connection.
    pub(in crate::server) fn peer(&self) -> &Arc<Peer> {
        &self.served.peer
    }

    /// Carries the request out by `service`, which is that of its connection.
    pub(in crate::server) fn carry_out<A: ObjectAdapter>(self, service: &Service<A>) {
        let received = &self.received;
        if !received.is_empty() || self.is_acknowledged {
            contexts::admit(|all| {
                all.received.clone_from(received);
                all.is_acknowledged = self.is_acknowledged;
            });
        }
        self.end(|this, version, reply| {
            let input = Decoder::new(&this.message.octets, this.arguments.order)
                .with_realignments(this.message.realignments());
            let mut input = service
                .in_context(version, input)
                .with_characters(this.arguments.characters);
            input.skip(this.arguments.position)?;
            let mut upcall = ServerRequest::new(&this.operation, input, reply);
            let outcome = deadline::with(this.deadline, || {
                deadline::check_in_time()?;
                match this.sent {
                    SentPriority::None => service.dispatch(&this.object_key, &mut upcall),
                    sent => service.dispatch_with(&this.object_key, &mut upcall, sent),
                }
            });
            conclude(Messaging::of_version(version), upcall, outcome)
        });
    }

    /// Answers the request with an exception, if a reply is expected.
    pub(in crate::server) fn refuse(self, exception: SystemException) {
        self.end(|_, version, reply| match reply {
            Some(reply) => {
                let outcome: Result<Disposition, _> = Err(exception);
                let messaging = Messaging::of_version(version);
                conclude_with(messaging, reply, outcome, &ServiceContextList::EMPTY)
            }
            None => Ok(()),
        });
    }

    /// Ends the request with what `run` writes.
    fn end(self, run: impl FnOnce(&Self, Version, Option<ReplyWriter<'_>>) -> CdrResult<()>) {
        let (order, version) = match &self.reply {
            Some(address) => (address.order, address.version),
            None => (ByteOrder::NATIVE, self.peer().version()),
        };
        let mut out = Encoder::with_buffer(buffer_pool::take(), order);
        let read = serving(&self.served, || {
            let reply = self.reply.map(|address| {
                let messaging = Messaging::of_version(version);
                let answered = (version, address.request_id);
                ReplyWriter::begin(messaging, answered, address.characters, &mut out)
            });
            run(&self, version, reply)
        });
        let answered = (version, self.reply.map(|address| address.request_id));
        let end = relieved::end(self.peer(), answered, read, &out);
        buffer_pool::give(out.into_buffer());
        let Some(home) = self.peer().home() else {
            return;
        };
        let Some(lane) = home.lane.upgrade() else {
            return;
        };
        match end {
            End::Relieved { is_last: true } => lane.registry().leave(home.registry_id),
            _ => lane.registry().notify(),
        }
    }
}

impl Debug for Buffered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffered")
            .field("operation", &self.operation.escape_ascii().to_string())
            .field("peer", &self.peer().name())
            .finish_non_exhaustive()
    }
}
