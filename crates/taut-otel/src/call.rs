//! The span and the duration of one call.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use opentelemetry::trace::{Link, SpanBuilder, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use taut::SystemException;

use crate::conventions as name;
use crate::instruments::Instruments;
use crate::telemetry::Shared;

/// A side of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

/// The outcome of a call.
#[derive(Debug)]
pub(crate) enum Outcome<'e> {
    /// Results, or what comes back from a oneway: nothing.
    Success,
    /// A user exception with this repository id.
    UserException(Cow<'e, str>),
    SystemException(&'e SystemException),
    /// The caller is sent elsewhere.
    Forward,
    /// The caller has let go of the call.
    Cancelled,
    /// The call has ended where another attempt should have begun.
    GivenUp,
}

/// A call under way. One that is dropped has been cancelled.
#[derive(Debug)]
pub(crate) struct Call {
    shared: Arc<Shared>,
    side: Side,
    /// The context that has the span.
    context: Context,
    method: String,
    begun: Instant,
    attempts: i64,
    /// Whether an attempt has ended, and another is to follow.
    is_between: bool,
    has_ended: bool,
}

impl Call {
    /// Begins the span of a call.
    pub(crate) fn begin(
        shared: &Arc<Shared>,
        side: Side,
        parent: &Context,
        method: String,
        mut attributes: Vec<KeyValue>,
    ) -> Self {
        attributes.extend([
            KeyValue::new(name::RPC_SYSTEM_NAME, name::CORBA),
            KeyValue::new(name::RPC_SYSTEM, name::CORBA),
        ]);
        if side == Side::Client {
            attributes.push(KeyValue::new(name::RPC_METHOD, method.clone()));
        }
        let kind = match side {
            Side::Client => SpanKind::Client,
            Side::Server => SpanKind::Server,
        };
        let builder = SpanBuilder::from_name(method.clone());
        let builder = builder.with_kind(kind).with_attributes(attributes);
        let is_strange = side == Side::Server && !shared.trusts_callers;
        let context = match is_strange {
            false => parent.with_span(shared.tracer.build_with_context(builder, parent)),
            true => {
                let caller = parent.span().span_context().clone();
                let links = match caller.is_valid() {
                    true => vec![Link::with_context(caller)],
                    false => Vec::new(),
                };
                let root = Context::new();
                let builder = builder.with_links(links);
                root.with_span(shared.tracer.build_with_context(builder, &root))
            }
        };
        Self {
            shared: Arc::clone(shared),
            side,
            context,
            method,
            begun: Instant::now(),
            attempts: 0,
            is_between: false,
            has_ended: false,
        }
    }

    /// The context that has the span.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Adds an event.
    pub(crate) fn event(&self, event: &'static str, attributes: Vec<KeyValue>) {
        self.context.span().add_event(event, attributes);
    }

    /// Adds the event of a trace context that does not get through.
    pub(crate) fn context_lost(&self, error: &dyn std::fmt::Display) {
        let error = KeyValue::new("error", error.to_string());
        self.event(name::CONTEXT_LOST, vec![error]);
    }

    /// Begins a further attempt.
    pub(crate) fn begin_attempt(&mut self) {
        self.attempts += 1;
        self.is_between = false;
    }

    /// Adds the event of the attempt.
    pub(crate) fn attempt(&self, mut attributes: Vec<KeyValue>) {
        attributes.push(KeyValue::new(name::CORBA_ATTEMPT, self.attempts));
        self.event(name::ATTEMPT, attributes);
    }

    /// Notes that an attempt has ended so, and another is to follow.
    pub(crate) fn end_attempt(&mut self, event: &'static str) {
        self.is_between = true;
        self.event(event, Vec::new());
    }

    /// Whether the span is recorded, so that attributes are worth their making.
    pub(crate) fn is_recording(&self) -> bool {
        self.context.span().is_recording()
    }

    /// Sets the method, once the interface is known.
    pub(crate) fn set_method(&mut self, interface: &str, operation: &str) {
        self.method = name::method(interface, operation);
        let span = self.context.span();
        span.update_name(self.method.clone());
        let interface = interface.to_owned();
        span.set_attribute(KeyValue::new(name::CORBA_INTERFACE, interface));
        span.set_attribute(KeyValue::new(name::RPC_METHOD, self.method.clone()));
    }

    /// Notes that the operation, which a peer has named, is none, so that peers cannot make
    /// names without end.
    pub(crate) fn set_unknown_method(&mut self, operation: &str) {
        self.method = name::OTHER.to_owned();
        let span = self.context.span();
        span.update_name(name::OTHER);
        span.set_attribute(KeyValue::new(name::RPC_METHOD, name::OTHER));
        let original = operation.to_owned();
        span.set_attribute(KeyValue::new(name::RPC_METHOD_ORIGINAL, original));
    }

    /// Ends the span, and records duration and exception.
    pub(crate) fn end(mut self, outcome: &Outcome<'_>) {
        self.conclude(outcome);
    }

    fn conclude(&mut self, outcome: &Outcome<'_>) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let error = match outcome {
            Outcome::Success | Outcome::Forward => None,
            Outcome::UserException(id) => Some(&**id),
            Outcome::SystemException(exception) => Some(exception.kind.repository_id()),
            Outcome::Cancelled => Some(name::CANCELLED),
            Outcome::GivenUp => Some(name::GIVEN_UP),
        };
        let seconds = self.begun.elapsed().as_secs_f64();
        self.instruments().record(&self.method, seconds, error);
        self.mark(outcome, error);
        self.context.span().end();
    }

    /// Tells the span how the call has ended.
    fn mark(&self, outcome: &Outcome<'_>, error: Option<&str>) {
        let span = self.context.span();
        let Some(error) = error.filter(|_| span.is_recording()) else {
            return;
        };
        span.set_attribute(KeyValue::new(name::ERROR_TYPE, error.to_owned()));
        match outcome {
            Outcome::SystemException(exception) => {
                let (minor, completed) = (i64::from(exception.minor), exception.completed.name());
                span.set_attribute(KeyValue::new(name::CORBA_MINOR, minor));
                span.set_attribute(KeyValue::new(name::CORBA_COMPLETED, completed));
                self.exception_event(error, exception.to_string());
                span.set_status(Status::error(exception.to_string()));
            }
            Outcome::UserException(_) => {
                self.exception_event(error, String::new());
                // A server that raises an exception of its IDL has done what it has to do.
                if self.side == Side::Client {
                    span.set_status(Status::error(error.to_owned()));
                }
            }
            Outcome::Cancelled => {
                span.set_status(Status::error("the caller has let go of the call"));
            }
            Outcome::GivenUp => {
                span.set_status(Status::error("the call ended before another attempt"));
            }
            Outcome::Success | Outcome::Forward => {}
        }
    }

    fn exception_event(&self, id: &str, message: String) {
        let mut attributes = vec![KeyValue::new(name::EXCEPTION_TYPE, id.to_owned())];
        if !message.is_empty() {
            attributes.push(KeyValue::new(name::EXCEPTION_MESSAGE, message));
        }
        self.event(name::EXCEPTION, attributes);
    }

    fn instruments(&self) -> &Instruments {
        match self.side {
            Side::Client => &self.shared.client,
            Side::Server => &self.shared.server,
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.conclude(match self.is_between {
            true => &Outcome::GivenUp,
            false => &Outcome::Cancelled,
        });
    }
}
