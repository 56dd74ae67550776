//! The interceptors of a call that is awaited.
//!
//! Their points run in the thread that polls; the first when a request is about to be sent,
//! the others when its outcome is known. For a call that is given up by dropping its future,
//! the thread that drops it runs them.

use std::mem;
use std::sync::Arc;

use taut_cdr::Encoder;
use taut_giop::SystemException;
use taut_giop::message::ResponseFlags;

use super::pursuit::Pursuit;
use crate::interceptors::{self, ClientCall, ClientEnding, ClientPoints};
use crate::invoke::attempt::Outcome;
use crate::invoke::call_context::{Terms, WatchedContexts};
use crate::invoke::intercepted::{Attempted, Rest, split, sync_scope};
use crate::message::Message;
use crate::service_contexts::ServiceContextList;

/// The interceptors that take part in an attempt.
pub(super) struct Points {
    points: ClientPoints,
    are_looked_into: bool,
}

impl Points {
    /// The terms of a request whose contexts the interceptors have seen.
    pub(super) fn watch<'w>(&'w self, terms: &Terms<'w>) -> Terms<'w> {
        terms.with_watched(WatchedContexts {
            sent: self.points.sent(),
            replied: self.points.replied(),
            are_looked_into: self.are_looked_into,
        })
    }
}

impl Pursuit {
    /// Runs the points before a request is sent. Returns the outcome if there is one already.
    pub(super) fn begin_points(&mut self) -> Option<Result<Outcome, SystemException>> {
        let registered = interceptors::of(self.object.core());
        let registered = registered.filter(|registered| registered.watches_client())?;
        let registered = Arc::clone(registered);
        let terms = self.terms.get();
        let sent = terms
            .of_user()
            .map_or_else(ServiceContextList::default, Clone::clone);
        let are_looked_into = registered.knows_types();
        let mut kept = mem::take(&mut self.kept);
        let begin = |call: &ClientCall<'_>| ClientPoints::begin(&registered, call, sent, &mut kept);
        let began = self.with_call(begin);
        self.kept = kept;
        let began = began?;
        match began {
            Ok(points) => {
                self.points = Some(Points {
                    points,
                    are_looked_into,
                });
                None
            }
            Err(ending) => Some(Rest::None.outcome(ending).0),
        }
    }

    /// Runs the points behind a request, which may change its outcome.
    pub(super) fn end_points(
        &mut self,
        outcome: Result<Outcome, SystemException>,
        message: &Message,
    ) -> Attempted {
        let Some(Points { points, .. }) = self.points.take() else {
            return (outcome, false);
        };
        let held = self.progress.binding.as_ref();
        let binding = held.and_then(|held| held.get(&self.object));
        let may_fall_back =
            binding.is_some_and(|binding| binding.forwarded) && !self.progress.fell_back;
        let (ending, rest) = split(outcome, may_fall_back);
        let body = match &rest {
            Rest::Reply(body) => body.decoder(message, self.object.core()),
            _ => None,
        };
        let mut kept = mem::take(&mut self.kept);
        let end = |call: &ClientCall<'_>| points.end(call, ending, body.as_ref(), &mut kept);
        let ended = self.with_call(end);
        self.kept = kept;
        match ended {
            Some(ending) => rest.outcome(ending),
            None => (Err(crate::invoke::failure::internal()), true),
        }
    }

    /// Runs the points before the reply is polled for, if the request is under way.
    ///
    /// # Errors
    ///
    /// That of the first interceptor that raises one.
    pub(super) fn poll_points(&mut self) -> Result<(), SystemException> {
        let Some(mut taken) = self.points.take() else {
            return Ok(());
        };
        let polled = self.with_call(|call| taken.points.poll(call));
        self.points = Some(taken);
        polled.unwrap_or(Ok(()))
    }

    /// Tells interceptors that a call is given up.
    pub(super) fn abandon_points(&mut self) {
        if let Some(Points { points, .. }) = self.points.take() {
            let mut kept = mem::take(&mut self.kept);
            let ending = ClientEnding::Abandoned;
            self.with_call(|call| points.end(call, ending, None, &mut kept));
        }
    }

    /// Runs something with the call as interceptors see it.
    fn with_call<R>(&self, run: impl FnOnce(&ClientCall<'_>) -> R) -> Option<R> {
        let held = self.progress.binding.as_ref()?;
        let binding = held.get(&self.object)?;
        let octets = self.body.octets().unwrap_or_default();
        let write = |out: &mut Encoder| {
            out.write_bytes(octets);
            Ok(())
        };
        let response = self.sending.response;
        Some(run(&ClientCall {
            object: &self.object,
            forwarded: binding.forwarded_ior(),
            profile: binding.preferred_profile(),
            operation: self.operation.name(),
            response_expected: response != ResponseFlags::None,
            sync_scope: sync_scope(response),
            arguments: Some(&write),
        }))
    }
}
