//! The way of a server's request through the interception points (CORBA 3.3 part 1, 16.3.7).

use std::fmt;
use std::sync::Arc;

use taut_cdr::{Decoder, Result as CdrResult};
use taut_giop::{Ior, SystemException};

use super::client_points::flattened;
use super::current::{SlotSpace, Slots};
use super::extensions::Extensions;
use super::{Interruption, Registered, ReplyStatus, ServerPoint, ServerRequestInfo};
use crate::core::OrbCore;
use crate::object::ServedObject;
use crate::service_contexts::ServiceContextList;
use crate::settings::SyncScope;
use crate::upcall;

/// The reply that a servant has written.
pub(crate) trait Answer {
    /// Has `read` read its body.
    ///
    /// # Errors
    ///
    /// MARSHAL if `read` fails.
    fn read(
        &self,
        read: &mut dyn FnMut(&mut Decoder<'_>) -> CdrResult<()>,
    ) -> Result<(), SystemException>;
}

/// A request that has arrived.
pub(crate) struct Arrived<'m> {
    pub(crate) operation: &'m [u8],
    pub(crate) response_expected: bool,
    pub(crate) sync_scope: SyncScope,
    /// Its service contexts.
    pub(crate) contexts: ServiceContextList,
}

/// The outcome of a request, which interceptors may change.
#[derive(Debug)]
pub(crate) enum ServerEnding {
    /// The servant has written results, or there are none.
    Reply,
    /// The servant has written a user exception.
    UserException,
    /// A system exception.
    SystemException(SystemException),
    /// The caller shall ask there.
    Forward(Box<Ior>),
    /// The caller shall send the request again.
    Retry,
}

impl ServerEnding {
    pub(super) fn status(&self) -> ReplyStatus {
        match self {
            Self::Reply => ReplyStatus::Successful,
            Self::UserException => ReplyStatus::UserException,
            Self::SystemException(_) => ReplyStatus::SystemException,
            Self::Forward(_) => ReplyStatus::LocationForward,
            Self::Retry => ReplyStatus::TransportRetry,
        }
    }

    fn point(&self) -> ServerPoint {
        match self {
            Self::Reply => ServerPoint::SendReply,
            Self::UserException | Self::SystemException(_) => ServerPoint::SendException,
            Self::Forward(_) | Self::Retry => ServerPoint::SendOther,
        }
    }
}

impl From<Interruption> for ServerEnding {
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
    pub(super) core: Arc<OrbCore>,
    pub(super) request_id: u32,
    pub(super) operation: String,
    pub(super) response_expected: bool,
    pub(super) sync_scope: SyncScope,
    pub(super) received: ServiceContextList,
    pub(super) replied: ServiceContextList,
    /// The request scope.
    pub(super) slots: Slots,
    pub(super) extensions: Extensions,
    pub(super) target: Option<Box<dyn ServedObject>>,
}

/// The points of one request of a server. It may be kept and passed to another thread between
/// one point and the next.
pub(crate) struct ServerPoints {
    flow: Flow,
    /// How many interceptors have let the request go on.
    passed: usize,
}

impl ServerPoints {
    /// Those of a request that no interceptor has seen.
    pub(crate) fn new(
        registered: &Arc<Registered>,
        core: &Arc<OrbCore>,
        arrived: Arrived<'_>,
    ) -> Self {
        let flow = Flow {
            registered: Arc::clone(registered),
            core: Arc::clone(core),
            request_id: registered.next_request_id(),
            operation: String::from_utf8_lossy(arrived.operation).into_owned(),
            response_expected: arrived.response_expected,
            sync_scope: arrived.sync_scope,
            received: arrived.contexts,
            replied: ServiceContextList::default(),
            slots: Slots::default(),
            extensions: Extensions::default(),
            target: None,
        };
        Self { flow, passed: 0 }
    }

