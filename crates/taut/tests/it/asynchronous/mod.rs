//! Calls whose replies are awaited by futures, with an executor of the test's own.

mod ami;
mod cancellation;
pub(crate) mod executor;
mod many;
mod outcomes;
mod waiting;

use std::sync::Arc;

use taut::codegen::{Decode, Encode, Encoder};
use taut::{CallContext, InvokeFuture, OwnedReply, Reference, ReplyFuture, SystemException};

use crate::common::{EchoError, EchoRef, Refused};

/// The methods of references that return futures, as generated code has them.
pub(crate) trait Futures {
    fn ping_async(&self) -> ReplyFuture<()>;
    fn echo_async(&self, text: &str) -> ReplyFuture<String, EchoError>;
    fn note_async(&self, text: &str) -> ReplyFuture<()>;
    fn notes_async(&self) -> ReplyFuture<u32>;
    /// By name.
    fn ping_by_name(&self, context: CallContext) -> InvokeFuture;
}

impl Futures for EchoRef {
    fn ping_async(&self) -> ReplyFuture<()> {
        const PING: &taut::codegen::CalledOperation<'_> =
            &taut::codegen::CalledOperation::by_name("ping");
        let object = self.as_object();
        object.call_async(PING, |_| Ok(()), None, |reply| reply.no_results())
    }

    fn echo_async(&self, text: &str) -> ReplyFuture<String, EchoError> {
        const ECHO: &taut::codegen::CalledOperation<'_> =
            &taut::codegen::CalledOperation::by_name("echo");
        let write = |out: &mut Encoder| text.encode(out);
        self.as_object().call_async(
            ECHO,
            write,
            Some(|input, out| String::decode(input)?.encode(out)),
            read_echo,
        )
    }

    fn note_async(&self, text: &str) -> ReplyFuture<()> {
        const NOTE: &taut::codegen::CalledOperation<'_> =
            &taut::codegen::CalledOperation::by_name("note");
        let write = |out: &mut Encoder| text.encode(out);
        self.as_object().send_async(NOTE, write, None)
    }

    fn notes_async(&self) -> ReplyFuture<u32> {
        const NOTES: &taut::codegen::CalledOperation<'_> =
            &taut::codegen::CalledOperation::by_name("notes");
        let object = self.as_object();
        object.call_async(NOTES, |_| Ok(()), None, |reply| reply.results(u32::decode))
    }

    fn ping_by_name(&self, context: CallContext) -> InvokeFuture {
        let object = self.as_object();
        object.invoke_async_with(Arc::new(context), "ping", |_| Ok(()))
    }
}

fn read_echo(reply: OwnedReply) -> Result<String, EchoError> {
    if let Some(exception) = reply.user_exception()? {
        return Err(match exception.repository_id() {
            "IDL:test/Refused:1.0" => EchoError::Refused(exception.decode::<Refused>()?),
            _ => exception.unlisted().into(),
        });
    }
    Ok(reply.results(String::decode)?)
}

/// The kind of an exception, with its minor code and completion.
fn kind(exception: &SystemException) -> (taut::SystemExceptionKind, u32, taut::CompletionStatus) {
    (exception.kind, exception.minor, exception.completed)
}
