//! From a whole message to the adapter and back to a reply.

use std::any::Any;
use std::fmt::Debug;
use std::hint::cold_path;
use std::mem;
use std::sync::Arc;

use taut_cdr::{
    ByteOrder, CharCodeSet, CharacterForms, Decoder, Encode, Encoder, NoWideCodeSet,
    Result as CdrResult, WideForm,
};
use taut_giop::code_set::CodeSetContext;
use taut_giop::message::{
    AddressingMode, LocateReplyHeader, LocateStatus, MessageHeader, PlainRequest, ReplyStatus,
    RequestHeader, ResponseFlags, TargetAddress,
};
use taut_giop::minor;
use taut_giop::service_context::{self, ServiceContexts};
use taut_giop::{CompletionStatus, Limits, SystemException, SystemExceptionKind, Version};

use super::bidirectional;
use super::peer::Peer;
use super::request::ReplyWriter;
use super::{Disposition, ObjectAdapter, Presence, ServerRequest};
use crate::core::OrbCore;
use crate::counters;
use crate::messaging::Messaging;
use crate::probes::{self, Step};
use crate::settings::{BidirectionalPolicy, HAS_REACTOR};
use crate::upcall::{self, Panic};

/// What all messages of one connection need.
pub(super) struct Dispatcher<A> {
    core: Arc<OrbCore>,
    adapter: Arc<A>,
    /// The connection that the messages come from, whose name events give.
    peer: Arc<Peer>,
    messaging: Messaging,
    /// As the peer's code-sets service context said (CORBA 3.3 part 2, 7.10.2.5), in
    /// GIOP 1.2.
    characters: CharacterForms,
    /// Whether requests are refused: no thread is there that could carry them out.
    refuses: bool,
}

impl<A: ObjectAdapter> Dispatcher<A> {
    pub(super) fn new(core: Arc<OrbCore>, adapter: Arc<A>, peer: &Arc<Peer>) -> Self {
        Self {
            characters: CharacterForms {
                narrow: CharCodeSet::default(),
                wide: wide_form(0, &core),
            },
            core,
            adapter,
            messaging: peer.messaging(),
            peer: Arc::clone(peer),
            refuses: false,
        }
    }

    /// Carries out a plain request, and leaves the reply in `out`, which stays empty
    /// when none is expected.
    ///
    /// # Errors
    ///
    /// When the reply cannot be finished.
    #[inline(always)]
    pub(super) fn plain_request(
        &self,
        request: &PlainRequest<'_>,
        message: &[u8],
        out: &mut Encoder,
    ) -> CdrResult<()> {
        let reply = request
            .response_expected
            .then(|| self.begin_reply(Version::V1_2, request.request_id, out));
        let mut input = Decoder::new(message, ByteOrder::NATIVE);
        input.skip(request.body)?;
        let input = self.in_context(Version::V1_2, input);
        let mut upcall = ServerRequest::new(request.operation, input, reply);
        let outcome = self.upcall(request.object_key, &mut upcall);
        conclude(upcall, outcome)
    }

