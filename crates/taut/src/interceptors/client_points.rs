//! The way of a client's request through the interception points (CORBA 3.3 part 1, 16.3.4).

use std::mem;
use std::sync::Arc;

use taut_cdr::{Decoder, Encoder, Result as CdrResult};
use taut_giop::{Ior, SystemException};
use taut_sync::lock::Mutex;

use super::current::Slots;
use super::extensions::Extensions;
use super::{ClientPoint, ClientRequestInfo, Interruption, Registered, ReplyStatus};
use crate::object::ObjectRef;
use crate::service_contexts::ServiceContextList;
use crate::settings::SyncScope;
use crate::upcall;

/// The code that writes arguments in full.
pub(crate) type WriteArguments<'c> = dyn Fn(&mut Encoder) -> CdrResult<()> + 'c;

/// A call, as it is when its request begins.
pub(crate) struct ClientCall<'c> {
    /// As the caller has it.
    pub(crate) object: &'c ObjectRef,
    /// Where the request goes, if a forward says so.
    pub(crate) forwarded: Option<&'c Ior>,
    /// The index of the profile that the request goes to first.
    pub(crate) profile: usize,
    pub(crate) operation: &'c str,
    pub(crate) response_expected: bool,
    pub(crate) sync_scope: SyncScope,
    /// Writes the arguments in full.
    pub(crate) arguments: Option<&'c WriteArguments<'c>>,
}

/// The outcome of a request, which interceptors may change.
#[derive(Debug)]
pub(crate) enum ClientEnding {
    /// A reply with results.
    Reply,
    /// A reply with a user exception.
    UserException,
    /// A system exception, of the object or of this ORB.
    SystemException(SystemException),
    /// The object is elsewhere.
    Forward(Box<Ior>),
    /// The request is sent again, in another way.
    Retry,
    /// The request has been sent, and nothing comes back.
    Sent,
    /// The caller has let go of the call: a future was dropped.
    Abandoned,
}

impl ClientEnding {
    /// The status that interceptors see.
    pub(super) fn status(&self) -> ReplyStatus {
        match self {
            Self::Reply | Self::Sent => ReplyStatus::Successful,
            Self::UserException => ReplyStatus::UserException,
            Self::SystemException(_) => ReplyStatus::SystemException,
            Self::Forward(_) => ReplyStatus::LocationForward,
            Self::Retry => ReplyStatus::TransportRetry,
            Self::Abandoned => ReplyStatus::Unknown,
        }
    }

    /// The point at which interceptors see it.
    fn point(&self) -> ClientPoint {
        match self {
            Self::Reply => ClientPoint::ReceiveReply,
            Self::UserException | Self::SystemException(_) => ClientPoint::ReceiveException,
            Self::Forward(_) | Self::Retry | Self::Sent | Self::Abandoned => {
                ClientPoint::ReceiveOther
            }
        }
    }
}

impl From<Interruption> for ClientEnding {
    fn from(interruption: Interruption) -> Self {
        match interruption {
            Interruption::Exception(exception) => Self::SystemException(exception),
            Interruption::ForwardRequest(object) => Self::Forward(Box::new(object.ior().clone())),
        }
    }
}

/// The state of a request that its interceptors share.
pub(super) struct Flow {
    pub(super) registered: Arc<Registered>,
    pub(super) request_id: u32,
    /// The service contexts of the request.
    pub(super) sent: ServiceContextList,
    /// Those of the reply.
    pub(super) replied: Mutex<ServiceContextList>,
    /// As they were in the calling thread when the call began.
    pub(super) slots: Slots,
    pub(super) extensions: Extensions,
}

/// The points of one request of a client: [begun](Self::begin) before it is sent, and
/// [ended](Self::end) when its outcome is known. It may be kept and passed to another thread
/// in between.
pub(crate) struct ClientPoints {
    flow: Flow,
    /// How many interceptors have let the request go on.
    passed: usize,
}

impl ClientPoints {
    /// Runs `send_request` of all interceptors, for a request with these service contexts, of
    /// a call that has begun with these slots.
    /// The values that they keep with the call are here until the [end](Self::end).
    ///
    /// # Errors
    ///
    /// How the request has ended, if one of them has not let it go on: those before it know.
    pub(crate) fn begin(
        registered: &Arc<Registered>,
        call: &ClientCall<'_>,
        (sent, slots): (ServiceContextList, Slots),
        kept: &mut Extensions,
    ) -> Result<Self, ClientEnding> {
        let mut this = Self {
            flow: Flow {
                registered: Arc::clone(registered),
                request_id: registered.next_request_id(),
                sent,
                replied: Mutex::default(),
                slots,
                extensions: mem::take(kept),
            },
            passed: 0,
        };
        for interceptor in &registered.client {
            let mut info = this.info(ClientPoint::SendRequest, call, None, None);
            let outcome = upcall::outside("send_request", interceptor.name(), || {
                interceptor.send_request(&mut info)
            });
            if let Err(interruption) = flattened(outcome) {
                return Err(this.end(call, interruption.into(), None, kept));
            }
            this.passed += 1;
        }
        Ok(this)
    }

