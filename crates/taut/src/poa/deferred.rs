//! Requests that servants answer later, by any thread.

mod future;

use std::fmt;
use std::sync::Arc;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::current::HeldTarget;
use super::{ObjectId, Poa};
use crate::exception::UserException;
use crate::object::ObjectRef;
use crate::priority::{self, AtPriority, Priority};
use crate::server::{DeferredReply, ServerRequest};
use crate::service_contexts::ServiceContext;
use crate::upcall::contexts::{self, UpcallContexts};
use crate::upcall::{self, Panic, Role};
use taut_cdr::{Encoder, Result as CdrResult};

pub use future::answer_with_future;

/// A request that its servant answers later, in whatever thread: a servant that is written by
/// hand gets it by [`ServerRequest::defer`].
///
/// It can be sent to other threads, and is answered once, by one of the methods that take it.
/// No thread of the ORB is held meanwhile. One that is dropped without an answer is answered
/// with UNKNOWN, [`minor::RESPONDER_DROPPED`].
///
/// The request counts as one that runs: its object is not etherealized, the end of its POA and
/// that of the ORB wait for it, and its connection is closed when it has been answered. If the
/// client has gone, the answer goes nowhere.
pub struct DeferredRequest {
    /// None once it has been answered.
    reply: Option<DeferredReply>,
    contexts: UpcallContexts,
    target: Arc<HeldTarget>,
    /// The priority at which it is carried out, if it has one.
    priority: Option<Priority>,
}

/// A typed way to answer one request of one operation, later and in whatever thread.
///
/// `T` is what the operation returns, `E` the exceptions that it may raise. Servants get it from
/// generated code, for the operations that the build script has chosen
/// (docs/deferred-replies.md). It has what [`DeferredRequest`] says of itself.
pub struct Responder<T, E = SystemException> {
    request: DeferredRequest,
    write: Write<T, E>,
}

/// The function of generated code that writes the outcome of an operation.
pub(crate) type Write<T, E> =
    fn(&mut ServerRequest<'_>, Result<T, E>) -> Result<(), SystemException>;

impl ServerRequest<'_> {
    /// Defers the answer: the deferred request that this returns gives it later, from any thread.
    /// Any other answer to this request goes nowhere from here on, an exception that
    /// [`Servant::dispatch`](crate::Servant::dispatch) returns included, and so does a further
    /// one that is deferred.
    ///
    /// To be called in the thread that carries the request out, after its arguments have been
    /// read.
    ///
    /// # Errors
    ///
    /// TRANSIENT with [`minor::DEFERRED_REQUEST_LIMIT`] when as many requests of the connection,
    /// or the server, are deferred as
    /// [may](crate::ServerSettings::max_deferred_requests_per_connection) be; NO_RESOURCES with
    /// [`minor::NO_THREAD`] when the system gives no thread for the reactor, which reads the
    /// connection from then on; BAD_INV_ORDER outside of a servant. The request can still be
    /// answered as others are.
    pub fn defer(&mut self) -> Result<DeferredRequest, SystemException> {
        let target = HeldTarget::of_this_thread()?;
        let reply = DeferredReply::begin(self)?;
        let mut contexts = contexts::copy();
        contexts.peer = Some(reply.peer_name().to_owned());
        contexts.source = reply.source();
        let priority = target.poa().has_priorities().then(priority::current);
        Ok(DeferredRequest {
            reply: Some(reply),
            contexts,
            target: Arc::new(target),
            priority: priority.flatten(),
        })
    }
}

impl DeferredRequest {
    /// The operation's name on the wire.
    pub fn operation(&self) -> &[u8] {
        self.reply.as_ref().map_or(b"", DeferredReply::operation)
    }

    /// Whether the client waits for a reply: it does not for a oneway.
    pub fn is_reply_expected(&self) -> bool {
        let reply = self.reply.as_ref();
        reply.is_some_and(DeferredReply::is_reply_expected)
    }

    /// Whether nobody waits for the answer any more: the client has cancelled the request, which
    /// is no more than advice, or its connection has ended.
    pub fn is_cancelled(&self) -> bool {
        let reply = self.reply.as_ref();
        reply.is_none_or(DeferredReply::is_cancelled)
    }

    /// The address of the client, as events give it: for IIOP, `192.0.2.7:40112`.
    pub fn peer(&self) -> &str {
        self.contexts.peer.as_deref().unwrap_or_default()
    }

    /// The POA through which the request came.
    pub fn poa(&self) -> &Poa {
        self.target.poa()
    }

    /// The id of the object that was called.
    pub fn object_id(&self) -> ObjectId {
        self.target.object_id()
    }

    /// A reference to the object that was called.
    pub fn reference(&self) -> ObjectRef {
        self.target.reference()
    }

    /// Returns the service contexts that came with the request, in their order, those of ORBs
    /// among them.
    pub fn service_contexts(&self) -> Vec<ServiceContext> {
        self.contexts.received.to_vec()
    }

    /// Returns the data of the first service context with this id that came with the request.
    pub fn service_context(&self, id: u32) -> Option<&[u8]> {
        self.contexts.received.find(id)
    }

