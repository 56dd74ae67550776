//! Interceptors of calls that are awaited: their points are run by the thread that polls.

use taut_cdr::Encoder;
use taut_giop::message::ResponseFlags;
use taut_giop::{Ior, SystemException};

use super::OwnedReply;
use super::body::Body;
use super::pursuit::{Operation, Sending};
use crate::connection::asynchronous::Awaits;
use crate::interceptors::{self, ClientCall, ClientEnding, ClientPoints, Extensions};
use crate::invoke::call_context::{KeptTerms, Terms, WatchedContexts};
use crate::invoke::failure;
use crate::object::{Binding, ObjectRef};
use crate::service_contexts::ServiceContextList;
use crate::settings::SyncScope;

/// The interceptors of a call.
#[derive(Default)]
pub(super) struct Interception {
    /// Those of the run under way, if there are any. A request that is sent elsewhere, or in
    /// another form, begins another run.
    points: Option<Box<ClientPoints>>,
    /// What interceptors keep from one run to the next.
    kept: Extensions,
}

/// The call that is intercepted.
pub(super) struct Intercepted<'p> {
    pub(super) object: &'p ObjectRef,
    pub(super) binding: Option<&'p Binding>,
    pub(super) operation: &'p Operation,
    pub(super) sending: Sending,
    pub(super) body: &'p Body,
}

/// The way on after interceptors have seen how a run has ended.
pub(super) enum Ended {
    /// The future is ready.
    Done(Result<OwnedReply, SystemException>),
    /// The request goes there.
    Forward(Box<Ior>),
    /// The request is sent again.
    Retry,
}

impl Interception {
    /// Begins a run, unless one is under way or nobody takes part.
    ///
    /// # Errors
    ///
    /// How it has ended, if an interceptor does not let it go on.
    pub(super) fn begin(&mut self, call: &Intercepted<'_>, terms: &KeptTerms) -> Result<(), Ended> {
        let registered = interceptors::of(call.object.core());
        let Some(registered) = registered.filter(|registered| registered.watches_client()) else {
            return Ok(());
        };
        if self.points.is_some() {
            return Ok(());
        }
        let sent = terms.get().of_user();
        let sent = sent.map_or_else(ServiceContextList::default, Clone::clone);
        let kept = &mut self.kept;
        let begun = call.described(|call| ClientPoints::begin(registered, call, sent, kept));
        match begun {
            Ok(points) => {
                self.points = Some(Box::new(points));
                Ok(())
            }
            Err(ending) => Err(Ended::of(ending, None)),
        }
    }

    /// The terms of the request of this run.
    pub(super) fn terms<'t>(&'t self, terms: &'t KeptTerms, object: &ObjectRef) -> Terms<'t> {
        let terms = terms.get();
        let registered = interceptors::of(object.core());
        match (&self.points, registered) {
            (Some(points), Some(registered)) => terms.with_watched(WatchedContexts {
                sent: points.sent(),
                replied: points.replied(),
                are_looked_into: registered.knows_types(),
            }),
            _ => terms,
        }
    }

    /// Tells the interceptors, if a run is under way, how it has ended.
    pub(super) fn end(&mut self, call: &Intercepted<'_>, ended: Ended) -> Ended {
        let Some(points) = self.points.take() else {
            return ended;
        };
        let (ending, reply) = match ended {
            Ended::Done(Ok(reply)) => match (reply.is_exception(), call.sending.response) {
                (true, _) => (ClientEnding::UserException, Some(reply)),
                (false, ResponseFlags::Expected) => (ClientEnding::Reply, Some(reply)),
                (false, _) => (ClientEnding::Sent, Some(reply)),
            },
            Ended::Done(Err(exception)) => (ClientEnding::SystemException(exception), None),
            Ended::Forward(target) => (ClientEnding::Forward(target), None),
            Ended::Retry => (ClientEnding::Retry, None),
        };
        let body = reply.as_ref().and_then(OwnedReply::decoder);
        let kept = &mut self.kept;
        let ending = call.described(|call| points.end(call, ending, body.as_ref(), kept));
        drop(body);
        Ended::of(ending, reply)
    }

    /// Tells the interceptors, if a run is under way, that the caller has let go of the call.
    pub(super) fn abandon(&mut self, call: &Intercepted<'_>) {
        if let Some(points) = self.points.take() {
            let kept = &mut self.kept;
            call.described(|call| points.end(call, ClientEnding::Abandoned, None, kept));
        }
    }
}

impl Intercepted<'_> {
    /// Runs `run` with the description that interceptors see.
    fn described<R>(&self, run: impl FnOnce(&ClientCall<'_>) -> R) -> R {
        let write = |out: &mut Encoder| self.body.write_again(out);
        let arguments: &dyn Fn(&mut Encoder) -> taut_cdr::Result<()> = &write;
        run(&ClientCall {
            object: self.object,
            forwarded: self.binding.and_then(Binding::forwarded_ior),
            profile: self.binding.map_or(0, Binding::preferred_profile),
            operation: self.operation.name(),
            response_expected: self.sending.response != ResponseFlags::None,
            sync_scope: match (self.sending.response, self.sending.awaits) {
                (ResponseFlags::Expected, _) => SyncScope::WithTarget,
                (ResponseFlags::SyncWithServer, _) => SyncScope::WithServer,
                (ResponseFlags::None, Awaits::Nothing) => SyncScope::None,
                (ResponseFlags::None, _) => SyncScope::WithTransport,
            },
            arguments: self.body.can_be_written_again().then_some(arguments),
        })
    }
}

impl Ended {
    /// The way on after this ending, of which the reply, if there is one, was the ground.
    fn of(ending: ClientEnding, reply: Option<OwnedReply>) -> Self {
        match (ending, reply) {
            (
                ClientEnding::Reply | ClientEnding::UserException | ClientEnding::Sent,
                Some(reply),
            ) => Self::Done(Ok(reply)),
            (ClientEnding::SystemException(exception), _) => Self::Done(Err(exception)),
            (ClientEnding::Forward(target), _) => Self::Forward(target),
            (ClientEnding::Retry, _) => Self::Retry,
            _ => Self::Done(Err(failure::internal())),
        }
    }
}
