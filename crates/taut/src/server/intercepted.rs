//! Requests in which interceptors take part.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scoped_tls::scoped_thread_local;
use taut_cdr::{Decoder, Result as CdrResult};
use taut_giop::message::ReplyStatus;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};
use taut_sync::lock::Mutex;

use super::request::ReplyWriter;
use super::{AroundServant, Disposition, ObjectAdapter, SentPriority, ServerRequest};
use crate::core::OrbCore;
use crate::interceptors::{self, Answer, Arrived, ServerEnding, ServerPoints};
use crate::object::ServedObject;
use crate::service_contexts::ServiceContextList;
use crate::settings::SyncScope;
use crate::upcall::Panic;
use crate::upcall::contexts;

/// Dispatches a request, which is an up-call already, and runs the interception points.
/// `panicked` reports a panic of the servant.
///
/// # Errors
///
/// The system exception that the caller gets.
pub(super) fn dispatch<A: ObjectAdapter>(
    core: &Arc<OrbCore>,
    adapter: &A,
    (object_key, sent): (&[u8], SentPriority),
    request: &mut ServerRequest<'_>,
    panicked: impl FnOnce(&ServerRequest<'_>, Panic) -> SystemException,
) -> Result<Disposition, SystemException> {
    let Some(registered) = interceptors::of(core) else {
        // The ORB is being made.
        return adapter.dispatch_with(object_key, request, sent);
    };
    // Interceptors run at the request's priority, as the servant does.
    let (_at, sent) = match core.priorities.is_real_time() {
        true => adapter.begin_priority(object_key, sent)?,
        false => (None, sent),
    };
    let response_expected = request.is_reply_expected();
    let arrived = Arrived {
        operation: request.operation(),
        response_expected,
        sync_scope: match response_expected {
            true => SyncScope::WithTarget,
            false if contexts::is_acknowledged() => SyncScope::WithServer,
            false => SyncScope::WithTransport,
        },
        contexts: contexts::received(Clone::clone),
    };
    let arguments = request.input();
    let mut points = ServerPoints::new(registered, core, arrived);
    let received = with_reply(&mut points, ServerPoints::receive_service_contexts);
    let carried = Arc::new(Carried::new(points));
    let ending = match received {
        Err(ending) => ending,
        Ok(()) => {
            let mut around = Around {
                carried: &carried,
                arguments: &arguments,
                ended: None,
            };
            let dispatched = catch_unwind(AssertUnwindSafe(|| {
                adapter.dispatch_around(object_key, request, sent, &mut around)
            }));
            let ended = around.ended.take();
            let outcome = dispatched.unwrap_or_else(|panic| Err(panicked(request, panic)));
            if carried.is_deferred.load(Ordering::Acquire) {
                return Ok(Disposition::Done);
            }
            ended.unwrap_or_else(|| ending(outcome, request))
        }
    };
    let Some(mut points) = carried.take() else {
        return Err(SystemException::new(
            SystemExceptionKind::Internal,
            0,
            CompletionStatus::Maybe,
        ));
    };
    let answer = request.reply_so_far().map(|reply| reply as &dyn Answer);
    disposition(with_reply(&mut points, |points| {
        points.end(ending, Some(&arguments), answer)
    }))
}

/// The outcome of a request that has ended so.
fn disposition(ending: ServerEnding) -> Result<Disposition, SystemException> {
    match ending {
        ServerEnding::Reply | ServerEnding::UserException => Ok(Disposition::Done),
        ServerEnding::SystemException(exception) => Err(exception),
        ServerEnding::Forward(target) => Ok(Disposition::Forward(target)),
        ServerEnding::Retry => Ok(Disposition::Readdress),
    }
}

/// The points of a request while its servant runs, and beyond that if its reply is deferred.
#[derive(Debug)]
pub(super) struct Carried {
    points: Mutex<Option<ServerPoints>>,
    is_deferred: AtomicBool,
}

impl Carried {
    fn new(points: ServerPoints) -> Self {
        Self {
            points: Mutex::new(Some(points)),
            is_deferred: AtomicBool::new(false),
        }
    }

    /// The points, for the one who ends the request.
    fn take(&self) -> Option<ServerPoints> {
        self.points.lock().take()
    }

    /// Ends a request whose reply was deferred, and which `request` answers with this outcome
    /// and these service contexts. Returns what interceptors make of both.
    pub(super) fn end(
        &self,
        request: &ServerRequest<'_>,
        outcome: Result<Disposition, SystemException>,
        contexts: &ServiceContextList,
    ) -> (Result<Disposition, SystemException>, ServiceContextList) {
        let Some(mut points) = self.take() else {
            return (outcome, contexts.clone());
        };
        points.replied().clone_from(contexts);
        let answer = request.reply_so_far().map(|reply| reply as &dyn Answer);
        let ended = points.end(ending(outcome, request), None, answer);
        (disposition(ended), std::mem::take(points.replied()))
    }

    /// Ends a request to which no reply is sent, unless it has ended.
    pub(super) fn end_unanswered(&self) {
        if let Some(mut points) = self.take() {
            points.end(ServerEnding::Reply, None, None);
        }
    }
}

/// A request whose servant the calling thread runs.
struct Running {
    /// Its place in memory, which tells it from others within it.
    request: usize,
    carried: Arc<Carried>,
}

scoped_thread_local!(static RUNNING: Running);

fn address(request: &ServerRequest<'_>) -> usize {
    std::ptr::from_ref(request).addr()
}

/// Returns the points of a request whose reply is deferred from here on, if interceptors take
/// part in it.
pub(super) fn defer(request: &ServerRequest<'_>) -> Option<Arc<Carried>> {
    let is_it = |running: &Running| running.request == address(request);
    if !RUNNING.is_set() || !RUNNING.with(is_it) {
        return None;
    }
    let carried = RUNNING.with(|running| Arc::clone(&running.carried));
    carried.is_deferred.store(true, Ordering::Release);
    Some(carried)
}

/// Runs points with the service contexts that the reply has so far, and leaves what it has
/// then.
fn with_reply<R>(points: &mut ServerPoints, run: impl FnOnce(&mut ServerPoints) -> R) -> R {
    *points.replied() = contexts::take_replied();
    let result = run(points);
    let replied = std::mem::take(points.replied());
    if !replied.is_empty() {
        contexts::with_reply(|list| *list = replied);
    }
    result
}

/// How a request has ended that was dispatched so.
fn ending(
    outcome: Result<Disposition, SystemException>,
    request: &ServerRequest<'_>,
) -> ServerEnding {
    match outcome {
        Ok(Disposition::Done) => match request.reply_so_far().map(ReplyWriter::status) {
            Some(ReplyStatus::UserException) => ServerEnding::UserException,
            _ => ServerEnding::Reply,
        },
        Ok(Disposition::Forward(target)) => ServerEnding::Forward(target),
        Ok(Disposition::Readdress) => ServerEnding::Retry,
        Err(exception) => ServerEnding::SystemException(exception),
    }
}

/// The points around a servant.
struct Around<'a> {
    carried: &'a Arc<Carried>,
    arguments: &'a Decoder<'a>,
    /// How the request has ended, if an interceptor has not let it go on.
    ended: Option<ServerEnding>,
}

