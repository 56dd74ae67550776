//! The step behind the outcome of an attempt: another one, or the end of the call.

use std::sync::Arc;

use taut_giop::message::MessageHeader;
use taut_giop::{CompletionStatus, Ior, SystemException};

use super::OwnedReply;
use super::pursuit::{Pursuit, left_until};
use super::state::{Stage, Step};
use crate::connection::asynchronous::{AsyncConnection, Engine, Sent};
use crate::invoke::arguments::Arguments;
use crate::invoke::attempt::{Outcome, interpret, is_answer};
use crate::invoke::qos::came_too_early;
use crate::invoke::reply::ReplyBody;
use crate::invoke::request::Exchange;
use crate::invoke::{failure, is_dead_end_exception, is_stale_handle};
use crate::message::Message;
use crate::object::Binding;

impl Pursuit {
    /// Reads what has come in answer to the request.
    pub(super) fn read(
        &self,
        connection: &Arc<AsyncConnection>,
        sent: Sent,
        header: MessageHeader,
        message: &Message,
    ) -> Result<Outcome, SystemException> {
        let (called, own) = (self.operation.called(), self.terms.get());
        let watched = self.points.as_ref().map(|points| points.watch(&own));
        let terms = watched.as_ref().unwrap_or(&own);
        let exchange = Exchange::Request {
            operation: &called,
            response: self.sending.response,
            arguments: Arguments::whole(&|_| Ok(())),
        };
        if !is_answer(header.message_type, &exchange) {
            connection.refuse(header.message_type);
        }
        let found = self.progress.binding_and_route(&self.object);
        let (binding, route) = found.ok_or_else(failure::internal)?;
        let asked = (sent.request_id(), Some(terms));
        let outcome = interpret(route, &exchange, header, message, asked)?;
        let outcome = outcome.ok_or_else(failure::internal)??;
        self.progress.note_served(binding);
        Ok(outcome)
    }

    /// Goes on after an attempt.
    pub(super) fn settle(
        &mut self,
        engine: &Arc<Engine>,
        outcome: Result<Outcome, SystemException>,
        message: Message,
    ) -> Step {
        let (outcome, is_final) = self.end_points(outcome, &message);
        let held = self.progress.binding.as_ref();
        let Some(binding) = held.and_then(|held| held.get(&self.object)) else {
            return Step::Done(outcome.and_then(|_| Err(failure::internal())));
        };
        match outcome {
            Ok(Outcome::Forward(target)) => match self.redirections.follow_one_of(binding) {
                Ok(()) => self.follow(engine, target),
                Err(exception) => Step::Done(Err(exception)),
            },
            Ok(Outcome::Readdress(mode)) => {
                if let Err(exception) = self.redirections.follow_one_of(binding) {
                    return Step::Done(Err(exception));
                }
                if !binding.set_addressing(mode, self.object.ior()) {
                    let (_, route) = binding.preferred();
                    let fault = "it asks for the target in a form that the reference has not";
                    let (peer, completed) = (route.endpoint.address(), CompletionStatus::No);
                    return Step::Done(Err(failure::protocol_error(peer, fault, completed)));
                }
                self.begin_attempt(engine)
            }
            Ok(outcome) => self.conclude(outcome, message),
            // The object has another interface than when the reference was made: it is
            // called by name.
            Err(exception)
                if !is_final && is_stale_handle(&exception) && binding.retire_handles() =>
            {
                self.begin_attempt(engine)
            }
            Err(exception)
                if !is_final
                    && binding.forwarded
                    && !self.progress.fell_back
                    && is_dead_end_exception(&exception)
                    && self.terms.qos().may_go_back(&self.object) =>
            {
                // Where we were sent to nobody is any more: ask the original reference
                // again, once.
                self.progress.fell_back = true;
                self.progress.given_up = Some(failure::at_forward(exception));
                self.object.binding().forget_forward();
                self.stage = Stage::Bind;
                Step::Next
            }
            Err(last) => {
                let last = match binding.forwarded {
                    true => failure::at_forward(last),
                    false => last,
                };
                Step::Done(Err(match self.progress.given_up.take() {
                    Some(earlier) => failure::after(&earlier, last),
                    None => last,
                }))
            }
        }
    }

    /// Goes on where a server has sent the call.
    fn follow(&mut self, engine: &Arc<Engine>, target: Box<Ior>) -> Step {
        let (object, qos) = (self.object.clone(), self.terms.qos().clone());
        let from = self.progress.binding.clone();
        self.have_bound(engine, move || {
            let strategy = object.wait_strategy();
            let there = Binding::forwarded(object.core(), target, strategy, None)?;
            if let Some(from) = from.as_ref().and_then(|held| held.get(&object)) {
                qos.check_rebinding(&object, from, &there)?;
            }
            object.binding().forward(there);
            Ok(())
        })
    }

    /// Ends a call that has not failed.
    fn conclude(&mut self, outcome: Outcome, message: Message) -> Step {
        self.object.binding().note_bound();
        let core = self.object.core();
        let Outcome::Reply(body) = outcome else {
            return Step::Done(Ok(OwnedReply::new(
                core,
                Message::none(),
                ReplyBody::none(),
            )));
        };
        let reply = OwnedReply::new(core, message, body);
        match self.terms.qos().deliver_from() {
            None => Step::Done(Ok(reply)),
            Some(start) => {
                self.stage = Stage::Deliver(start, Box::new(reply));
                Step::Next
            }
        }
    }

    /// Gives the reply to the caller, if its time has come.
    pub(super) fn deliver(&mut self) -> Step {
        let Stage::Deliver(start, _) = self.stage else {
            return Step::Done(Err(failure::internal()));
        };
        match left_until(start) {
            Some(at) if self.terms.get().until().is_some_and(|by| by < at) => {
                Step::Done(Err(came_too_early()))
            }
            Some(at) => Step::Until(at),
            None => match std::mem::replace(&mut self.stage, Stage::Bind) {
                Stage::Deliver(_, reply) => Step::Done(Ok(*reply)),
                _ => Step::Done(Err(failure::internal())),
            },
        }
    }
}
