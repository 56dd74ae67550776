//! The facts about a client's request at an interception point.

use std::fmt;

use taut_cdr::{ByteOrder, Decode, Decoder, Encoder, Result as CdrResult};
use taut_giop::component::TaggedComponent;
use taut_giop::ior::TaggedProfile;
use taut_giop::{CompletionStatus, Ior, SystemException};
use taut_types::{Any, TypeCode};

use super::client_points::{ClientCall, ClientEnding, Flow};
use super::exceptions::{self, unreadable, unwritable};
use super::extensions::Extensions;
use super::{Current, InvalidSlot, Parameter, ReplyStatus, SlotId, bad_param};
use super::{out_of_order, unavailable};
use crate::object::{ObjectRef, components};
use crate::service_contexts::ServiceContext;
use crate::settings::SyncScope;

/// The interception points of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClientPoint {
    /// [`send_request`](super::ClientRequestInterceptor::send_request).
    SendRequest,
    /// [`send_poll`](super::ClientRequestInterceptor::send_poll).
    SendPoll,
    /// [`receive_reply`](super::ClientRequestInterceptor::receive_reply).
    ReceiveReply,
    /// [`receive_exception`](super::ClientRequestInterceptor::receive_exception).
    ReceiveException,
    /// [`receive_other`](super::ClientRequestInterceptor::receive_other).
    ReceiveOther,
}

use ClientPoint::{ReceiveException, ReceiveOther, ReceiveReply, SendRequest};

/// A client's request at an interception point (`PortableInterceptor::ClientRequestInfo`,
/// CORBA 3.3 part 1, 16.3.12).
///
/// A fact that is not to be had at a point is BAD_INV_ORDER with OMG minor 14 there; the table of
/// docs/interceptors.md tells which is where. A fact that the ORB does not know is NO_RESOURCES with
/// OMG minor 1.
pub struct ClientRequestInfo<'p> {
    pub(super) point: ClientPoint,
    pub(super) call: &'p ClientCall<'p>,
    pub(super) flow: &'p mut Flow,
    /// The outcome so far; none before there is one.
    pub(super) ending: Option<&'p ClientEnding>,
    /// A decoder at the body of the reply, if that is a result or a user exception.
    pub(super) body: Option<&'p Decoder<'p>>,
}