    /// Carries out a plain request to which there is no reply, among others that have
    /// arrived with it.
    ///
    /// # Errors
    ///
    /// When its arguments do not begin where they should.
    #[inline(always)]
    pub(super) fn plain_oneway<'m>(
        &self,
        request: &PlainRequest<'m>,
        message: &'m [u8],
        memory: &mut A::Memory<'m>,
    ) -> CdrResult<()> {
        let mut input = Decoder::new(message, ByteOrder::NATIVE);
        input.skip(request.body)?;
        let input = self.in_context(Version::V1_2, input);
        let mut upcall = ServerRequest::new(request.operation, input, None);
        probes::done(Step::RequestFramed);
        if HAS_REACTOR && self.refuses {
            cold_path();
            return Ok(());
        }
        let dispatch = || {
            self.adapter
                .dispatch_next(request.object_key, &mut upcall, memory)
        };
        // Nobody waits for what comes of it.
        if let Err(panic) = upcall::run(dispatch) {
            let _ = self.panicked(&upcall, request.object_key, panic);
        }
        Ok(())
    }

    /// Carries out any Request whose header has been read, unless the code sets
    /// could not be `agreed` on, and leaves the reply in `out`, which stays empty
    /// when none is expected.
    ///
    /// # Errors
    ///
    /// When the reply cannot be finished.
    pub(super) fn request(
        &self,
        version: Version,
        request: &RequestHeader<'_>,
        agreed: Result<(), SystemException>,
        arguments: Decoder<'_>,
        out: &mut Encoder,
    ) -> CdrResult<()> {
        let reply = match request.response {
            ResponseFlags::None | ResponseFlags::SyncWithServer => None,
            ResponseFlags::Expected => Some(self.begin_reply(version, request.request_id, out)),
        };
        let arguments = self.in_context(version, arguments);
        let mut upcall = ServerRequest::new(request.operation, arguments, reply);
        let outcome = agreed.and_then(|()| match object_key(&request.target)? {
            Some(object_key) => self.upcall(object_key, &mut upcall),
            None => Ok(Disposition::Readdress),
        });
        conclude(upcall, outcome)
    }

    /// Leaves in `out` the reply by which a client knows that its oneway has
    /// arrived.
    ///
    /// # Errors
    ///
    /// When the reply cannot be finished.
    pub(super) fn acknowledge(
        &self,
        version: Version,
        request_id: u32,
        out: &mut Encoder,
    ) -> CdrResult<()> {
        self.begin_reply(version, request_id, out).finish()
    }

    /// The decoder with all that arguments may need.
    #[inline]
    fn in_context<'m>(&'m self, version: Version, input: Decoder<'m>) -> Decoder<'m> {
        let context: &(dyn Any + Send + Sync) = &self.core;
        input
            .with_characters(self.characters(version))
            .with_nesting_limit(self.core.settings.limits.nesting_limit)
            .with_graph_limits(self.core.settings.limits.type_codes)
            .with_memory_limit(self.core.settings.limits.memory)
            .with_cyclic_values(self.core.settings.limits.cyclic_values)
            .with_context(Some(context))
    }

    /// Runs the adapter. A panic in a servant costs its caller UNKNOWN, and
    /// nobody else anything.
    #[inline]
    fn upcall(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        probes::done(Step::RequestFramed);
        if HAS_REACTOR && self.refuses {
            return Err(refused());
        }
        upcall::run(|| self.adapter.dispatch(object_key, request))
            .unwrap_or_else(|panic| Err(self.panicked(request, object_key, panic)))
    }

    /// Reports a panic, and returns the exception that it costs the caller.
    #[cold]
    #[inline(never)]
    fn panicked(&self, request: &dyn Debug, object_key: &[u8], panic: Panic) -> SystemException {
        let object = self.adapter.describe(object_key);
        upcall::panicked(self.peer.name(), request, &object, panic)
    }

    /// Asks the adapter, who may ask the application.
    fn look_for(&self, object_key: &[u8]) -> Result<Presence, SystemException> {
        if HAS_REACTOR && self.refuses {
            return Err(refused());
        }
        upcall::run(|| self.adapter.locate(object_key))
            .unwrap_or_else(|panic| Err(self.panicked(&"LocateRequest", object_key, panic)))
    }

    /// Answers a LocateRequest into `out`.
    ///
    /// # Errors
    ///
    /// When the header cannot be read.
    pub(super) fn locate(
        &self,
        header: &MessageHeader,
        mut input: Decoder<'_>,
        out: &mut Encoder,
    ) -> CdrResult<()> {
        let (messaging, version) = (self.peer.messaging(), header.version);
        let request = messaging.locate_request_header(header, &mut input, self.lists())?;
        let presence = object_key(&request.target).and_then(|object_key| match object_key {
            Some(object_key) => self.look_for(object_key).map(Some),
            None => Ok(None),
        });
        let status = match &presence {
            Ok(Some(Presence::Here)) => LocateStatus::ObjectHere,
            Ok(Some(Presence::Elsewhere(_))) => LocateStatus::ObjectForward,
            Ok(Some(Presence::Unknown)) => LocateStatus::UnknownObject,
            Ok(None) => LocateStatus::LocNeedsAddressingMode,
            // 1.0 and 1.1 have no other way to say it.
            Err(_) if version < Version::V1_2 => LocateStatus::UnknownObject,
            Err(_) => LocateStatus::LocSystemException,
        };
        let reply = LocateReplyHeader {
            request_id: request.request_id,
            status,
        };
        messaging.begin_locate_reply(out, version, reply);
        match presence {
            Ok(Some(Presence::Elsewhere(ior))) => ior.encode(out)?,
            Ok(None) => AddressingMode::Key.encode(out),
            Err(exception) if status == LocateStatus::LocSystemException => {
                exception.encode(out)?;
            }
            _ => {}
        }
        messaging.finish_message(out)
    }

    /// Writes a reply's header, with the status that most replies have.
    #[inline(always)]
    fn begin_reply<'m>(
        &self,
        version: Version,
        request_id: u32,
        out: &'m mut Encoder,
    ) -> ReplyWriter<'m> {
        let messaging = self.messaging;
        let header = messaging.begin_plain_reply(out, version, request_id);
        out.set_characters(self.characters(version));
        out.want_tail();
        let body = messaging.begin_body(version, out);
        ReplyWriter {
            out,
            messaging,
            header,
            body,
        }
    }

    /// The forms of characters in messages of this version.
    #[inline(always)]
    fn characters(&self, version: Version) -> CharacterForms {
        match version >= Version::V1_2 {
            true => self.characters,
            false => CharacterForms {
                wide: version.wide_form_as(self.characters.wide),
                ..self.characters
            },
        }
    }

    /// How long the lists in messages may be.
    pub(super) fn lists(&self) -> &Limits {
        &self.core.settings.limits.lists
    }

    /// Has requests refused from here on, or carried out again.
    pub(super) fn set_refusing(&mut self, refuses: bool) {
        self.refuses = refuses;
    }

    /// Uses the forms of characters that were agreed on before.
    pub(super) fn set_agreed_characters(&mut self, characters: CharacterForms) {
        self.characters = characters;
    }

    /// Uses the transmission code sets that the peer announces, if it does.
    ///
    /// # Errors
    ///
    /// CODESET_INCOMPATIBLE, or MARSHAL when they cannot be read.
    #[inline]
    pub(super) fn agree_on_code_sets(
        &mut self,
        contexts: &ServiceContexts<'_>,
    ) -> Result<Option<CharacterForms>, SystemException> {
        let Some(data) = contexts.find(service_context::id::CODE_SETS) else {
            return Ok(None);
        };
        let context = CodeSetContext::from_context_data(data)
            .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
        context.check_wchar_code_set()?;
        let code_set = context.char_code_set()?;
        if !self.core.settings.wire.has_char_code_set(code_set) {
            let kind = SystemExceptionKind::CodesetIncompatible;
            return Err(SystemException::omg(kind, 2, CompletionStatus::No));
        }
        self.characters = CharacterForms {
            narrow: code_set,
            wide: wide_form(context.wchar_tcs, &self.core),
        };
        Ok(Some(self.characters))
    }

    /// Uses the connection for calls back, if the peer asks for it and it may be.
    ///
    /// # Errors
    ///
    /// MARSHAL when what it says cannot be read.
    pub(super) fn accept_calls_back(
        &self,
        peer: &Peer,
        version: Version,
        contexts: &ServiceContexts<'_>,
    ) -> Result<(), SystemException> {
        let has_leave = self.core.settings.wire.bidirectional != BidirectionalPolicy::Normal
            && version >= Version::V1_2;
        match contexts.find(service_context::id::BI_DIR_IIOP) {
            Some(data) if has_leave => bidirectional::accept(peer, &self.core, data),
            _ => Ok(()),
        }
    }
}

