//! The facts about a server's request at an interception point.

use std::fmt;
use std::sync::Arc;

use taut_cdr::{Decode, Decoder};
use taut_giop::{CompletionStatus, Ior, SystemException};
use taut_types::{Any, TypeCode};

use super::exceptions::{self, unreadable};
use super::extensions::Extensions;
use super::server_points::{Answer, Flow, ServerEnding};
use super::{Current, InvalidSlot, OperationSignature, Parameter, ReplyStatus, SlotId};
use super::{out_of_order, unavailable};
use crate::object::{ObjectRef, ServedObject};
use crate::service_contexts::ServiceContext;
use crate::settings::SyncScope;

/// The interception points of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerPoint {
    /// [`receive_request_service_contexts`](super::ServerRequestInterceptor::receive_request_service_contexts).
    ReceiveRequestServiceContexts,
    /// [`receive_request`](super::ServerRequestInterceptor::receive_request).
    ReceiveRequest,
    /// [`send_reply`](super::ServerRequestInterceptor::send_reply).
    SendReply,
    /// [`send_exception`](super::ServerRequestInterceptor::send_exception).
    SendException,
    /// [`send_other`](super::ServerRequestInterceptor::send_other).
    SendOther,
}

use ServerPoint::{ReceiveRequest, SendException, SendOther, SendReply};

/// A server's request at an interception point (`PortableInterceptor::ServerRequestInfo`,
/// CORBA 3.3 part 1, 16.3.13).
///
/// A fact that is not to be had at a point is BAD_INV_ORDER with OMG minor 14 there; the table of
/// docs/interceptors.md tells which is where. A fact that the ORB does not know is NO_RESOURCES with
/// OMG minor 1.
pub struct ServerRequestInfo<'p> {
    pub(super) point: ServerPoint,
    pub(super) flow: &'p mut Flow,
    /// The outcome so far; none before there is one.
    pub(super) ending: Option<&'p ServerEnding>,
    /// A decoder at the arguments.
    pub(super) arguments: Option<&'p Decoder<'p>>,
    /// The body of the reply, if that is a result or a user exception.
    pub(super) answer: Option<&'p dyn Answer>,
}

