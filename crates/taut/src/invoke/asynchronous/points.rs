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
use crate::interceptors::{self, ClientCall};
use crate::invoke::attempt::Outcome;
use crate::invoke::failure;
use crate::invoke::intercepted::{Attempted, Points, sync_scope};
use crate::message::Message;

impl Pursuit {
    /// Runs the points before a request is sent. Returns the outcome if there is one already.
    pub(super) fn begin_points(&mut self) -> Option<Result<Outcome, SystemException>> {
        let registered = interceptors::of(self.object.core());
        let registered = registered.filter(|registered| registered.watches_client())?;
        let registered = Arc::clone(registered);
        let slots = self.slots.clone();
        let terms = self.terms.get();
        let mut kept = mem::take(&mut self.kept);
        let begun =
            self.with_call(|call| Points::begin(&registered, call, (&terms, slots), &mut kept));
        drop(terms);
        self.kept = kept;
        match begun? {
            Ok(points) => {
                self.points = Some(points);
                None
            }
            Err((outcome, _)) => Some(outcome),
        }
    }

    /// Runs the points behind a request, which may change its outcome.
    pub(super) fn end_points(
        &mut self,
        outcome: Result<Outcome, SystemException>,
        message: &Message,
    ) -> Attempted {
        let Some(points) = self.points.take() else {
            return (outcome, false);
        };
        let held = self.progress.binding.as_ref();
        let binding = held.and_then(|held| held.get(&self.object));
        let may_fall_back =
            binding.is_some_and(|binding| binding.forwarded) && !self.progress.fell_back;
        let mut kept = mem::take(&mut self.kept);
        let of = (message, may_fall_back);
        let ended = self.with_call(|call| points.end(call, outcome, of, &mut kept));
        self.kept = kept;
        ended.unwrap_or_else(|| (Err(failure::internal()), true))
    }

    /// Runs the points before the reply is polled for, if the request is under way.
    ///
    /// # Errors
    ///
    /// That of the first interceptor that raises one.
    pub(super) fn poll_points(&mut self) -> Result<(), SystemException> {
        let Some(mut points) = self.points.take() else {
            return Ok(());
        };
        let polled = self.with_call(|call| points.poll(call));
        self.points = Some(points);
        polled.unwrap_or(Ok(()))
    }

    /// Tells interceptors that a call is given up.
    pub(super) fn abandon_points(&mut self) {
        if let Some(points) = self.points.take() {
            let mut kept = mem::take(&mut self.kept);
            self.with_call(|call| points.abandon(call, &mut kept));
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