/// The exception that answers a request which no thread can carry out.
#[cold]
#[inline(never)]
fn refused() -> SystemException {
    SystemException::new(
        SystemExceptionKind::NoResources,
        minor::REACTOR_EXHAUSTED,
        CompletionStatus::No,
    )
}

/// The form of wide characters of a client that has announced this code set for them;
/// 0: none.
fn wide_form(wchar_tcs: u32, core: &OrbCore) -> WideForm {
    match wchar_tcs == 0 && !core.settings.wire.assume_utf16 {
        true => WideForm::NoCodeSet(NoWideCodeSet::NotAnnounced),
        false => WideForm::Octets,
    }
}

/// Ends the reply with what became of the request, if one is expected.
#[inline(always)]
fn conclude(
    request: ServerRequest<'_>,
    outcome: Result<Disposition, SystemException>,
) -> CdrResult<()> {
    let finished = match outcome {
        Ok(Disposition::Done) => {
            // In it is nothing to drop, which not every compilation finds out.
            mem::forget(outcome);
            match request.into_reply() {
                Some(reply) => reply.finish(),
                None => return Ok(()),
            }
        }
        outcome => conclude_otherwise(request.into_reply(), outcome),
    };
    probes::done(Step::ReplyWritten);
    finished
}

/// Ends the reply to a request that no servant has answered, if one is expected.
#[cold]
#[inline(never)]
fn conclude_otherwise(
    reply: Option<ReplyWriter<'_>>,
    outcome: Result<Disposition, SystemException>,
) -> CdrResult<()> {
    let Some(mut reply) = reply else {
        return Ok(());
    };
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
    reply.finish()
}

/// The object key, in whatever form the target was named; none when it is a
/// profile of another protocol.
fn object_key<'m>(target: &TargetAddress<'m>) -> Result<Option<&'m [u8]>, SystemException> {
    target
        .object_key()
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))
}