impl ServerRequestInfo<'_> {
    /// Returns the point.
    pub fn point(&self) -> ServerPoint {
        self.point
    }

    /// Returns a number that no other request of this ORB has while this one is under way. It
    /// is not the number in the message.
    pub fn request_id(&self) -> u32 {
        self.flow.request_id
    }

    /// Returns the name of the operation on the wire, such as `outline` or `_get_radius`.
    pub fn operation(&self) -> &str {
        &self.flow.operation
    }

    /// Returns the arguments: at [`ReceiveRequest`], those that have come; at [`SendReply`],
    /// all.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER at another point; NO_RESOURCES if the ORB does not know the types of the
    /// operation ([`OrbBuilder::signatures_of`](crate::OrbBuilder::signatures_of)), or the
    /// reply is made after the request's message has gone; MARSHAL if they are not what the
    /// signature says.
    pub fn arguments(&self) -> Result<Vec<Parameter>, SystemException> {
        self.at(&[ReceiveRequest, SendReply])?;
        let signature = self.signature()?;
        let input = self.arguments.ok_or_else(unavailable)?;
        let mut parameters = signature.read_arguments(&mut input.clone());
        if let (SendReply, Ok(parameters)) = (self.point, &mut parameters) {
            let answer = self.answer.ok_or_else(unavailable)?;
            answer.read(&mut |body| signature.read_results(parameters, body).map(drop))?;
        }
        parameters.map_err(unreadable)
    }

    /// Returns the result; `tk_void` if there is none.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`SendReply`]; NO_RESOURCES if the ORB does not know the types of
    /// the operation, or no reply is sent.
    pub fn result(&self) -> Result<Any, SystemException> {
        self.at(&[SendReply])?;
        let signature = self.signature()?;
        let answer = self.answer.ok_or_else(unavailable)?;
        let mut result = Any::null();
        answer.read(&mut |body| {
            result = signature.read_results(&mut [], body)?;
            Ok(())
        })?;
        Ok(result)
    }

    /// Returns the types of the user exceptions that the operation may raise.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER at [`ReceiveRequestServiceContexts`](ServerPoint::ReceiveRequestServiceContexts);
    /// NO_RESOURCES if the ORB does not know the types of the operation.
    pub fn exceptions(&self) -> Result<Vec<TypeCode>, SystemException> {
        self.with_servant()?;
        Ok(self.signature()?.exceptions.clone())
    }

    /// Returns the names in the operation's `context` clause.
    ///
    /// # Errors
    ///
    /// Those of [`exceptions`](Self::exceptions).
    pub fn contexts(&self) -> Result<Vec<String>, SystemException> {
        self.with_servant()?;
        Ok(self.signature()?.contexts.clone())
    }

    /// Whether the caller waits for a reply of the servant.
    pub fn response_expected(&self) -> bool {
        self.flow.response_expected
    }

    /// Returns the event that the caller waits for, as far as the request tells: a request
    /// without a reply does not tell [`SyncScope::None`] from [`SyncScope::WithTransport`],
    /// which this is then.
    pub fn sync_scope(&self) -> SyncScope {
        self.flow.sync_scope
    }

    /// Returns the outcome.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER before the servant has been called.
    pub fn reply_status(&self) -> Result<ReplyStatus, SystemException> {
        let ending = self.ending.ok_or_else(|| self.refusal())?;
        Ok(ending.status())
    }

    /// Returns the object that the caller is sent to.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER where it is sent to none.
    pub fn forward_reference(&self) -> Result<ObjectRef, SystemException> {
        match self.ending {
            Some(ServerEnding::Forward(target)) => Ok(self.object(target)),
            _ => Err(self.refusal()),
        }
    }

    /// Returns the value in a slot of the request.
    ///
    /// # Errors
    ///
    /// [`InvalidSlot`].
    pub fn get_slot(&self, slot: SlotId) -> Result<Any, InvalidSlot> {
        self.flow.slots.get(slot, &self.flow.registered.space)
    }

    /// Sets the value in a slot of the request. The servant finds it in the slots of its
    /// thread ([`Current`]).
    ///
    /// # Errors
    ///
    /// [`InvalidSlot`].
    pub fn set_slot(&mut self, slot: SlotId, value: Any) -> Result<(), InvalidSlot> {
        let space = &self.flow.registered.space;
        self.flow.slots.set(slot, value, space)
    }

    /// Returns the slots of the calling thread.
    pub fn current(&self) -> Current {
        self.flow.registered.current()
    }

    /// Returns what interceptors keep with the request.
    pub fn extensions(&mut self) -> &mut Extensions {
        &mut self.flow.extensions
    }

    /// Returns the first service context of the request with this id; none if there is none.
    pub fn get_request_service_context(&self, id: u32) -> Option<ServiceContext> {
        self.flow.received.get(id)
    }

    /// Returns the first service context with this id that the reply is going to carry; none
    /// if there is none.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER before the servant has been called.
    pub fn get_reply_service_context(
        &self,
        id: u32,
    ) -> Result<Option<ServiceContext>, SystemException> {
        self.at(&[SendReply, SendException, SendOther])?;
        Ok(self.flow.replied.get(id))
    }

    /// Has the reply carry a service context. One that has its id is replaced, if `replace`
    /// says so: be it of another interceptor, or of the servant.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 15 if there is one with this id that is not to be
    /// replaced; BAD_PARAM with
    /// [`minor::RESERVED_SERVICE_CONTEXT`](crate::minor::RESERVED_SERVICE_CONTEXT) if the ORB
    /// sends contexts with this id itself; IMP_LIMIT with
    /// [`minor::SERVICE_CONTEXT_LIMIT`](crate::minor::SERVICE_CONTEXT_LIMIT).
    pub fn add_reply_service_context(
        &mut self,
        context: ServiceContext,
        replace: bool,
    ) -> Result<(), SystemException> {
        let limits = self.flow.core.settings.limits.lists;
        self.flow.replied.add(&context, replace, &limits)
    }

    /// Returns the exception that the caller would get: a user exception of which the ORB does
    /// not know the type is UNKNOWN with OMG minor 3.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`SendException`].
    pub fn sending_exception(&self) -> Result<Any, SystemException> {
        self.at(&[SendException])?;
        if let Some(ServerEnding::SystemException(exception)) = self.ending {
            return exceptions::of_system(exception);
        }
        let answer = self.answer.ok_or_else(unavailable)?;
        let signature = self.signature().ok();
        let mut found = Err(unavailable());
        answer.read(&mut |body| {
            found = exceptions::of_user(signature.as_deref(), body);
            Ok(())
        })?;
        found
    }

    /// Returns the repository id of the exception that the caller would get.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`SendException`].
    pub fn sending_exception_id(&self) -> Result<String, SystemException> {
        self.at(&[SendException])?;
        if let Some(ServerEnding::SystemException(exception)) = self.ending {
            return Ok(exception.kind.repository_id().to_owned());
        }
        let answer = self.answer.ok_or_else(unavailable)?;
        let mut id = String::new();
        answer.read(&mut |body| {
            id = String::decode(body)?;
            Ok(())
        })?;
        Ok(id)
    }

    /// Returns the system exception that the caller would get; none if it is a user exception.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`SendException`].
    pub fn sending_system_exception(&self) -> Result<Option<&SystemException>, SystemException> {
        self.at(&[SendException])?;
        Ok(match self.ending {
            Some(ServerEnding::SystemException(exception)) => Some(exception),
            _ => None,
        })
    }

    /// Returns the id of the object.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER before the servant has been found; NO_RESOURCES if none was.
    pub fn object_id(&self) -> Result<Vec<u8>, SystemException> {
        Ok(self.served()?.object_id())
    }

    /// Returns the id of the POA, as [`Poa::id`](crate::Poa::id).
    ///
    /// # Errors
    ///
    /// Those of [`object_id`](Self::object_id).
    pub fn adapter_id(&self) -> Result<Vec<u8>, SystemException> {
        Ok(self.served()?.adapter_id())
    }

    /// Returns the names of the POA and of those above it, from the root on.
    ///
    /// # Errors
    ///
    /// Those of [`object_id`](Self::object_id).
    pub fn adapter_name(&self) -> Result<Vec<String>, SystemException> {
        Ok(self.served()?.adapter_name())
    }

    /// Returns the id of the server
    /// ([`ServerSettings::id`](crate::ServerSettings::id)).
    pub fn server_id(&self) -> &str {
        &self.flow.core.settings.server.id
    }

    /// Returns the ORB's id: the empty one.
    pub fn orb_id(&self) -> &str {
        ""
    }

    /// Returns the repository id of the servant's most derived interface.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`ReceiveRequest`].
    pub fn target_most_derived_interface(&self) -> Result<&'static str, SystemException> {
        self.at(&[ReceiveRequest])?;
        Ok(self.served()?.interface().repository_id)
    }

    /// Whether the servant is of the interface with this repository id.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`ReceiveRequest`].
    pub fn target_is_a(&self, repository_id: &str) -> Result<bool, SystemException> {
        self.at(&[ReceiveRequest])?;
        Ok(self.served()?.interface().is_a(repository_id))
    }

    /// Returns the value that a policy of the standard has in the object's POA, by the number
    /// of its type, such as 17 for the lifespan; none for a policy that POAs do not have.
    ///
    /// # Errors
    ///
    /// Those of [`object_id`](Self::object_id).
    pub fn get_server_policy(&self, policy_type: u32) -> Result<Option<u32>, SystemException> {
        Ok(self.served()?.policy(policy_type))
    }

    fn served(&self) -> Result<&dyn ServedObject, SystemException> {
        self.with_servant()?;
        self.flow
            .target
            .as_deref()
            .map_or_else(|| Err(unavailable()), |target| Ok(target as _))
    }

    fn signature(&self) -> Result<Arc<OperationSignature>, SystemException> {
        let target = self.flow.target.as_ref().ok_or_else(unavailable)?;
        let known = &self.flow.registered.signatures;
        let found = known.find_of(&self.flow.operation, target.interface());
        found.ok_or_else(unavailable)
    }

    /// Refuses what is not to be had at this point.
    fn at(&self, points: &[ServerPoint]) -> Result<(), SystemException> {
        match points.contains(&self.point) {
            true => Ok(()),
            false => Err(self.refusal()),
        }
    }

    fn with_servant(&self) -> Result<(), SystemException> {
        self.at(&[ReceiveRequest, SendReply, SendException, SendOther])
    }

    fn refusal(&self) -> SystemException {
        out_of_order(match self.point {
            SendReply | SendException | SendOther => CompletionStatus::Yes,
            _ => CompletionStatus::No,
        })
    }

    fn object(&self, ior: &Ior) -> ObjectRef {
        ObjectRef::new(Arc::clone(&self.flow.core), ior.clone())
    }
}

impl fmt::Debug for ServerRequestInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRequestInfo")
            .field("point", &self.point)
            .field("request_id", &self.request_id())
            .field("operation", &self.operation())
            .finish_non_exhaustive()
    }
}
