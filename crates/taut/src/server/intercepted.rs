//! Requests in which interceptors take part.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use taut_cdr::{Decoder, Result as CdrResult};
use taut_giop::message::ReplyStatus;
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use super::request::ReplyWriter;
use super::{AroundServant, Disposition, ObjectAdapter, ServerRequest};
use crate::core::OrbCore;
use crate::interceptors::{self, Answer, Arrived, ServerEnding, ServerPoints};
use crate::object::ServedObject;
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
    object_key: &[u8],
    request: &mut ServerRequest<'_>,
    panicked: impl FnOnce(&ServerRequest<'_>, Panic) -> SystemException,
) -> Result<Disposition, SystemException> {
    let Some(registered) = interceptors::of(core) else {
        // The ORB is being made.
        return adapter.dispatch(object_key, request);
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
    let ending = match with_reply(&mut points, ServerPoints::receive_service_contexts) {
        Err(ending) => ending,
        Ok(()) => {
            let mut around = Around {
                points: &mut points,
                arguments: &arguments,
                ended: None,
            };
            let dispatched = catch_unwind(AssertUnwindSafe(|| {
                adapter.dispatch_around(object_key, request, &mut around)
            }));
            let ended = around.ended.take();
            let outcome = dispatched.unwrap_or_else(|panic| Err(panicked(request, panic)));
            ended.unwrap_or_else(|| ending(outcome, request))
        }
    };
    let ending = {
        let answer = request.reply_so_far().map(|reply| reply as &dyn Answer);
        with_reply(&mut points, |points| {
            points.end(ending, Some(&arguments), answer)
        })
    };
    match ending {
        ServerEnding::Reply | ServerEnding::UserException => Ok(Disposition::Done),
        ServerEnding::SystemException(exception) => Err(exception),
        ServerEnding::Forward(target) => Ok(Disposition::Forward(target)),
        ServerEnding::Retry => Ok(Disposition::Readdress),
    }
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
    points: &'a mut ServerPoints,
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
        let received = with_reply(self.points, |points| {
            points.receive_request(target, Some(arguments))
        });
        match received {
            Ok(()) => self.points.within(|| run(request)),
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
