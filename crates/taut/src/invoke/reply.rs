//! Replies, as their callers get them.

mod sequence_view;

use std::any::Any;
use std::borrow::Cow;
use std::error::Error;
use std::hint::cold_path;
use std::sync::Arc;

use taut_cdr::{ByteOrder, CharacterForms, Decoder, Encoder, Result as CdrResult};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use crate::core::OrbCore;
use crate::exception::UserException;
use crate::message::{Message, log_unknown_value};
use crate::messaging::Messaging;
use crate::probes::{self, Step};

pub use sequence_view::SequenceView;

/// A reply with results or a user exception. It owns the message, whose buffer
/// returns to the thread's pool when the reply is dropped.
#[derive(Debug)]
pub struct Reply<'r> {
    core: &'r Arc<OrbCore>,
    message: Message,
    body: ReplyBody,
}

/// The facts in a reply's header that concern its body. No copy is made of it, so that an
/// outcome of which it is taken leaves nothing to drop.
#[derive(Debug)]
pub(super) struct ReplyBody {
    /// Where it begins. If it is empty, that may be behind the message's end, where the
    /// padding in front of it would have ended.
    pub(super) offset: usize,
    pub(super) order: ByteOrder,
    pub(super) characters: CharacterForms,
    /// Whether it is a user exception.
    pub(super) raised: bool,
}

/// All in which plain replies differ but for their octets. It is small enough to be
/// returned in a register.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlainReply {
    pub(super) messaging: Messaging,
    pub(super) characters: CharacterForms,
}

impl ReplyBody {
    /// That of a call to which nothing comes back.
    pub(super) fn none() -> Self {
        Self {
            offset: 0,
            order: ByteOrder::NATIVE,
            characters: CharacterForms::default(),
            raised: false,
        }
    }

    /// Whether there are results, of which none is read.
    #[inline(always)]
    pub(super) fn no_results(&self) -> Result<(), SystemException> {
        if self.raised {
            return Err(unlisted());
        }
        probes::done(Step::ResultDecoded);
        Ok(())
    }

    /// That of a plain reply.
    #[inline(always)]
    pub(super) fn plain(plain: PlainReply) -> Self {
        Self {
            offset: plain.messaging.plain_reply_body(),
            order: ByteOrder::NATIVE,
            characters: plain.characters,
            raised: false,
        }
    }
}

/// A user exception that has not been read yet.
#[derive(Debug)]
pub struct RaisedException<'m> {
    repository_id: Cow<'m, str>,
    /// At the members.
    members: Decoder<'m>,
}

impl<'r> Reply<'r> {
    #[inline]
    pub(super) fn new(core: &'r Arc<OrbCore>, message: Message, body: ReplyBody) -> Self {
        Self {
            core,
            message,
            body,
        }
    }

    /// Reads the result and the inout and out values, in this order.
    ///
    /// # Errors
    ///
    /// MARSHAL when they are not what `read` expects; UNKNOWN with OMG minor 1
    /// when the reply is a user exception.
    #[inline]
    pub fn results<'m, T>(
        &'m self,
        read: impl FnOnce(&mut Decoder<'m>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        results_of(self.core, &self.message, &self.body, read)
    }

    /// [`results`](Self::results), where there are none to read.
    ///
    /// # Errors
    ///
    /// UNKNOWN with OMG minor 1 when the reply is a user exception.
    #[inline]
    pub fn no_results(&self) -> Result<(), SystemException> {
        self.body.no_results()
    }

    /// The user exception, if the reply is one.
    ///
    /// # Errors
    ///
    /// MARSHAL when its repository id cannot be read.
    #[inline]
    pub fn user_exception(&self) -> Result<Option<RaisedException<'_>>, SystemException> {
        user_exception_of(self.core, &self.message, &self.body)
    }
}

/// Reads the results in a reply.
#[inline(always)]
pub(super) fn results_of<'m, T>(
    core: &'m Arc<OrbCore>,
    message: &'m Message,
    body: &ReplyBody,
    read: impl FnOnce(&mut Decoder<'m>) -> CdrResult<T>,
) -> Result<T, SystemException> {
    if body.raised {
        return Err(unlisted());
    }
    let mut input = decoder(core, message, body);
    skip_to_body(&mut input, body.offset);
    let results = read(&mut input).map_err(|error| not_readable(error, &input));
    probes::done(Step::ResultDecoded);
    results
}

