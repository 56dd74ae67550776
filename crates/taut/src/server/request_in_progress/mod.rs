//! A request between its arrival and its reply.
//!
//! Five entries lead here, and each serves one request to its end: a *plain* request, which
//! was recognised by its octets; a plain oneway among others that have arrived with it; a plain
//! request [among others](together), whose reply may wait for theirs; a [qualified](qualified)
//! request, which was recognised, too, and tells a priority or a deadline; and
//! [any other](general), whose header was read in full. All *begin*, which says that
//! something is under way on the connection, make the *up-call*, and *end*, which sends
//! what was written.

#[cfg(feature = "full")]
mod buffered;
mod general;
mod locate;
#[cfg_attr(not(feature = "full"), path = "qualified_absent.rs")]
mod qualified;
mod relieved;
mod together;

pub(super) use together::send_batch;

#[cfg(feature = "full")]
pub(super) use buffered::Buffered;

use std::mem;

use taut_cdr::{ByteOrder, Decoder, Encode, Encoder, Result as CdrResult};
use taut_giop::message::{AddressingMode, PlainRequest, ReplyStatus};
use taut_giop::{SystemException, Version};

use super::duty::{Rest, Task, Upcall};
use super::end::End;
use super::request::ReplyWriter;
use super::service::Service;
use super::{Disposition, ObjectAdapter, ServerRequest};
use crate::counters;
use crate::messaging::Messaging;
use crate::probes::{self, Step};
use crate::service_contexts::ServiceContextList;
use crate::settings::HAS_REACTOR;
use crate::upcall::contexts::{self, Taken};

/// A request that has begun and has not ended, as the thread that serves it has it.
///
/// Adapters and servants see a [`ServerRequest`] of it.
pub(super) struct RequestInProgress<'r, A> {
    service: &'r Service<A>,
    /// The version of GIOP in which the reply is written.
    version: Version,
    request_id: u32,
    task: Task,
    /// Where the reply is written. Without anything in it, none is sent.
    out: &'r mut Encoder,
}

