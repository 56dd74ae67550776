//! Requests that are answered later than their up-call ends, by any thread.
//!
//! Such a request is counted by the [`Duty`](super::duty::Duty) of its connection as one whose
//! thread has been relieved, from when it is deferred to when its answer has been sent. So all
//! that waits for requests under way waits for it too: a goodbye, the end of the server. Its
//! connection is read by the reactor, if it was not before: the answer and others must not mix,
//! and nobody may wait for a client that does not take it.

#[cfg_attr(not(feature = "full"), path = "deferral/local_absent.rs")]
mod local;
mod table;

use std::fmt::{self, Debug};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use taut_cdr::{ByteOrder, Decoder, Encoder, Result as CdrResult};
use taut_giop::message::MessageType;
use taut_giop::{CompletionStatus, LimitReached, SystemException, SystemExceptionKind, minor};

use super::duty::{MAX_APART, Rest};
use super::intercepted::{self, Carried};
use super::peer::Peer;
use super::peer_in_service::{self, InService};
use super::registry::Registry;
use super::request::{ReplyAddress, ReplyWriter};
use super::request_in_progress::conclude_with;
use super::{Disposition, ServerRequest};
use crate::buffer_pool;
use crate::core::OrbCore;
use crate::counters;
use crate::messaging::Messaging;
use crate::service_contexts::ServiceContextList;
use crate::transport::Source;
use crate::upcall;

pub(super) use local::{Given, LocalReply};
pub(super) use table::Deferrals;

/// The part of a server that serves a connection.
pub(super) trait ConnectionHome: Debug + Send + Sync {
    /// Has the reactor read a connection from here on whose own thread is in an up-call; the
    /// peer is reactive then.
    ///
    /// # Errors
    ///
    /// The operating system's error where there is no reactor.
    fn hand_over(&self, served: &InService, registry_id: u64) -> io::Result<()>;

    /// The connections of the server.
    fn registry(&self) -> &Registry;

    /// The number of the thread pool that serves the connection, if one does.
    fn pool(&self) -> Option<u32>;
}

/// Where a connection is served, and its number there.
#[derive(Debug)]
pub(super) struct Home {
    pub(super) lane: Weak<dyn ConnectionHome>,
    pub(super) registry_id: u64,
}

/// The reply to a request whose up-call may end before it is made.
///
/// The request is under way as long as this is there.
pub(crate) struct DeferredReply {
    /// None for a request of this process.
    connection: Option<Connection>,
    /// The caller of this process who waits for the reply.
    local: Option<Arc<LocalReply>>,
    core: Arc<OrbCore>,
    operation: Box<[u8]>,
    /// None where no reply is expected, or it has been sent.
    address: Option<ReplyAddress>,
    is_cancelled: Arc<AtomicBool>,
    /// The points of interceptors that run when it is answered, if there are some.
    carried: Option<Arc<Carried>>,
}

/// The connection that a deferred request came over.
struct Connection {
    peer: Arc<Peer>,
    home: Arc<dyn ConnectionHome>,
}

impl DeferredReply {
    /// Defers the reply to a request, which the calling thread carries out.
    ///
    /// # Errors
    ///
    /// TRANSIENT with [`minor::DEFERRED_REQUEST_LIMIT`] when as many are deferred as may be;
    /// NO_RESOURCES with [`minor::NO_THREAD`] without a reactor for the connection;
    /// BAD_INV_ORDER in a thread that carries out no request. The request can still be answered
    /// at once.
    pub(crate) fn begin(request: &mut ServerRequest<'_>) -> Result<Self, SystemException> {
        if let Some(deferred) = Self::begin_locally(request) {
            return Ok(deferred);
        }
        let (Some(served), Some(core)) = (peer_in_service::current(), request.core()) else {
            return Err(no_request());
        };
        let peer = &served.peer;
        let Some((home, registry_id)) = peer.home().and_then(|home| {
            let lane = home.lane.upgrade()?;
            Some((lane, home.registry_id))
        }) else {
            return Err(no_request());
        };
        let core = Arc::clone(core);
        let settings = &core.settings.server;
        let limit = settings.max_deferred_requests_per_connection;
        let (deferrals, request_id) = (peer.open_deferrals(), request.request_id());
        let is_cancelled = deferrals
            .begin(request_id, limit)
            .ok_or_else(|| too_many("server.max_deferred_requests_per_connection", limit))?;
        let limit = settings.max_deferred_requests;
        if !home.registry().admit_deferral(limit) {
            deferrals.end(request_id);
            return Err(too_many("server.max_deferred_requests", limit));
        }
        if !peer.duty().defer() {
            deferrals.end(request_id);
            home.registry().end_deferral();
            let setting = "server.max_deferred_requests_per_connection";
            return Err(too_many(setting, MAX_APART));
        }
        // From here on what ends when it is dropped.
        let mut deferred = Self {
            operation: request.operation().into(),
            connection: Some(Connection {
                peer: Arc::clone(peer),
                home: Arc::clone(&home),
            }),
            local: None,
            core,
            address: None,
            is_cancelled,
            carried: None,
        };
        if !peer.is_reactive()
            && let Err(error) = home.hand_over(&served, registry_id)
        {
            deferrals.release(request_id);
            return Err(no_reactor(&error));
        }
        peer.wait_until_reactive();
        deferred.carried = intercepted::defer(request);
        deferred.address = request.take_reply(peer.messaging());
        if let Some(request_id) = request_id {
            served.leave_reply(request_id);
        }
        Ok(deferred)
    }

