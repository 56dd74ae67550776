//! The interceptor of the requests that an ORB receives.

use std::borrow::Cow;
use std::sync::Arc;

use opentelemetry::{Context, KeyValue};
use taut::interceptors::{Interruption, ServerRequestInfo, ServerRequestInterceptor};
use taut::{SyncScope, SystemException, SystemExceptionKind};

use crate::call::{Call, Outcome, Side};
use crate::conventions as name;
use crate::fields::TRACE_CONTEXT;
use crate::telemetry::{NAME, Shared};
use crate::thread_context::{RequestKey, RequestSlot};

/// Gives each request a span, which is the current one in its servant.
pub(crate) struct ServerTelemetry {
    shared: Arc<Shared>,
    slot: RequestSlot,
}

/// The mark of a request whose object has been found.
struct Found;

impl ServerTelemetry {
    pub(crate) fn new(shared: Arc<Shared>, slot: RequestSlot) -> Self {
        Self { shared, slot }
    }
}

impl ServerRequestInterceptor for ServerTelemetry {
    fn name(&self) -> &str {
        NAME
    }

    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), Interruption> {
        let received = info.get_request_service_context(TRACE_CONTEXT);
        let extracted = received.map(|context| self.shared.extract(&context.data));
        let (parent, error) = match extracted {
            None => (Context::new(), None),
            Some(Ok(parent)) => (parent, None),
            Some(Err(error)) => (Context::new(), Some(error)),
        };
        let mut attributes = Vec::new();
        if info.sync_scope() != SyncScope::WithTarget {
            attributes.push(KeyValue::new(name::CORBA_ONEWAY, true));
        }
        let operation = info.operation().to_owned();
        let call = Call::begin(&self.shared, Side::Server, &parent, operation, attributes);
        if let Some(error) = error {
            call.context_lost(&error);
        }
        let key = self.slot.next_key();
        if let Some(value) = key.to_any() {
            info.set_slot(self.slot.id(), value)
                .map_err(SystemException::from)?;
        }
        info.extensions().insert(call);
        info.extensions().insert(key);
        Ok(())
    }

    fn receive_request(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        let interface = info.target_most_derived_interface()?;
        let operation = info.operation().to_owned();
        if let Ok(current) = info.current().get_slot(self.slot.id()) {
            self.slot.drop_stale(&current);
        }
        let extensions = info.extensions();
        let key = extensions.get::<RequestKey>().copied();
        extensions.insert(Found);
        if let Some(call) = extensions.get_mut::<Call>() {
            call.set_method(interface, &operation);
            if let Some(key) = key {
                key.attach(call.context().clone());
            }
        }
        Ok(())
    }

    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        end(info, &Outcome::Success);
        Ok(())
    }

    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        match info.sending_system_exception()?.cloned() {
            Some(exception) => end(info, &Outcome::SystemException(&exception)),
            None => {
                let id = info.sending_exception_id();
                let id = id.map_or(Cow::Borrowed(name::OTHER), Cow::Owned);
                end(info, &Outcome::UserException(id));
            }
        }
        Ok(())
    }

    fn send_other(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), Interruption> {
        end(info, &Outcome::Forward);
        Ok(())
    }
}

/// Ends the span of a request.
fn end(info: &mut ServerRequestInfo<'_>, outcome: &Outcome<'_>) {
    if let Some(key) = info.extensions().remove::<RequestKey>() {
        key.detach();
    }
    let operation = info.operation().to_owned();
    let was_found = info.extensions().remove::<Found>().is_some();
    let Some(mut call) = info.extensions().remove::<Call>() else {
        return;
    };
    let is_unknown = match outcome {
        Outcome::SystemException(exception) => exception.kind == SystemExceptionKind::BadOperation,
        _ => false,
    };
    if !was_found || is_unknown {
        call.set_unknown_method(&operation);
    }
    call.end(outcome);
}