    /// Runs `receive_request_service_contexts` of all interceptors.
    ///
    /// # Errors
    ///
    /// How the request is to [end](Self::end), if one of them has not let it go on.
    pub(crate) fn receive_service_contexts(&mut self) -> Result<(), ServerEnding> {
        let registered = Arc::clone(&self.flow.registered);
        for interceptor in &registered.server {
            let mut info = self.info(ServerPoint::ReceiveRequestServiceContexts, None);
            let place = "receive_request_service_contexts";
            let outcome = upcall::outside(place, interceptor.name(), || {
                interceptor.receive_request_service_contexts(&mut info)
            });
            flattened(outcome)?;
            self.passed += 1;
        }
        Ok(())
    }

    /// Runs `receive_request` of all interceptors: the servant of this object has been found.
    ///
    /// # Errors
    ///
    /// How the request is to [end](Self::end), if one of them has not let it go on.
    pub(crate) fn receive_request(
        &mut self,
        target: Box<dyn ServedObject>,
        arguments: Option<&Decoder<'_>>,
    ) -> Result<(), ServerEnding> {
        self.flow.target = Some(target);
        let registered = Arc::clone(&self.flow.registered);
        for interceptor in &registered.server {
            let mut info = self.info(ServerPoint::ReceiveRequest, None);
            info.arguments = arguments;
            let outcome = upcall::outside("receive_request", interceptor.name(), || {
                interceptor.receive_request(&mut info)
            });
            flattened(outcome)?;
        }
        Ok(())
    }

    /// The slots of the request, for the thread that runs the servant.
    pub(crate) fn slots(&self) -> RequestSlots {
        RequestSlots {
            slots: self.flow.slots.clone(),
            space: Arc::clone(&self.flow.registered.space),
        }
    }

    /// Takes the slots that the servant leaves.
    pub(crate) fn set_slots(&mut self, slots: Slots) {
        self.flow.slots = slots;
    }

    /// Tells the interceptors, the last first, how the request has ended. Returns what they
    /// make of it. The arguments are there as long as the request's message is.
    pub(crate) fn end(
        &mut self,
        mut ending: ServerEnding,
        arguments: Option<&Decoder<'_>>,
        answer: Option<&dyn Answer>,
    ) -> ServerEnding {
        let registered = Arc::clone(&self.flow.registered);
        for interceptor in registered.server[..self.passed].iter().rev() {
            let point = ending.point();
            let is_written = matches!(ending, ServerEnding::Reply | ServerEnding::UserException);
            let mut info = self.info(point, Some(&ending));
            info.arguments = arguments;
            info.answer = answer.filter(|_| is_written);
            let (place, name) = (place(point), interceptor.name());
            let outcome = upcall::outside(place, name, || match point {
                ServerPoint::SendReply => Ok(interceptor.send_reply(&mut info)?),
                ServerPoint::SendException => interceptor.send_exception(&mut info),
                _ => interceptor.send_other(&mut info),
            });
            if let Err(interruption) = flattened(outcome) {
                ending = interruption.into();
            }
        }
        self.passed = 0;
        ending
    }

    /// The service contexts that the reply is going to carry.
    pub(crate) fn replied(&mut self) -> &mut ServiceContextList {
        &mut self.flow.replied
    }

    fn info<'p>(
        &'p mut self,
        point: ServerPoint,
        ending: Option<&'p ServerEnding>,
    ) -> ServerRequestInfo<'p> {
        ServerRequestInfo {
            point,
            flow: &mut self.flow,
            ending,
            arguments: None,
            answer: None,
        }
    }
}

/// The slots of a request, apart from it.
pub(crate) struct RequestSlots {
    slots: Slots,
    space: Arc<SlotSpace>,
}

impl RequestSlots {
    /// Runs `run` in a thread that has these slots. Returns what they are then.
    pub(crate) fn within<R>(self, run: impl FnOnce() -> R) -> (R, Slots) {
        self.space.within(self.slots, run)
    }
}

impl fmt::Debug for ServerPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerPoints")
            .field("operation", &self.flow.operation)
            .field("passed", &self.passed)
            .finish_non_exhaustive()
    }
}

/// The name of a point at the end, for the event about a panic in it.
fn place(point: ServerPoint) -> &'static str {
    match point {
        ServerPoint::SendReply => "send_reply",
        ServerPoint::SendException => "send_exception",
        _ => "send_other",
    }
}