    /// The same for a request of this process whose arguments are marshaled; none if this is
    /// no such one.
    fn begin_locally(request: &mut ServerRequest<'_>) -> Option<Self> {
        let (local, messaging) = LocalReply::defer(request)?;
        let core = Arc::clone(request.core()?);
        Some(Self {
            operation: request.operation().into(),
            connection: None,
            local: Some(local),
            core,
            carried: intercepted::defer(request),
            address: request.take_reply(messaging),
            is_cancelled: Arc::default(),
        })
    }

    /// Whether the client waits for a reply.
    pub(crate) fn is_reply_expected(&self) -> bool {
        self.address.is_some()
    }

    /// Whether nobody waits for the reply any more: the client has cancelled the request, or
    /// its connection has ended.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire) || self.is_over()
    }

    /// Whether the connection has ended.
    fn is_over(&self) -> bool {
        let connection = self.connection.as_ref();
        connection.is_some_and(|connection| connection.peer.duty().is_over())
    }

    /// The name of the client, as events give it.
    pub(crate) fn peer_name(&self) -> &str {
        let connection = self.connection.as_ref();
        connection.map_or(upcall::THIS_PROCESS, |connection| connection.peer.name())
    }

    /// Where the client is; none in this process.
    pub(crate) fn source(&self) -> Option<Source> {
        self.connection.as_ref()?.peer.source()
    }

    /// The operation's name on the wire.
    pub(crate) fn operation(&self) -> &[u8] {
        &self.operation
    }

    /// Answers the request with what `write` writes or returns, behind these contexts.
    pub(crate) fn answer(
        mut self,
        contexts: &ServiceContextList,
        write: impl FnOnce(&mut ServerRequest<'_>) -> Result<(), SystemException>,
    ) {
        let Some(address) = self.address else {
            // The outcome of a oneway is nobody's business.
            return drop(write);
        };
        if self.is_over() {
            counters::server::unclaimed();
            return drop(write);
        }
        let mut out = Encoder::with_buffer(buffer_pool::take(), address.order);
        match self.local.take() {
            Some(local) => {
                let mut given = Given::default();
                let outcome = self.write(
                    address,
                    &mut out,
                    contexts,
                    write,
                    |reply, outcome, contexts| {
                        given.contexts.clone_from(contexts);
                        let outcome = outcome?;
                        reply
                            .finish(Messaging::of_version(address.version))
                            .map_err(|error| {
                                SystemException::from_cdr(&error, CompletionStatus::Yes)
                            })?;
                        Ok(outcome)
                    },
                );
                given.outcome = outcome.unwrap_or(Ok(Disposition::Done));
                given.octets = [out.as_bytes(), out.tail()].concat();
                local.complete(given);
            }
            None => {
                let messaging = Messaging::of_version(address.version);
                let written = self.write(
                    address,
                    &mut out,
                    contexts,
                    write,
                    |reply, outcome, contexts| conclude_with(messaging, reply, outcome, contexts),
                );
                // Before the reply: behind it the client may use the id again.
                self.release(address.request_id);
                self.send(address, written.unwrap_or(Ok(())), &out);
            }
        }
        buffer_pool::give(out.into_buffer());
    }

    /// Has `write` write the reply, and `conclude` end it.
    fn write<R>(
        &self,
        address: ReplyAddress,
        out: &mut Encoder,
        contexts: &ServiceContextList,
        write: impl FnOnce(&mut ServerRequest<'_>) -> Result<(), SystemException>,
        conclude: impl FnOnce(
            ReplyWriter<'_>,
            Result<Disposition, SystemException>,
            &ServiceContextList,
        ) -> R,
    ) -> Option<R> {
        let messaging = Messaging::of_version(address.version);
        let answered = (address.version, address.request_id);
        let reply = ReplyWriter::begin(messaging, answered, address.characters, out);
        let input = Decoder::new(&[], ByteOrder::NATIVE).with_context(Some(&self.core));
        let mut request = ServerRequest::new(&self.operation, input, Some(reply));
        let outcome = catch_unwind(AssertUnwindSafe(|| write(&mut request)));
        let outcome = outcome.unwrap_or_else(|panic| {
            let object = || "a deferred request".to_owned();
            Err(upcall::panicked(self.peer_name(), &request, object, panic))
        });
        let outcome = outcome.map(|()| Disposition::Done);
        let changed;
        let (outcome, contexts) = match &self.carried {
            Some(carried) => {
                let (outcome, contexts) = carried.end(&request, outcome, contexts);
                changed = contexts;
                (outcome, &changed)
            }
            None => (outcome, contexts),
        };
        let reply = request.into_reply()?;
        Some(conclude(reply, outcome, contexts))
    }

    fn send(&self, address: ReplyAddress, written: CdrResult<()>, out: &Encoder) {
        let Some(Connection { peer, .. }) = &self.connection else {
            return;
        };
        match written {
            Ok(()) => {
                let octets = out.len() + out.tail().len();
                peer.tally().note_reply_apart(octets);
                if peer.send_written(out).is_err() {
                    counters::server::unclaimed();
                }
            }
            Err(_) => {
                let message_type = MessageType::MessageError;
                peer.send_bodyless(address.version, message_type);
                peer.close();
            }
        }
    }

    /// Forgets the id of the request.
    fn release(&mut self, request_id: u32) {
        self.address = None;
        if let Some(Connection { peer, .. }) = &self.connection {
            peer.open_deferrals().release(Some(request_id));
        }
    }
}

impl Drop for DeferredReply {
    fn drop(&mut self) {
        if let Some(carried) = &self.carried {
            carried.end_unanswered();
        }
        let Some(Connection { peer, home }) = &self.connection else {
            return;
        };
        let request_id = self.address.map(|address| address.request_id);
        if let Some(deferrals) = peer.deferrals() {
            deferrals.end(request_id);
        }
        let registry = home.registry();
        registry.end_deferral();
        match peer.duty().sent_apart() {
            Rest::Nothing => {}
            Rest::Goodbye => peer.say_goodbye(),
            Rest::Forget => {
                if let Some(home) = peer.home() {
                    registry.leave(home.registry_id);
                }
            }
        }
        // The end of a server waits for that.
        if peer.duty().is_closing() {
            registry.notify();
        }
    }
}

impl Debug for DeferredReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredReply")
            .field("operation", &self.operation.escape_ascii().to_string())
            .field("peer", &self.peer_name())
            .finish_non_exhaustive()
    }
}