impl ClientRequestInfo<'_> {
    /// Returns the point.
    pub fn point(&self) -> ClientPoint {
        self.point
    }

    /// Returns a number that no other request of this ORB has while this one is under way. It
    /// is not the number in the message.
    pub fn request_id(&self) -> u32 {
        self.flow.request_id
    }

    /// Returns the name of the operation on the wire, such as `outline` or `_get_radius`.
    pub fn operation(&self) -> &str {
        self.call.operation
    }

    /// Returns the arguments: at [`SendRequest`], those that are sent; at [`ReceiveReply`],
    /// all.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER at another point; NO_RESOURCES if the ORB does not know the types of the
    /// operation ([`OrbBuilder::signatures_of`](crate::OrbBuilder::signatures_of)).
    pub fn arguments(&self) -> Result<Vec<Parameter>, SystemException> {
        self.at(&[SendRequest, ReceiveReply])?;
        let signature = self.signature()?;
        let mut parameters = self.sent_arguments()?;
        if let Some(body) = self.body {
            let read = signature.read_results(&mut parameters, &mut body.clone());
            read.map_err(unreadable)?;
        }
        Ok(parameters)
    }

    /// Returns the result; `tk_void` if there is none.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`ReceiveReply`]; NO_RESOURCES if the ORB does not know the types
    /// of the operation, or the call waits for no result.
    pub fn result(&self) -> Result<Any, SystemException> {
        self.at(&[ReceiveReply])?;
        let signature = self.signature()?;
        let body = self.body.ok_or_else(unavailable)?;
        let read = signature.read_results(&mut [], &mut body.clone());
        read.map_err(unreadable)
    }

    /// Returns the types of the user exceptions that the operation may raise.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER at [`SendPoll`](ClientPoint::SendPoll); NO_RESOURCES if the ORB does not know the types of the
    /// operation.
    pub fn exceptions(&self) -> Result<Vec<TypeCode>, SystemException> {
        self.not_at_poll()?;
        Ok(self.signature()?.exceptions.clone())
    }

    /// Returns the names in the operation's `context` clause.
    ///
    /// # Errors
    ///
    /// Those of [`exceptions`](Self::exceptions).
    pub fn contexts(&self) -> Result<Vec<String>, SystemException> {
        self.not_at_poll()?;
        Ok(self.signature()?.contexts.clone())
    }

    /// Whether something comes back.
    pub fn response_expected(&self) -> bool {
        self.call.response_expected
    }

    /// Returns the event that a oneway waits for; [`SyncScope::WithTarget`] where a reply with
    /// results is expected.
    pub fn sync_scope(&self) -> SyncScope {
        self.call.sync_scope
    }

    /// Returns the outcome.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER at [`SendRequest`] and [`SendPoll`](ClientPoint::SendPoll).
    pub fn reply_status(&self) -> Result<ReplyStatus, SystemException> {
        let ending = self.ending.ok_or_else(|| self.refusal())?;
        Ok(ending.status())
    }

    /// Returns the object that the request goes to next.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER where it is not forwarded.
    pub fn forward_reference(&self) -> Result<ObjectRef, SystemException> {
        match self.ending {
            Some(ClientEnding::Forward(target)) => Ok(self.object(target)),
            _ => Err(self.refusal()),
        }
    }

    /// Returns the value that a slot of the calling thread had when the call began.
    ///
    /// # Errors
    ///
    /// [`InvalidSlot`].
    pub fn get_slot(&self, slot: SlotId) -> Result<Any, InvalidSlot> {
        self.flow.slots.get(slot, &self.flow.registered.space)
    }

    /// Returns the slots of the calling thread, which an interceptor sets before it makes
    /// calls of its own, so that it knows them again.
    pub fn current(&self) -> Current {
        self.flow.registered.current()
    }

    /// Returns what interceptors keep with the call.
    pub fn extensions(&mut self) -> &mut Extensions {
        &mut self.flow.extensions
    }

    /// Returns the first service context of the request with this id; none if there is none.
    /// Those of the ORB itself, such as the code sets, are not among them.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER at [`SendPoll`](ClientPoint::SendPoll).
    pub fn get_request_service_context(
        &self,
        id: u32,
    ) -> Result<Option<ServiceContext>, SystemException> {
        self.not_at_poll()?;
        Ok(self.flow.sent.get(id))
    }

    /// Returns the first service context of the reply with this id; none if there is none.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER at [`SendRequest`] and [`SendPoll`](ClientPoint::SendPoll).
    pub fn get_reply_service_context(
        &self,
        id: u32,
    ) -> Result<Option<ServiceContext>, SystemException> {
        self.at(&[ReceiveReply, ReceiveException, ReceiveOther])?;
        Ok(self.flow.replied.lock().get(id))
    }

    /// Has the request carry a service context. One that has its id is replaced, if `replace`
    /// says so.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 15 if there is one with this id that is not to be replaced,
    /// and with 14 but at [`SendRequest`]; BAD_PARAM with
    /// [`minor::RESERVED_SERVICE_CONTEXT`](crate::minor::RESERVED_SERVICE_CONTEXT) if the ORB
    /// sends contexts with this id itself; IMP_LIMIT with
    /// [`minor::SERVICE_CONTEXT_LIMIT`](crate::minor::SERVICE_CONTEXT_LIMIT).
    pub fn add_request_service_context(
        &mut self,
        context: ServiceContext,
        replace: bool,
    ) -> Result<(), SystemException> {
        self.at(&[SendRequest])?;
        let limits = self.call.object.core().settings.limits.lists;
        self.flow.sent.add(&context, replace, &limits)
    }

    /// Returns the object that is called, as the caller has it.
    pub fn target(&self) -> ObjectRef {
        self.call.object.clone()
    }

    /// Returns the object that the request goes to: the target, or that to which it was
    /// forwarded.
    pub fn effective_target(&self) -> ObjectRef {
        match self.call.forwarded {
            Some(ior) => self.object(ior),
            None => self.target(),
        }
    }

    /// Returns the profile of the effective target that the request goes to.
    ///
    /// # Errors
    ///
    /// NO_RESOURCES if the effective target has none.
    pub fn effective_profile(&self) -> Result<TaggedProfile, SystemException> {
        let profile = self.effective_ior().profiles.get(self.call.profile);
        profile.cloned().ok_or_else(unavailable)
    }

    /// Returns the first component with this tag of the effective profile.
    ///
    /// # Errors
    ///
    /// BAD_PARAM with OMG minor 28 if there is none; BAD_INV_ORDER at [`SendPoll`](ClientPoint::SendPoll).
    pub fn get_effective_component(&self, tag: u32) -> Result<TaggedComponent, SystemException> {
        let mut components = self.get_effective_components(tag)?;
        Ok(components.swap_remove(0))
    }

    /// Returns the components with this tag of the effective profile, of which there is at
    /// least one.
    ///
    /// # Errors
    ///
    /// Those of [`get_effective_component`](Self::get_effective_component).
    pub fn get_effective_components(
        &self,
        tag: u32,
    ) -> Result<Vec<TaggedComponent>, SystemException> {
        self.not_at_poll()?;
        let profile = self.effective_profile()?;
        let all = components(&profile, self.call.object.core()).map_err(unreadable)?;
        let all = all.into_iter().filter(|component| component.tag == tag);
        let found: Vec<_> = all.collect();
        match found.is_empty() {
            true => Err(bad_param(28)),
            false => Ok(found),
        }
    }

    /// Returns the exception that the caller would get: a user exception of which the ORB does
    /// not know the type is UNKNOWN with OMG minor 3.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`ReceiveException`].
    pub fn received_exception(&self) -> Result<Any, SystemException> {
        self.at(&[ReceiveException])?;
        match (self.ending, self.body) {
            (Some(ClientEnding::SystemException(exception)), _) => exceptions::of_system(exception),
            (_, Some(body)) => exceptions::of_user(self.signature().ok().as_deref(), body),
            _ => Err(unavailable()),
        }
    }

    /// Returns the repository id of the exception that the caller would get.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`ReceiveException`].
    pub fn received_exception_id(&self) -> Result<String, SystemException> {
        self.at(&[ReceiveException])?;
        match (self.ending, self.body) {
            (Some(ClientEnding::SystemException(exception)), _) => {
                Ok(exception.kind.repository_id().to_owned())
            }
            (_, Some(body)) => String::decode(&mut body.clone()).map_err(unreadable),
            _ => Err(unavailable()),
        }
    }

    /// Returns the system exception that the caller would get; none if it is a user exception.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER but at [`ReceiveException`].
    pub fn received_system_exception(&self) -> Result<Option<&SystemException>, SystemException> {
        self.at(&[ReceiveException])?;
        Ok(match self.ending {
            Some(ClientEnding::SystemException(exception)) => Some(exception),
            _ => None,
        })
    }

    /// Refuses what is not to be had at this point.
    fn at(&self, points: &[ClientPoint]) -> Result<(), SystemException> {
        match points.contains(&self.point) {
            true => Ok(()),
            false => Err(self.refusal()),
        }
    }

    fn not_at_poll(&self) -> Result<(), SystemException> {
        self.at(&[SendRequest, ReceiveReply, ReceiveException, ReceiveOther])
    }

    fn refusal(&self) -> SystemException {
        out_of_order(match self.point {
            SendRequest => CompletionStatus::No,
            _ => CompletionStatus::Maybe,
        })
    }

    /// The reference that the request goes by.
    fn effective_ior(&self) -> &Ior {
        self.call
            .forwarded
            .unwrap_or_else(|| self.call.object.ior())
    }

    fn object(&self, ior: &Ior) -> ObjectRef {
        ObjectRef::new(self.call.object.core().clone(), ior.clone())
    }

    fn signature(&self) -> Result<std::sync::Arc<super::OperationSignature>, SystemException> {
        let known = &self.flow.registered.signatures;
        let found = known.find(self.call.operation, self.call.object.type_id());
        found.ok_or_else(unavailable)
    }

    /// The arguments that are sent, as a server would read them.
    fn sent_arguments(&self) -> Result<Vec<Parameter>, SystemException> {
        let signature = self.signature()?;
        let write = self.call.arguments.ok_or_else(unavailable)?;
        let octets = written(write).map_err(unwritable)?;
        let mut input = Decoder::new(&octets, ByteOrder::NATIVE);
        signature.read_arguments(&mut input).map_err(unreadable)
    }
}

/// The octets that a closure writes.
fn written(write: &dyn Fn(&mut Encoder) -> CdrResult<()>) -> CdrResult<Vec<u8>> {
    let mut out = Encoder::new(ByteOrder::NATIVE);
    write(&mut out)?;
    Ok(out.into_buffer())
}

impl fmt::Debug for ClientRequestInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientRequestInfo")
            .field("point", &self.point)
            .field("request_id", &self.request_id())
            .field("operation", &self.operation())
            .finish_non_exhaustive()
    }
}