    /// Runs `send_poll` of all interceptors that have let the request go on.
    ///
    /// # Errors
    ///
    /// The exception of the first that raises one.
    pub(crate) fn poll(&mut self, call: &ClientCall<'_>) -> Result<(), SystemException> {
        let registered = Arc::clone(&self.flow.registered);
        for interceptor in &registered.client[..self.passed] {
            let mut info = self.info(ClientPoint::SendPoll, call, None, None);
            upcall::outside("send_poll", interceptor.name(), || {
                interceptor.send_poll(&mut info)
            })??;
        }
        Ok(())
    }

    /// Returns the service contexts that the request is sent with.
    pub(crate) fn sent(&self) -> &ServiceContextList {
        &self.flow.sent
    }

    /// Returns the place for those of the reply.
    pub(crate) fn replied(&self) -> &Mutex<ServiceContextList> {
        &self.flow.replied
    }

    /// Tells the interceptors, the last first, how the request has ended. `body` stands at
    /// the body of a reply with results or a user exception. Returns what they make of it, and
    /// leaves what they keep with the call in `kept`.
    pub(crate) fn end(
        mut self,
        call: &ClientCall<'_>,
        mut ending: ClientEnding,
        body: Option<&Decoder<'_>>,
        kept: &mut Extensions,
    ) -> ClientEnding {
        let registered = Arc::clone(&self.flow.registered);
        for interceptor in registered.client[..self.passed].iter().rev() {
            let point = ending.point();
            let is_in_reply = matches!(ending, ClientEnding::Reply | ClientEnding::UserException);
            let mut info = self.info(point, call, Some(&ending), body.filter(|_| is_in_reply));
            let (place, name) = (place(point), interceptor.name());
            let outcome = upcall::outside(place, name, || match point {
                ClientPoint::ReceiveReply => Ok(interceptor.receive_reply(&mut info)?),
                ClientPoint::ReceiveException => interceptor.receive_exception(&mut info),
                _ => interceptor.receive_other(&mut info),
            });
            if let Err(interruption) = flattened(outcome) {
                ending = interruption.into();
            }
        }
        *kept = mem::take(&mut self.flow.extensions);
        ending
    }

    fn info<'p>(
        &'p mut self,
        point: ClientPoint,
        call: &'p ClientCall<'p>,
        ending: Option<&'p ClientEnding>,
        body: Option<&'p Decoder<'p>>,
    ) -> ClientRequestInfo<'p> {
        ClientRequestInfo {
            point,
            call,
            flow: &mut self.flow,
            ending,
            body,
        }
    }
}

/// The name of a point, for the event about a panic in it.
fn place(point: ClientPoint) -> &'static str {
    match point {
        ClientPoint::SendRequest => "send_request",
        ClientPoint::SendPoll => "send_poll",
        ClientPoint::ReceiveReply => "receive_reply",
        ClientPoint::ReceiveException => "receive_exception",
        ClientPoint::ReceiveOther => "receive_other",
    }
}

/// The outcome of a point, of which a panic is one.
pub(super) fn flattened(
    outcome: Result<Result<(), Interruption>, SystemException>,
) -> Result<(), Interruption> {
    outcome.unwrap_or_else(|panic| Err(panic.into()))
}

#[cfg(all(test, not(loom)))]
mod tests {
    #![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

    use taut_giop::{CompletionStatus, SystemExceptionKind};

    use super::*;
    use crate::core::OrbCore;
    use crate::interceptors::{ClientRequestInterceptor, Registration, of};
    use crate::settings::Settings;
    use crate::transport::Protocols;

    /// Refuses a poll, after it has looked at what there is at one.
    struct Polled(&'static str);

    const REFUSAL: SystemException =
        SystemException::new(SystemExceptionKind::NoPermission, 1, CompletionStatus::No);

    impl ClientRequestInterceptor for Polled {
        fn name(&self) -> &str {
            self.0
        }

        fn send_poll(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
            assert_eq!(
                (info.operation(), info.point()),
                ("ping", ClientPoint::SendPoll)
            );
            let refused = info.get_request_service_context(1).unwrap_err();
            assert_eq!(refused.minor, taut_giop::minor::omg(14));
            assert!(info.contexts().is_err() && info.reply_status().is_err());
            assert!(info.effective_target() == info.target());
            match self.0 {
                "refuses" => Err(REFUSAL),
                _ => Ok(()),
            }
        }
    }

    fn polled(name: &'static str) -> Result<(), SystemException> {
        let core = Arc::new(OrbCore::new(
            Settings::default(),
            Protocols::default(),
            None,
        ));
        let mut registration = Registration::default();
        registration.add_client(Arc::new(Polled(name))).unwrap();
        registration.settle(&core);
        let ior = Ior {
            type_id: String::new(),
            profiles: Vec::new(),
        };
        let object = ObjectRef::new(Arc::clone(&core), ior);
        let call = ClientCall {
            object: &object,
            forwarded: None,
            profile: 0,
            operation: "ping",
            response_expected: true,
            sync_scope: SyncScope::WithTarget,
            arguments: None,
        };
        let registered = of(&core).unwrap();
        let sent = ServiceContextList::default();
        let mut kept = Extensions::default();
        let begun = ClientPoints::begin(registered, &call, (sent, Slots::default()), &mut kept);
        let mut points = begun.ok().unwrap();
        points.poll(&call)
    }

    #[test]
    fn a_poll_is_seen_and_may_be_refused() {
        assert_eq!(polled("looks"), Ok(()));
        assert_eq!(polled("refuses"), Err(REFUSAL));
    }
}