/// Notes that a client has cancelled a request, if that is deferred.
pub(super) fn cancel(peer: &Peer, request_id: u32) {
    if let Some(deferrals) = peer.deferrals() {
        deferrals.cancel(request_id);
    }
}

#[cold]
fn too_many(setting: &'static str, limit: usize) -> SystemException {
    let (kind, minor) = (
        SystemExceptionKind::Transient,
        minor::DEFERRED_REQUEST_LIMIT,
    );
    let mut exception = SystemException::new(kind, minor, CompletionStatus::No);
    exception.report_mut().limit = Some(LimitReached {
        setting,
        value: limit.try_into().unwrap_or(u64::MAX),
        unit: "",
    });
    tracing::debug!(setting, limit, "refused to defer a request");
    exception
}

#[cold]
fn no_reactor(error: &io::Error) -> SystemException {
    tracing::warn!(%error, "no reactor for a connection whose request is to be answered later");
    let (kind, minor) = (SystemExceptionKind::NoResources, minor::NO_THREAD);
    SystemException::new(kind, minor, CompletionStatus::No).because(error.to_string())
}

/// BAD_INV_ORDER: the thread carries out no request of a server.
#[cold]
fn no_request() -> SystemException {
    SystemException::new(SystemExceptionKind::BadInvOrder, 0, CompletionStatus::No)
}
