//! The interceptor of the calls that an ORB makes.

use std::borrow::Cow;
use std::sync::Arc;

use opentelemetry::{Context, KeyValue};
use taut::interceptors::{
    ClientRequestInfo, ClientRequestInterceptor, Interruption, ReplyStatus, TaggedProfile,
};
use taut::{ServiceContext, SyncScope, SystemException};
use taut_giop::Limits;
use taut_giop::ior::{IiopProfile, UiopProfile, profile};

use crate::call::{Call, Outcome, Side};
use crate::conventions as name;
use crate::fields::TRACE_CONTEXT;
use crate::telemetry::{NAME, Shared};
use crate::thread_context::RequestSlot;

/// Gives each call a span, and each request its context.
pub(crate) struct ClientTelemetry {
    shared: Arc<Shared>,
    slot: RequestSlot,
}

impl ClientTelemetry {
    pub(crate) fn new(shared: Arc<Shared>, slot: RequestSlot) -> Self {
        Self { shared, slot }
    }

    /// Begins the span of a call, as a child of the thread's current one.
    fn begin(&self, info: &ClientRequestInfo<'_>) -> Call {
        if let Ok(current) = info.get_slot(self.slot.id()) {
            self.slot.drop_stale(&current);
        }
        let parent = Context::current();
        let target = info.target();
        let interface = target.type_id();
        let mut attributes = vec![KeyValue::new(name::CORBA_INTERFACE, interface.to_owned())];
        if info.sync_scope() != SyncScope::WithTarget {
            attributes.push(KeyValue::new(name::CORBA_ONEWAY, true));
        }
        let method = name::method(interface, info.operation());
        Call::begin(&self.shared, Side::Client, &parent, method, attributes)
    }
}

impl ClientRequestInterceptor for ClientTelemetry {
    fn name(&self) -> &str {
        NAME
    }

    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        // Of a call that is forwarded or sent again, the span goes on.
        let call = info.extensions().remove::<Call>();
        let mut call = call.unwrap_or_else(|| self.begin(info));
        call.begin_attempt();
        if call.is_recording() {
            call.attempt(
                info.effective_profile()
                    .map_or_else(|_| Vec::new(), |profile| address(&profile)),
            );
        }
        match self.shared.inject(call.context()) {
            Ok(None) => {}
            Ok(Some(data)) => {
                let id = TRACE_CONTEXT;
                let context = ServiceContext { id, data };
                if let Err(error) = info.add_request_service_context(context, true) {
                    call.context_lost(&error);
                }
            }
            Err(error) => call.context_lost(&error),
        }
        info.extensions().insert(call);
        Ok(())
    }

    fn receive_reply(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        if let Some(call) = info.extensions().remove::<Call>() {
            call.end(&Outcome::Success);
        }
        Ok(())
    }

    fn receive_exception(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let Some(call) = info.extensions().remove::<Call>() else {
            return Ok(());
        };
        match info.received_system_exception()? {
            Some(exception) => call.end(&Outcome::SystemException(exception)),
            None => {
                let id = info.received_exception_id();
                let id = id.map_or(Cow::Borrowed(name::OTHER), Cow::Owned);
                call.end(&Outcome::UserException(id));
            }
        }
        Ok(())
    }

    fn receive_other(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let status = info.reply_status()?;
        let extensions = info.extensions();
        match status {
            // The request begins anew, and its span goes on.
            ReplyStatus::LocationForward => {
                if let Some(call) = extensions.get_mut::<Call>() {
                    call.end_attempt(name::FORWARDED);
                }
            }
            ReplyStatus::TransportRetry => {
                if let Some(call) = extensions.get_mut::<Call>() {
                    call.end_attempt(name::SENT_AGAIN);
                }
            }
            // The caller has dropped the future of the call.
            ReplyStatus::Unknown => drop(extensions.remove::<Call>()),
            _ => {
                if let Some(call) = extensions.remove::<Call>() {
                    call.end(&Outcome::Success);
                }
            }
        }
        Ok(())
    }
}

/// The attributes of the address in a profile, as far as its protocol is known here.
fn address(tagged: &TaggedProfile) -> Vec<KeyValue> {
    let data = &tagged.data;
    let attributes = match tagged.tag {
        profile::tag::INTERNET_IOP => IiopProfile::parse(data).map(|iiop| {
            vec![
                KeyValue::new(name::SERVER_ADDRESS, iiop.host),
                KeyValue::new(name::SERVER_PORT, i64::from(iiop.port)),
            ]
        }),
        profile::tag::TAO_UIOP => UiopProfile::parse_within(data, &Limits::default())
            .map(|uiop| vec![KeyValue::new(name::SERVER_ADDRESS, uiop.path)]),
        _ => return Vec::new(),
    };
    attributes.unwrap_or_default()
}
