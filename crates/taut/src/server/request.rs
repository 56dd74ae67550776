//! A request on its way through a skeleton.

use std::fmt;
use std::sync::Arc;

use taut_cdr::{ByteOrder, CharacterForms, Decode, Decoder, Encode, Encoder, Result as CdrResult};
use taut_giop::message::{
    BodyStart, EncodedReplyHeader, ReplyStatus, begin_prioritized_reply,
    read_priority_range_context,
};
use taut_giop::service_context::id;
use taut_giop::{CompletionStatus, Limits, SystemException, SystemExceptionKind, Version, minor};

use crate::core::OrbCore;
use crate::exception::{UserException, unwritable};
use crate::message::log_unknown_value;
use crate::messaging::Messaging;
use crate::object::{Interface, ObjectRef, OperationHandle};
use crate::probes::{self, Step};
use crate::service_contexts::{ServiceContext, ServiceContextList};
use crate::upcall::contexts;

/// A request that a skeleton unmarshals, gives to its servant, and answers.
///
/// The arguments live as long as the message (`'m`): what can be borrowed from
/// it is.
pub struct ServerRequest<'m> {
    operation: &'m [u8],
    /// At the arguments.
    input: Decoder<'m>,
    /// Where the reply goes; none for a oneway request.
    reply: Option<ReplyWriter<'m>>,
}

/// Where a reply goes, and how it is written, if it is begun anew.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyAddress {
    pub(super) version: Version,
    pub(super) request_id: u32,
    pub(super) characters: CharacterForms,
    pub(super) order: ByteOrder,
}

/// The reply under way: its header says NO_EXCEPTION until it turns out
/// otherwise.
pub(super) struct ReplyWriter<'m> {
    out: &'m mut Encoder,
    header: EncodedReplyHeader,
    body: BodyStart,
}

/// An operation that every object has and no IDL declares.
#[derive(Debug, Clone, Copy)]
enum ImplicitOperation {
    IsA,
    NonExistent,
    RepositoryId,
    BindPriorityBand,
    Component,
    Interface,
}

impl ImplicitOperation {
    /// The operation with this name on the wire.
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"_is_a" => Self::IsA,
            b"_non_existent" | b"_not_existent" => Self::NonExistent,
            b"_repository_id" => Self::RepositoryId,
            b"_bind_priority_band" if contexts::OF_USERS => Self::BindPriorityBand,
            b"_component" => Self::Component,
            b"_interface" => Self::Interface,
            _ => return None,
        })
    }
}

impl<'m> ServerRequest<'m> {
    pub(super) fn new(
        operation: &'m [u8],
        input: Decoder<'m>,
        reply: Option<ReplyWriter<'m>>,
    ) -> Self {
        Self {
            operation,
            input,
            reply,
        }
    }

    /// A request without arguments, which wants no reply.
    #[cfg(feature = "probes")]
    pub(crate) fn bare(operation: &'m [u8]) -> Self {
        Self::new(operation, Decoder::new(&[], ByteOrder::NATIVE), None)
    }