/// Reads the user exception in a reply, if it is one.
#[inline(always)]
pub(super) fn user_exception_of<'m>(
    core: &'m Arc<OrbCore>,
    message: &'m Message,
    body: &ReplyBody,
) -> Result<Option<RaisedException<'m>>, SystemException> {
    if !body.raised {
        return Ok(None);
    }
    let mut input = decoder(core, message, body);
    skip_to_body(&mut input, body.offset);
    RaisedException::read(input).map(Some).map_err(malformed)
}

/// A decoder at the start of the message. (It is not handed over in a result,
/// for then all of it would have to be in memory.)
#[inline]
fn decoder<'m>(core: &'m Arc<OrbCore>, message: &'m Message, body: &ReplyBody) -> Decoder<'m> {
    let context: &(dyn Any + Send + Sync) = core;
    let decoder = Decoder::new(&message.octets, body.order)
        .with_characters(body.characters)
        .with_nesting_limit(core.settings.limits.nesting_limit)
        .with_graph_limits(core.settings.limits.type_codes)
        .with_cyclic_values(core.settings.limits.cyclic_values)
        .with_context(Some(context));
    message.tell(decoder, core.settings.limits.memory)
}

/// Skips what is before a reply's body.
#[inline]
fn skip_to_body(input: &mut Decoder<'_>, offset: usize) {
    if input.skip(offset).is_err() {
        cold_path();
        // There is none. The rest can be skipped.
        let _ = input.skip(input.remaining());
    }
}

impl<'m> RaisedException<'m> {
    /// Reads the id of an exception, which stands before its members.
    #[inline(always)]
    pub(crate) fn read(mut members: Decoder<'m>) -> CdrResult<Self> {
        let repository_id = members.read_string()?;
        Ok(Self {
            repository_id,
            members,
        })
    }

    /// The repository id, by which the caller tells what was raised.
    pub fn repository_id(&self) -> &str {
        &self.repository_id
    }

    /// Reads the members.
    ///
    /// # Errors
    ///
    /// MARSHAL when they are not those of `E`.
    pub fn decode<E: UserException>(&self) -> Result<E, SystemException> {
        let mut members = self.members.clone();
        E::decode(&mut members).map_err(|error| not_readable(error, &members))
    }

    /// Reads the members as `read` does, for code that learns of the exception only at run
    /// time.
    ///
    /// # Errors
    ///
    /// MARSHAL when they are not what `read` expects.
    pub fn members<T>(
        &self,
        read: impl FnOnce(&mut Decoder<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let mut members = self.members.clone();
        read(&mut members).map_err(|error| not_readable(error, &members))
    }

    /// Reads the members and writes them again.
    ///
    /// # Errors
    ///
    /// MARSHAL when they are not those of `E`.
    #[doc(hidden)]
    pub fn pass_on<E: UserException>(&self, out: &mut Encoder) -> Result<bool, SystemException> {
        let written = self.decode::<E>()?.encode(out);
        written.map(|()| true).map_err(malformed)
    }

    /// The error of the operation that it is: UNKNOWN for one that the operation does not list,
    /// MARSHAL when it cannot be read.
    pub(crate) fn as_error<E: OperationError>(&self) -> E {
        match E::of_raised(self) {
            Ok(Some(exception)) => exception,
            Ok(None) => self.unlisted().into(),
            Err(unreadable) => unreadable.into(),
        }
    }

    /// Returns the system exception that replaces one which the operation does not list:
    /// UNKNOWN with OMG minor 1.
    pub fn unlisted(&self) -> SystemException {
        tracing::debug!(exception = %self.repository_id, "unlisted user exception");
        unlisted()
    }
}

/// The exceptions of an operation, as generated code has them for those that can be called
/// asynchronously; and [`SystemException`], for those that raise no others.
pub trait OperationError: From<SystemException> + Error {
    /// The exception that was raised, if it is one of the operation's.
    ///
    /// # Errors
    ///
    /// MARSHAL when it cannot be read.
    #[doc(hidden)]
    fn of_raised(raised: &RaisedException<'_>) -> Result<Option<Self>, SystemException>;
}

impl OperationError for SystemException {
    fn of_raised(_: &RaisedException<'_>) -> Result<Option<Self>, SystemException> {
        Ok(None)
    }
}

#[cold]
fn unlisted() -> SystemException {
    SystemException::omg(SystemExceptionKind::Unknown, 1, CompletionStatus::Yes)
}

#[cold]
fn not_readable(error: taut_cdr::Error, input: &Decoder<'_>) -> SystemException {
    log_unknown_value(&error, input);
    malformed(error)
}

#[cold]
fn malformed(error: taut_cdr::Error) -> SystemException {
    SystemException::from_cdr(&error, CompletionStatus::Yes)
}