impl AroundServant for Around<'_> {
    fn around(
        &mut self,
        target: Box<dyn ServedObject>,
        request: &mut ServerRequest<'_>,
        run: &mut dyn FnMut(&mut ServerRequest<'_>) -> Result<(), SystemException>,
    ) -> Result<(), SystemException> {
        let arguments = self.arguments;
        let mut points = self.carried.points.lock().take();
        let received = points.as_mut().map_or(Ok(()), |points| {
            with_reply(points, |points| {
                points.receive_request(target, Some(arguments))
            })
        });
        let slots = points.as_ref().map(ServerPoints::slots);
        *self.carried.points.lock() = points;
        match received {
            Ok(()) => {
                let running = Running {
                    request: address(request),
                    carried: Arc::clone(self.carried),
                };
                let mut run = || RUNNING.set(&running, || run(request));
                let Some(slots) = slots else {
                    return run();
                };
                let (outcome, slots) = slots.within(run);
                if let Some(points) = &mut *self.carried.points.lock() {
                    points.set_slots(slots);
                }
                outcome
            }
            Err(ended) => {
                self.ended = Some(ended);
                // Nobody gets it.
                let (kind, completed) = (SystemExceptionKind::Transient, CompletionStatus::No);
                Err(SystemException::new(kind, 0, completed))
            }
        }
    }
}

impl Answer for ReplyWriter<'_> {
    fn read(
        &self,
        read: &mut dyn FnMut(&mut Decoder<'_>) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        self.read_body(read)
            .map_err(|error| SystemException::from_cdr(&error, CompletionStatus::Yes))
    }
}
