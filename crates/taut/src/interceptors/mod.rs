//! Portable Interceptors: code of the application that takes part in every call
//! (CORBA 3.3 part 1, 16).
//!
//! - [`ClientRequestInterceptor`] and [`ServerRequestInterceptor`] see requests and replies at
//!   their interception points, and may add service contexts, raise exceptions, or send
//!   requests elsewhere;
//! - [`IorInterceptor`] adds components to the references that POAs make;
//! - [`OrbInitializer`] registers all these while an ORB is made; an
//!   [`OrbBuilder`](crate::OrbBuilder) takes them too;
//! - [`Current`] carries data between the application's threads and the points;
//! - [`Codec`] makes octets of values, for service contexts and components.
//!
//! An ORB without interceptors pays nothing for them. Calls of an ORB that has request
//! interceptors never go the shortest way, and those that stay within the process are
//! marshaled, in the caller's thread, unless the reference keeps its servant
//! ([`CollocationStrategy::Direct`](crate::CollocationStrategy)) from before.

mod client;
mod client_info;
mod client_points;
mod codec;
mod current;
mod exceptions;
mod extensions;
mod initializer;
mod ior;
mod registered;
mod registration;
mod server;
mod server_info;
mod server_points;
mod signature;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use crate::object::ObjectRef;

pub use client::ClientRequestInterceptor;
pub use client_info::{ClientPoint, ClientRequestInfo};
pub use codec::{Codec, CodecError, CodecFactory, Encoding, EncodingFormat, UnknownEncoding};
pub use current::{Current, InvalidSlot, SlotId};
pub use extensions::Extensions;
pub use initializer::{InitializerError, OrbInitInfo, OrbInitializer};
pub use ior::{AdapterState, IorInfo, IorInterceptor};
pub use registration::DuplicateName;
pub use server::ServerRequestInterceptor;
pub use server_info::{ServerPoint, ServerRequestInfo};
#[doc(hidden)]
pub use signature::signatures;
pub use signature::{OperationSignature, Parameter, ParameterMode, Signatures};
pub use taut_giop::component::TaggedComponent;
pub use taut_giop::ior::TaggedProfile;

pub(crate) use client_points::{ClientCall, ClientEnding, ClientPoints};
pub(crate) use current::Slots;
pub(crate) use initializer::InitialReferences;
pub(crate) use ior::AdapterFacts;
pub(crate) use registered::{Registered, of};
pub(crate) use registration::Registration;
pub(crate) use server_points::{Answer, Arrived, ServerEnding, ServerPoints};

/// The action of an interceptor at a point, instead of letting the request go on.
#[derive(Debug, Clone)]
pub enum Interruption {
    /// Raises a system exception, which takes the place of what has happened so far.
    Exception(SystemException),
    /// Sends the request to another object (`PortableInterceptor::ForwardRequest`), as a
    /// server does that forwards it.
    ForwardRequest(ObjectRef),
}

impl From<SystemException> for Interruption {
    fn from(exception: SystemException) -> Self {
        Self::Exception(exception)
    }
}

/// The outcome of a request, as far as it is known at a point
/// (`PortableInterceptor::ReplyStatus`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum ReplyStatus {
    /// The operation has been carried out, or the request has been sent, where nothing comes
    /// back.
    Successful = 0,
    /// A system exception has been raised.
    SystemException = 1,
    /// A user exception has been raised.
    UserException = 2,
    /// The request goes to another object.
    LocationForward = 3,
    /// The request is sent again.
    TransportRetry = 4,
    /// Nothing is known: the caller has let go of the call.
    Unknown = 5,
}

/// Returns the exception for what is not to be had at this point: BAD_INV_ORDER with OMG
/// minor 14.
fn out_of_order(completed: CompletionStatus) -> SystemException {
    SystemException::omg(SystemExceptionKind::BadInvOrder, 14, completed)
}

/// Returns the exception for what the ORB does not know: NO_RESOURCES with OMG minor 1.
fn unavailable() -> SystemException {
    SystemException::omg(SystemExceptionKind::NoResources, 1, CompletionStatus::No)
}

/// Returns BAD_PARAM with this minor code of the OMG.
fn bad_param(minor: u32) -> SystemException {
    SystemException::omg(SystemExceptionKind::BadParam, minor, CompletionStatus::No)
}
