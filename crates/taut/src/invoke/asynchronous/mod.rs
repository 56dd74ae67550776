//! Calls whose replies are awaited by futures.
//!
//! A future of a call has its arguments in encoded form, from when the method was called:
//! it borrows nothing. Polled for the first time it begins the call, whose terms were taken
//! down when the method was called. All that may block is done by threads of the ORB. An
//! object of this process is called by message, so that no servant runs within a poll.

mod ami;
mod body;
mod future;
mod points;
mod pseudo_operations;
mod pursuit;
mod reply;
mod settling;
mod state;

use taut_cdr::{Decoder, Encoder, Result as CdrResult};
use taut_giop::SystemException;
use taut_giop::message::ResponseFlags;

use super::arguments::{Arguments, Written};
use super::call_context::{CallContext, KeptTerms, sync_scope};
use crate::connection::asynchronous::Awaits;
use crate::object::{CalledOperation, ObjectRef};
use crate::settings::SyncScope;
use body::{Body, Rewrite};
use pursuit::Pursuit;
use state::{Operation, Sending};

pub use ami::{
    AlreadyInSet, AmiOperation, PollError, Pollable, PollableSet, Poller, UnknownPollable,
};
pub use future::{InvokeFuture, ReplyFuture};
pub use reply::OwnedReply;

impl ObjectRef {
    /// Calls an operation by its name, without waiting: the reply comes by the future. The
    /// call begins when that is first polled, and a future that is dropped gives it up; see
    /// [`ReplyFuture`].
    ///
    /// The arguments are encoded at once. The closure runs again if the call is forwarded
    /// to a server that has characters in another form.
    ///
    /// # Errors
    ///
    /// The future's: those of [`invoke`](Self::invoke).
    pub fn invoke_async(
        &self,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()> + Send + 'static,
    ) -> InvokeFuture {
        self.invoke_async_in(None, operation, arguments)
    }

    /// [`invoke_async`](Self::invoke_async) of a call that has something of its own, such
    /// as a deadline or service contexts. The time of the call begins now.
    ///
    /// # Errors
    ///
    /// The future's: those of [`invoke_with`](Self::invoke_with).
    pub fn invoke_async_with(
        &self,
        context: std::sync::Arc<CallContext>,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()> + Send + 'static,
    ) -> InvokeFuture {
        self.invoke_async_in(Some(context), operation, arguments)
    }

    fn invoke_async_in(
        &self,
        context: Option<std::sync::Arc<CallContext>>,
        operation: &str,
        arguments: impl Fn(&mut Encoder) -> CdrResult<()> + Send + 'static,
    ) -> InvokeFuture {
        let body = Body::new(self, Arguments::whole(&arguments), false);
        let body = body.rewritten_by(Rewrite::Again(Box::new(arguments)));
        let terms = KeptTerms::of(self, context);
        let operation = Operation::Named(operation.into());
        InvokeFuture::new(Pursuit::new(self, operation, Sending::TWO_WAY, body, terms))
    }

    /// Calls an operation as the futures of generated stubs do it. `rewrite` reads the
    /// arguments and writes them again; without it, they are the same for all servers.
    #[doc(hidden)]
    pub fn call_async<T, E, A: Written>(
        &self,
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
        rewrite: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
        read: fn(OwnedReply) -> Result<T, E>,
    ) -> ReplyFuture<T, E> {
        let body = A::erased(arguments, |arguments| Body::new(self, arguments, false));
        let body = body.rewritten_by(Rewrite::of(rewrite));
        let (operation, terms) = (Operation::Static(operation), KeptTerms::of(self, None));
        let pursuit = Pursuit::new(self, operation, Sending::TWO_WAY, body, terms);
        ReplyFuture::new(pursuit, read)
    }

    /// Calls an operation without a result as the futures of generated stubs do it.
    #[doc(hidden)]
    pub fn send_async<A: Written>(
        &self,
        operation: &'static CalledOperation<'static>,
        arguments: impl Fn(&mut Encoder) -> CdrResult<A>,
        rewrite: Option<fn(&mut Decoder<'_>, &mut Encoder) -> CdrResult<()>>,
    ) -> ReplyFuture<(), SystemException> {
        let terms = KeptTerms::of(self, None);
        let sending = Sending::of(sync_scope(self, terms.context()));
        let body = A::erased(arguments, |arguments| Body::new(self, arguments, true));
        let body = body.rewritten_by(Rewrite::of(rewrite));
        let pursuit = Pursuit::new(self, Operation::Static(operation), sending, body, terms);
        ReplyFuture::new(pursuit, |_| Ok(()))
    }
}

impl Sending {
    /// With a reply.
    const TWO_WAY: Self = Self {
        response: ResponseFlags::Expected,
        awaits: Awaits::Reply,
    };

    /// That of a oneway of this scope.
    fn of(scope: SyncScope) -> Self {
        let (response, awaits) = match scope {
            SyncScope::None => (ResponseFlags::None, Awaits::Nothing),
            SyncScope::WithTransport => (ResponseFlags::None, Awaits::Transport),
            SyncScope::WithServer => (ResponseFlags::SyncWithServer, Awaits::Reply),
            SyncScope::WithTarget => (ResponseFlags::Expected, Awaits::Reply),
        };
        Self { response, awaits }
    }
}