    /// The operation's name on the wire, such as `outline` or `_get_radius`.
    #[inline]
    pub fn operation(&self) -> &'m [u8] {
        self.operation
    }

    /// Makes this a request for the operation that a handle means. Returns its place in
    /// the interface's list.
    ///
    /// # Errors
    ///
    /// BAD_OPERATION with [`minor::STALE_OPERATION_HANDLE`] when the handle is not of
    /// this interface.
    #[inline]
    pub(crate) fn take_handle(
        &mut self,
        handle: OperationHandle,
        interface: &Interface,
    ) -> Result<usize, SystemException> {
        let name = interface.operation_of(handle).ok_or_else(stale_handle)?;
        self.operation = name.as_bytes();
        Ok(handle.place as usize)
    }

    /// Reads the in and inout values, in this order.
    ///
    /// # Errors
    ///
    /// MARSHAL when they are not what `read` expects.
    #[inline]
    pub fn arguments<T>(
        &mut self,
        read: impl FnOnce(&mut Decoder<'m>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        probes::done(Step::OperationFound);
        let arguments = read(&mut self.input).map_err(|error| {
            log_unknown_value(&error, &self.input);
            SystemException::from_cdr(&error, CompletionStatus::No)
        });
        probes::done(Step::ArgumentsDecoded);
        arguments
    }

    /// Writes the result and the inout and out values, in this order.
    ///
    /// # Errors
    ///
    /// MARSHAL or DATA_CONVERSION when a value cannot be written.
    #[inline]
    pub fn reply(
        &mut self,
        write: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        probes::done(Step::ServantReturned);
        match &mut self.reply {
            Some(reply) => reply
                .write(ReplyStatus::NoException, write)
                .map_err(|error| unwritable(&error, CompletionStatus::Yes)),
            None => Ok(()),
        }
    }

    /// Answers with a user exception.
    ///
    /// # Errors
    ///
    /// As [`reply`](Self::reply).
    pub fn raise<E: UserException>(&mut self, exception: &E) -> Result<(), SystemException> {
        self.raise_with(|out| {
            E::REPOSITORY_ID.encode(out)?;
            exception.encode(out)
        })
    }

    /// Answers with the user exception that `write` writes, its repository id first: for code
    /// that learns of the exception only at run time.
    ///
    /// # Errors
    ///
    /// As [`reply`](Self::reply).
    pub fn raise_with(
        &mut self,
        write: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        probes::done(Step::ServantReturned);
        match &mut self.reply {
            Some(reply) => reply
                .write(ReplyStatus::UserException, write)
                .map_err(|error| unwritable(&error, CompletionStatus::Yes)),
            None => Ok(()),
        }
    }

    /// Whether the client waits for a reply of the servant.
    pub fn is_reply_expected(&self) -> bool {
        self.reply.is_some()
    }

    /// Returns the number by which the client knows the request on its connection; none
    /// without an expected reply.
    pub fn request_id(&self) -> Option<u32> {
        let reply = self.reply.as_ref()?;
        reply.header.request_id(reply.out)
    }

    /// Returns the service contexts of the request, in their order, those of ORBs among them;
    /// to be called in the thread that carries it out. Servants whose skeletons are generated
    /// have [`RequestContext`](crate::RequestContext).
    #[cfg(feature = "full")]
    pub fn service_contexts(&self) -> Vec<ServiceContext> {
        contexts::received(ServiceContextList::to_vec)
    }

    /// Has the reply carry a service context, behind those that were added before, whether
    /// it is a result or an exception. Without an expected reply it goes nowhere. To be
    /// called in the thread that carries the request out.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with [`minor::RESERVED_SERVICE_CONTEXT`] when the ORB sends contexts with
    /// this id itself; IMP_LIMIT with [`minor::SERVICE_CONTEXT_LIMIT`].
    #[cfg(feature = "full")]
    pub fn add_service_context(
        &mut self,
        id: u32,
        data: impl AsRef<[u8]>,
    ) -> Result<(), SystemException> {
        let lists = self
            .core()
            .map_or(Limits::DEFAULT, |core| core.settings.limits.lists);
        contexts::with_reply(|list| list.push_checked(id, data.as_ref(), &lists))
    }

    /// Whether [`implicit_operation`](Self::implicit_operation) knows the operation.
    pub fn is_implicit(&self) -> bool {
        ImplicitOperation::named(self.operation).is_some()
    }

    /// Carries out the operations that every object has and no IDL declares
    /// (CORBA 3.3 part 2, 9.4.2.3).
    ///
    /// # Errors
    ///
    /// BAD_OPERATION with OMG minor 2 when the operation is none of them.
    #[cold]
    pub fn implicit_operation(&mut self, interface: &Interface) -> Result<(), SystemException> {
        let refused = |kind, minor| SystemException::omg(kind, minor, CompletionStatus::No);
        let Some(operation) = ImplicitOperation::named(self.operation) else {
            return Err(refused(SystemExceptionKind::BadOperation, 2));
        };
        match operation {
            ImplicitOperation::IsA => {
                let asked = self.arguments(String::decode)?;
                self.reply(|out| interface.is_a(&asked).encode(out))
            }
            ImplicitOperation::NonExistent => self.reply(|out| false.encode(out)),
            ImplicitOperation::RepositoryId => {
                self.reply(|out| interface.repository_id.encode(out))
            }
            ImplicitOperation::BindPriorityBand => {
                contexts::received(priority_range)?;
                self.reply(|out| true.encode(out))
            }
            ImplicitOperation::Component => self.reply(|out| None::<ObjectRef>.encode(out)),
            ImplicitOperation::Interface => {
                let core = self.core().map(Arc::clone);
                let core = core.ok_or_else(|| refused(SystemExceptionKind::IntfRepos, 1))?;
                let found = core.interfaces.find(interface.repository_id)?;
                self.reply(|out| found.encode(out))
            }
        }
    }

    /// A decoder at the arguments, for others than the skeleton.
    pub(super) fn input(&self) -> Decoder<'m> {
        self.input.clone()
    }

    /// Returns the number of octets of the arguments that have not been read.
    pub(super) fn octets_left(&self) -> usize {
        self.input.remaining()
    }

    /// The reply as it stands, for others than the skeleton.
    pub(super) fn reply_so_far(&self) -> Option<&ReplyWriter<'m>> {
        self.reply.as_ref()
    }

    /// Takes the reply away, so that this request is not answered, and returns where another
    /// one goes; none if no reply is expected.
    #[cold]
    pub(super) fn take_reply(&mut self, messaging: Messaging) -> Option<ReplyAddress> {
        let ReplyWriter { out, header, .. } = self.reply.take()?;
        let address = header.request_id(out).map(|request_id| ReplyAddress {
            version: messaging
                .version_of(out.as_bytes())
                .unwrap_or(Version::LITE),
            request_id,
            characters: characters_of(out),
            order: out.order(),
        });
        out.clear();
        address
    }

    /// Begins the reply anew, without service contexts, and with nothing behind its header.
    #[cold]
    pub(super) fn begin_reply_anew(&mut self, messaging: Messaging) {
        let Some(ReplyWriter { out, header, .. }) = self.reply.take() else {
            return;
        };
        let version = messaging.version_of(out.as_bytes());
        let answered = version.zip(header.request_id(out));
        let characters = characters_of(out);
        out.clear();
        self.reply =
            answered.map(|answered| ReplyWriter::begin(messaging, answered, characters, out));
    }

    /// The ORB that serves the request.
    pub(crate) fn core(&self) -> Option<&Arc<OrbCore>> {
        self.input.context()?.downcast_ref()
    }

    /// The reply as it stands.
    #[inline]
    pub(super) fn into_reply(self) -> Option<ReplyWriter<'m>> {
        self.reply
    }
}