    /// Has the reply carry a service context, behind those that were added before.
    ///
    /// # Errors
    ///
    /// Those of [`RequestContext::add_to_reply`](crate::RequestContext::add_to_reply).
    pub fn add_service_context(
        &mut self,
        id: u32,
        data: impl AsRef<[u8]>,
    ) -> Result<(), SystemException> {
        let limits = self.target.poa().limits();
        let replied = &mut self.contexts.replied;
        replied.push_checked(id, data.as_ref(), limits)
    }

    /// Answers with the result and the inout and out values, which `write` writes in this order.
    /// Where that fails, the caller gets MARSHAL or DATA_CONVERSION.
    pub fn reply(self, write: impl FnOnce(&mut Encoder) -> CdrResult<()>) {
        self.answer(|request| request.reply(write));
    }

    /// Answers with a user exception.
    pub fn raise<E: UserException>(self, exception: &E) {
        self.answer(|request| request.raise(exception));
    }

    /// Answers with a system exception.
    pub fn system_exception(self, exception: SystemException) {
        self.answer(|_| Err(exception));
    }

    /// Answers as a servant does at once: with what `answer` writes into the request that it
    /// gets, which has no arguments any more, or with the exception that it returns.
    pub fn answer(
        mut self,
        answer: impl FnOnce(&mut ServerRequest<'_>) -> Result<(), SystemException>,
    ) {
        let _at = self.at_priority();
        if let Some(reply) = self.reply.take() {
            reply.answer(&self.contexts.replied, answer);
        }
    }

    /// Gives the calling thread the priority of the request, if it has one, as long as the value
    /// lives that is returned.
    fn at_priority(&self) -> Option<AtPriority> {
        let core = self.target.poa().core();
        // A thread that may not have it now does without: the request has had it before.
        priority::at(&core.priorities, self.priority?).ok()
    }

    /// Runs a part of the servant that goes on with the request, at its priority: it has the
    /// [`Current`](crate::Current) and [`RequestContext`](crate::RequestContext) of it.
    ///
    /// # Errors
    ///
    /// The payload of a panic.
    fn go_on<R>(&mut self, run: impl FnOnce() -> R) -> Result<R, Panic> {
        let _at = self.at_priority();
        let role = Role::Kept(Arc::<HeldTarget>::clone(&self.target));
        upcall::go_on(&role, &mut self.contexts, run)
    }

    /// Reports a panic of the servant and answers with what it costs the caller.
    #[cold]
    fn panicked(self, panic: Panic) {
        let object = || self.target.describe();
        let exception = upcall::panicked(self.peer(), &self, object, panic);
        self.system_exception(exception);
    }
}

impl Drop for DeferredRequest {
    fn drop(&mut self) {
        if let Some(reply) = self.reply.take() {
            if reply.is_reply_expected() {
                let (peer, object) = (reply.peer_name(), self.target.describe());
                tracing::warn!(
                    peer,
                    object,
                    "a servant has dropped a responder without an answer"
                );
            }
            reply.answer(&self.contexts.replied, |_| Err(dropped()));
        }
    }
}

impl<T, E> Responder<T, E> {
    /// Defers the answer to a request of an operation, which `write` writes.
    ///
    /// # Errors
    ///
    /// Those of [`ServerRequest::defer`].
    pub(crate) fn new(
        request: &mut ServerRequest<'_>,
        write: Write<T, E>,
    ) -> Result<Self, SystemException> {
        let request = request.defer()?;
        Ok(Self { request, write })
    }

    /// Answers with what the operation returns.
    pub fn reply(self, value: T) {
        self.answer(Ok(value));
    }

    /// Answers with an exception: one that the operation declares, or a system exception.
    pub fn raise(self, exception: impl Into<E>) {
        self.answer(Err(exception.into()));
    }

    /// Answers with a system exception.
    pub fn system_exception(self, exception: SystemException) {
        self.request.system_exception(exception);
    }

    /// Answers with an outcome.
    pub fn answer(self, outcome: Result<T, E>) {
        let Self { request, write } = self;
        request.answer(|request| write(request, outcome));
    }

    /// The request: its object, its client, its service contexts, and whether it has been
    /// cancelled.
    pub fn request(&self) -> &DeferredRequest {
        &self.request
    }

    /// The request, to add service contexts to its reply.
    pub fn request_mut(&mut self) -> &mut DeferredRequest {
        &mut self.request
    }

    /// Whether nobody waits for the answer any more: [`DeferredRequest::is_cancelled`].
    pub fn is_cancelled(&self) -> bool {
        self.request.is_cancelled()
    }
}

/// Returns the responder of a request of an operation, for its servant.
///
/// # Errors
///
/// Those of [`ServerRequest::defer`].
pub fn responder<T, E>(
    request: &mut ServerRequest<'_>,
    write: fn(&mut ServerRequest<'_>, Result<T, E>) -> Result<(), SystemException>,
) -> Result<Responder<T, E>, SystemException> {
    Responder::new(request, write)
}

#[cold]
fn dropped() -> SystemException {
    SystemException::new(
        SystemExceptionKind::Unknown,
        minor::RESPONDER_DROPPED,
        CompletionStatus::Maybe,
    )
}

impl fmt::Debug for DeferredRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredRequest")
            .field("operation", &self.operation().escape_ascii().to_string())
            .finish_non_exhaustive()
    }
}

impl<T, E> fmt::Debug for Responder<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}