impl<'r, A: ObjectAdapter> RequestInProgress<'r, A> {
    /// Serves a plain request of this version, which is all of `octets`.
    ///
    /// # Errors
    ///
    /// When the connection ends, or another thread reads it from here on.
    #[inline(always)]
    pub(super) fn serve_plain(
        service: &'r Service<A>,
        (version, request): (Version, &PlainRequest<'_>),
        octets: &[u8],
        out: &'r mut Encoder,
    ) -> Result<(), End> {
        let mut this = Self::begin_plain(service, (version, request), out)?;
        let read = this.run_plain(request, octets);
        this.end(read)
    }

    /// Begins a request that may expect a reply, for which `out` is empty then.
    #[inline(always)]
    fn begin_plain(
        service: &'r Service<A>,
        (version, request): (Version, &PlainRequest<'_>),
        out: &'r mut Encoder,
    ) -> Result<Self, End> {
        let task = match request.response_expected {
            true => Task::Request,
            false => Task::Oneway,
        };
        let this = Self::begin(service, version, request.request_id, task, out)?;
        this.out.clear();
        Ok(this)
    }

    /// [`serve_plain`](Self::serve_plain) where that need not be as fast as can be: one copy of
    /// it for all such places.
    #[inline(never)]
    pub(super) fn serve_plain_apart(
        service: &'r Service<A>,
        request: (Version, &PlainRequest<'_>),
        octets: &[u8],
        out: &'r mut Encoder,
    ) -> Result<(), End> {
        Self::serve_plain(service, request, octets, out)
    }

    /// Serves a plain request of this version to which there is no reply, among others that
    /// have arrived with it.
    ///
    /// # Errors
    ///
    /// Those of [`serve_plain`](Self::serve_plain).
    #[inline(always)]
    pub(super) fn serve_oneway<'m>(
        service: &'r Service<A>,
        (version, request): (Version, &PlainRequest<'m>),
        octets: &'m [u8],
        out: &'r mut Encoder,
        memory: &mut A::Memory<'m>,
    ) -> Result<(), End> {
        let id = request.request_id;
        let this = Self::begin(service, version, id, Task::Oneway, out)?;
        let read = arguments(request, octets).map(|arguments| {
            let arguments = service.in_context(version, arguments);
            let mut upcall = ServerRequest::new(request.operation, arguments, None);
            service.dispatch_next(request.object_key, &mut upcall, memory);
        });
        this.end(read)
    }

    /// Begins a request, unless the connection is closing.
    #[inline(always)]
    fn begin(
        service: &'r Service<A>,
        version: Version,
        request_id: u32,
        task: Task,
        out: &'r mut Encoder,
    ) -> Result<Self, End> {
        let peer = service.peer();
        if !peer.note_request(request_id) {
            return Err(End::Ambiguous(version, request_id));
        }
        peer.tally().note_request();
        if !peer.duty().begin(service.shift(), task) {
            return Err(End::Closed);
        }
        Ok(Self {
            service,
            version,
            request_id,
            task,
            out,
        })
    }

    /// Makes the up-call of a plain request, and leaves the reply in `out`.
    ///
    /// # Errors
    ///
    /// When the reply cannot be finished.
    #[inline(always)]
    fn run_plain(&mut self, request: &PlainRequest<'_>, octets: &[u8]) -> CdrResult<()> {
        let (service, version) = (self.service, self.version);
        // No closure, which would lie apart.
        let reply = match request.response_expected {
            true => Some(self.begin_reply()),
            false => None,
        };
        let arguments = service.in_context(version, arguments(request, octets)?);
        let mut upcall = ServerRequest::new(request.operation, arguments, reply);
        let outcome = service.dispatch(request.object_key, &mut upcall);
        conclude(Messaging::of_version(version), upcall, outcome)
    }

    /// Writes the reply's header, with the status that most replies have.
    #[inline(always)]
    fn begin_reply(&mut self) -> ReplyWriter<'_> {
        let characters = self.service.characters(self.version);
        let messaging = Messaging::of_version(self.version);
        let answered = (self.version, self.request_id);
        ReplyWriter::begin(messaging, answered, characters, self.out)
    }

    /// Ends the request: sends what was written, unless the request could not even be
    /// `read`.
    #[inline(always)]
    fn end(self, read: CdrResult<()>) -> Result<(), End> {
        let peer = self.service.peer();
        let duty = peer.duty();
        if self.task == Task::Oneway {
            if read.is_ok() && duty.oneway_ended(self.service.shift()) {
                return Ok(());
            }
            // The octets in the buffer belong to an earlier request.
            self.out.clear();
        }
        let ended = duty.upcall_ended(self.service.shift());
        if HAS_REACTOR && ended == Upcall::Relieved {
            let request_id = (self.task != Task::Oneway).then_some(self.request_id);
            let answered = (self.version, request_id);
            return Err(relieved::end(peer, answered, read, self.out));
        }
        self.send_reply(read)
    }

    /// Sends what was written, and notes that the thread on duty has ended what it had
    /// begun.
    #[inline(always)]
    fn send_reply(self, read: CdrResult<()>) -> Result<(), End> {
        let (peer, out) = (self.service.peer(), self.out);
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
            (Err(_), _) => Err(End::Unreadable(self.version)),
            (_, Err(_)) => Err(End::Gone),
            _ if rest == Rest::Nothing => Ok(()),
            _ => Err(End::Closed),
        }
    }
}

/// The decoder at the arguments of a plain request.
#[inline(always)]
fn arguments<'m>(request: &PlainRequest<'m>, octets: &'m [u8]) -> CdrResult<Decoder<'m>> {
    let mut arguments = Decoder::new(octets, ByteOrder::NATIVE);
    arguments.skip(request.body)?;
    Ok(arguments)
}

/// Ends the message of the reply with what became of the request, if one is expected.
#[inline(always)]
fn conclude(
    messaging: Messaging,
    request: ServerRequest<'_>,
    outcome: Result<Disposition, SystemException>,
) -> CdrResult<()> {
    let reply = request.into_reply();
    if contexts::OF_USERS && contexts::are_there() {
        // Those of an up-call that this request came within stay.
        return conclude_in_context(messaging, reply, outcome, contexts::take);
    }
    conclude_plainly(messaging, reply, outcome)
}

/// The same where nobody has added service contexts to the reply.
#[inline(always)]
fn conclude_plainly(
    messaging: Messaging,
    reply: Option<ReplyWriter<'_>>,
    outcome: Result<Disposition, SystemException>,
) -> CdrResult<()> {
    let finished = match outcome {
        Ok(Disposition::Done) => {
            // In it is nothing to drop, which not every compilation finds out.
            mem::forget(outcome);
            match reply {
                Some(reply) => reply.finish(messaging),
                None => return Ok(()),
            }
        }
        outcome => conclude_otherwise(messaging, reply, outcome),
    };
    probes::done(Step::ReplyWritten);
    finished
}

/// Ends the message of the reply to a request that no servant has answered, if one is
/// expected.
#[cold]
#[inline(never)]
fn conclude_otherwise(
    messaging: Messaging,
    reply: Option<ReplyWriter<'_>>,
    outcome: Result<Disposition, SystemException>,
) -> CdrResult<()> {
    match reply {
        Some(mut reply) => {
            answer(&mut reply, outcome)?;
            reply.finish(messaging)
        }
        None => Ok(()),
    }
}

/// Ends the message of the reply to a request that service contexts came with, or whose
/// servant has added some, if one is expected. `take` takes them.
#[cold]
#[inline(never)]
fn conclude_in_context(
    messaging: Messaging,
    reply: Option<ReplyWriter<'_>>,
    outcome: Result<Disposition, SystemException>,
    take: impl FnOnce() -> Option<Taken>,
) -> CdrResult<()> {
    let taken = take();
    let Some(reply) = reply else {
        return Ok(());
    };
    let contexts = taken.as_ref().map(|taken| &taken.replied);
    let contexts = contexts.unwrap_or(const { &ServiceContextList::EMPTY });
    let finished = conclude_with(messaging, reply, outcome, contexts);
    probes::done(Step::ReplyWritten);
    finished
}

/// Ends the message of the reply to a request whose reply has these service contexts.
pub(super) fn conclude_with(
    messaging: Messaging,
    mut reply: ReplyWriter<'_>,
    outcome: Result<Disposition, SystemException>,
    contexts: &ServiceContextList,
) -> CdrResult<()> {
    answer(&mut reply, outcome)?;
    reply.finish_with(messaging, contexts)
}

/// Writes what became of a request, unless a servant has.
fn answer(
    reply: &mut ReplyWriter<'_>,
    outcome: Result<Disposition, SystemException>,
) -> CdrResult<()> {
    match outcome {
        Ok(Disposition::Done) => {}
        Ok(Disposition::Forward(ior)) => {
            reply.write(ReplyStatus::LocationForward, |out| ior.encode(out))?;
        }
        Ok(Disposition::Readdress) => {
            reply.write(ReplyStatus::NeedsAddressingMode, |out| {
                AddressingMode::Key.encode(out);
                Ok(())
            })?;
        }
        Err(exception) => {
            counters::server::raised(exception.kind.name());
            reply.write(ReplyStatus::SystemException, |out| exception.encode(out))?;
        }
    }
    Ok(())
}
