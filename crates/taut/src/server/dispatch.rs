//! From a whole message to the adapter and back to a reply.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use taut_cdr::{ByteOrder, CharCodeSet, Encode, Encoder, Result as CdrResult};
use taut_giop::code_set::CodeSetContext;
use taut_giop::message::{
    self, LocateReplyHeader, LocateRequestHeader, LocateStatus, MessageHeader, MessageType,
    ReplyStatus, RequestHeader, ResponseFlags, TargetAddress,
};
use taut_giop::service_context::{self, ServiceContexts};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, Version, minor};

use super::request::ReplyWriter;
use super::{Disposition, ObjectAdapter, Presence, ServerRequest};
use crate::core::OrbCore;

thread_local! {
    /// How many up-calls this thread is in.
    static UPCALLS: Cell<usize> = const { Cell::new(0) };
}

/// Whether the calling thread runs a servant at this moment.
pub(crate) fn is_in_upcall() -> bool {
    UPCALLS.get() > 0
}

/// What all messages of one connection need.
pub(super) struct Dispatcher {
    core: Arc<OrbCore>,
    adapter: Arc<dyn ObjectAdapter>,
    /// As the peer's code-sets service context said (CORBA 3.3 part 2, 7.10.2.5).
    char_code_set: CharCodeSet,
}

impl Dispatcher {
    pub(super) fn new(core: Arc<OrbCore>, adapter: Arc<dyn ObjectAdapter>) -> Self {
        Self {
            core,
            adapter,
            char_code_set: CharCodeSet::default(),
        }
    }

    /// Carries out a Request, and leaves the reply in `buffer`, which stays
    /// empty when none is expected. A oneway that wants an acknowledgement
    /// first gets it through `acknowledge`.
    ///
    /// # Errors
    ///
    /// When the header cannot be read, so that not even its id is known.
    pub(super) fn request(
        &mut self,
        header: &MessageHeader,
        message: &[u8],
        buffer: &mut Vec<u8>,
        acknowledge: impl FnOnce(&[u8]),
    ) -> CdrResult<()> {
        let mut input = header.decoder(message)?;
        let version = header.version;
        let request = RequestHeader::decode(version, &mut input)?;
        let outcome = self.agree_on_code_sets(&request.service_contexts);
        let context: &(dyn Any + Send + Sync) = &self.core;
        let input = input
            .with_char_code_set(self.char_code_set)
            .with_nesting_limit(self.core.settings.nesting_limit)
            .with_context(Some(context));

        let reply = match request.response {
            ResponseFlags::None => None,
            ResponseFlags::SyncWithServer => {
                let writer = self.begin_reply(version, request.request_id, buffer);
                *buffer = finish(writer)?;
                acknowledge(buffer);
                buffer.clear();
                None
            }
            ResponseFlags::Expected => Some(self.begin_reply(version, request.request_id, buffer)),
        };
        let mut upcall = ServerRequest::new(request.operation, input, reply);
        let outcome = outcome.and_then(|()| self.upcall(&request.target, &mut upcall));
        let Some(mut reply) = upcall.into_reply() else {
            return Ok(());
        };
        match outcome {
            Ok(Disposition::Done) => {}
            Ok(Disposition::Forward(ior)) => {
                reply.write(ReplyStatus::LocationForward, |out| ior.encode(out))?;
            }
            Err(exception) => {
                reply.write(ReplyStatus::SystemException, |out| exception.encode(out))?;
            }
        }
        *buffer = finish(reply)?;
        Ok(())
    }

    /// Runs the adapter. A panic in a servant costs its caller UNKNOWN, and
    /// nobody else anything.
    #[inline]
    fn upcall(
        &self,
        target: &TargetAddress<'_>,
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        let object_key = object_key(target)?;
        UPCALLS.set(UPCALLS.get() + 1);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            self.adapter.dispatch(object_key, request)
        }));
        UPCALLS.set(UPCALLS.get() - 1);
        outcome.unwrap_or_else(|_| {
            tracing::error!(?request, "a servant panicked");
            Err(SystemException::new(
                SystemExceptionKind::Unknown,
                minor::SERVANT_PANICKED,
                CompletionStatus::Maybe,
            ))
        })
    }

    /// Answers a LocateRequest into `buffer`.
    ///
    /// # Errors
    ///
    /// When the header cannot be read.
    pub(super) fn locate(
        &self,
        header: &MessageHeader,
        message: &[u8],
        buffer: &mut Vec<u8>,
    ) -> CdrResult<()> {
        let version = header.version;
        let request = LocateRequestHeader::decode(version, &mut header.decoder(message)?)?;
        let presence =
            object_key(&request.target).and_then(|object_key| self.adapter.locate(object_key));
        let status = match &presence {
            Ok(Presence::Here) => LocateStatus::ObjectHere,
            Ok(Presence::Elsewhere(_)) => LocateStatus::ObjectForward,
            Ok(Presence::Unknown) => LocateStatus::UnknownObject,
            // 1.0 and 1.1 have no other way to say it.
            Err(_) if version < Version::V1_2 => LocateStatus::UnknownObject,
            Err(_) => LocateStatus::LocSystemException,
        };
        let mut out = Encoder::with_buffer(std::mem::take(buffer), ByteOrder::NATIVE);
        message::begin_message(&mut out, version, MessageType::LocateReply);
        LocateReplyHeader {
            request_id: request.request_id,
            status,
        }
        .encode(&mut out);
        match presence {
            Ok(Presence::Elsewhere(ior)) => ior.encode(&mut out)?,
            Err(exception) if status == LocateStatus::LocSystemException => {
                exception.encode(&mut out)?;
            }
            _ => {}
        }
        message::finish_message(&mut out)?;
        *buffer = out.into_buffer();
        Ok(())
    }

    /// Writes a reply's header, with the status that most replies have.
    #[inline]
    fn begin_reply(&self, version: Version, request_id: u32, buffer: &mut Vec<u8>) -> ReplyWriter {
        let mut out = Encoder::with_buffer(std::mem::take(buffer), ByteOrder::NATIVE);
        let header = message::begin_plain_reply(&mut out, version, request_id);
        out.set_char_code_set(self.char_code_set);
        let body = message::begin_body(version, &mut out);
        ReplyWriter { out, header, body }
    }

    /// Notes the transmission code sets that the peer announces.
    #[inline]
    fn agree_on_code_sets(
        &mut self,
        contexts: &ServiceContexts<'_>,
    ) -> Result<(), SystemException> {
        let Some(data) = contexts.find(service_context::id::CODE_SETS) else {
            return Ok(());
        };
        let context = CodeSetContext::from_context_data(data)
            .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?;
        self.char_code_set = context.char_code_set()?;
        Ok(())
    }
}

/// Finishes the reply and gives its message.
#[inline]
fn finish(reply: ReplyWriter) -> CdrResult<Vec<u8>> {
    let ReplyWriter { mut out, body, .. } = reply;
    body.finish(&mut out);
    message::finish_message(&mut out)?;
    Ok(out.into_buffer())
}

/// The object key, in whatever form the target was named.
fn object_key<'m>(target: &TargetAddress<'m>) -> Result<&'m [u8], SystemException> {
    target
        .object_key()
        .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::No))?
        .ok_or_else(|| {
            SystemException::omg(SystemExceptionKind::ObjectNotExist, 2, CompletionStatus::No)
        })
}