/// The forms of characters in what is written.
fn characters_of(out: &Encoder) -> CharacterForms {
    CharacterForms {
        narrow: out.char_code_set(),
        wide: out.wide_form(),
    }
}

impl<'m> ReplyWriter<'m> {
    /// Writes the header of a reply to a request of GIOP 1.2 that tells this priority, likewise.
    #[inline(always)]
    pub(super) fn begin_prioritized(
        (request_id, priority): (u32, i16),
        characters: CharacterForms,
        out: &'m mut Encoder,
    ) -> Self {
        let (header, body) = begin_prioritized_reply(out, request_id, priority);
        out.set_characters(characters);
        out.want_tail();
        Self { out, header, body }
    }

    /// Writes the header of a reply into an empty encoder, with the status that most
    /// replies have.
    #[inline(always)]
    pub(super) fn begin(
        messaging: Messaging,
        (version, request_id): (Version, u32),
        characters: CharacterForms,
        out: &'m mut Encoder,
    ) -> Self {
        let header = messaging.begin_plain_reply(out, version, request_id);
        out.set_characters(characters);
        out.want_tail();
        let body = messaging.begin_body(version, out);
        Self { out, header, body }
    }

    /// Makes this the body and the status, whatever was written before.
    #[inline]
    pub(super) fn write(
        &mut self,
        status: ReplyStatus,
        body: impl FnOnce(&mut Encoder) -> CdrResult<()>,
    ) -> CdrResult<()> {
        self.body.rewind(self.out);
        self.header.set_status(self.out, status);
        body(self.out)
    }

    /// The status that was written last.
    pub(super) fn status(&self) -> ReplyStatus {
        let status = self.header.status(self.out);
        status.unwrap_or(ReplyStatus::NoException)
    }

    /// Returns the number of octets of the message so far.
    pub(super) fn octets(&self) -> usize {
        self.out.len() + self.out.tail().len()
    }

    /// Has `read` read the body that was written last.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub(super) fn read_body(
        &self,
        read: &mut dyn FnMut(&mut Decoder<'_>) -> CdrResult<()>,
    ) -> CdrResult<()> {
        let (octets, tail) = (self.out.as_bytes(), self.out.tail());
        let joined;
        let octets = match tail.is_empty() {
            true => octets,
            false => {
                joined = [octets, tail].concat();
                &joined
            }
        };
        let characters = characters_of(self.out);
        let mut input = Decoder::new(octets, self.out.order()).with_characters(characters);
        input.skip(self.body.offset())?;
        read(&mut input)
    }

    /// Ends the message.
    #[inline(always)]
    pub(super) fn finish(self, messaging: Messaging) -> CdrResult<()> {
        self.body.finish(self.out);
        messaging.finish_message(self.out)
    }

    /// Ends the message, whose header gets these service contexts.
    #[cold]
    pub(super) fn finish_with(
        self,
        messaging: Messaging,
        contexts: &ServiceContextList,
    ) -> CdrResult<()> {
        if contexts.is_empty() {
            return self.finish(messaging);
        }
        self.body.finish(self.out);
        messaging.finish_reply_with(self.out, &contexts.behind([]))
    }
}

/// Reads the range of priorities that a connection is to be for, whose client says so by
/// `_bind_priority_band`.
///
/// # Errors
///
/// BAD_PARAM with [`minor::NO_PRIORITY_RANGE`] without such a service context; MARSHAL when it
/// cannot be read, or is no range of priorities.
#[cold]
fn priority_range(contexts: &ServiceContextList) -> Result<(i16, i16), SystemException> {
    let data = contexts.find(id::RT_CORBA_PRIORITY_RANGE).ok_or_else(|| {
        let (kind, minor) = (SystemExceptionKind::BadParam, minor::NO_PRIORITY_RANGE);
        SystemException::new(kind, minor, CompletionStatus::No)
    })?;
    read_priority_range_context(data)
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))
}

/// Returns the exception for the caller of a handle that is none of the object's.
#[cold]
pub(crate) fn stale_handle() -> SystemException {
    SystemException::new(
        SystemExceptionKind::BadOperation,
        minor::STALE_OPERATION_HANDLE,
        CompletionStatus::No,
    )
}

impl fmt::Debug for ServerRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequest")
            .field("operation", &self.operation.escape_ascii().to_string())
            .finish_non_exhaustive()
    }
}
