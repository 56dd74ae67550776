//! Code that registers interceptors while an ORB is made.

use std::fmt;
use std::sync::Arc;

use super::{
    ClientRequestInterceptor, CodecFactory, Current, DuplicateName, IorInterceptor,
    OperationSignature, Registration, ServerRequestInterceptor, SlotId,
};
use crate::object::{Interface, ObjectRef};

/// Registers interceptors with an ORB (`PortableInterceptor::ORBInitializer`, CORBA 3.3 part 1,
/// 16.7.1), for libraries whose users should have one thing to name:
/// [`OrbBuilder::initializer`](crate::OrbBuilder::initializer).
pub trait OrbInitializer: Send + Sync {
    /// Runs before there is an ORB.
    ///
    /// # Errors
    ///
    /// The error that the ORB's builder fails with.
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), InitializerError> {
        let _ = info;
        Ok(())
    }

    /// Runs when the ORB has been made, before its user has it. Initial references can be
    /// resolved now.
    ///
    /// # Errors
    ///
    /// The error that the ORB's builder fails with.
    fn post_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), InitializerError> {
        let _ = info;
        Ok(())
    }
}

/// Why an initializer could not do what it wanted.
pub type InitializerError = Box<dyn std::error::Error + Send + Sync>;

/// The ORB that is being made (`PortableInterceptor::ORBInitInfo`, CORBA 3.3 part 1, 16.7.2).
pub struct OrbInitInfo<'o> {
    registration: &'o mut Registration,
    arguments: &'o [String],
    references: Option<&'o dyn InitialReferences>,
}

/// The initial references of an ORB that has been made.
pub(crate) trait InitialReferences {
    fn resolve(&self, name: &str) -> Result<ObjectRef, InitializerError>;
    fn register(&self, name: &str, object: &ObjectRef) -> Result<(), InitializerError>;
}

impl<'o> OrbInitInfo<'o> {
    pub(crate) fn new(
        registration: &'o mut Registration,
        arguments: &'o [String],
        references: Option<&'o dyn InitialReferences>,
    ) -> Self {
        Self {
            registration,
            arguments,
            references,
        }
    }

    /// Returns the arguments that the ORB's builder was given, those for the ORB among them.
    pub fn arguments(&self) -> &[String] {
        self.arguments
    }

    /// Returns the ORB's id: the empty one, for all ORBs of a process are made one by one.
    pub fn orb_id(&self) -> &str {
        ""
    }

    /// Returns the factory of codecs.
    pub fn codec_factory(&self) -> CodecFactory {
        CodecFactory::new()
    }

    /// Registers an interceptor of requests that the ORB sends.
    ///
    /// # Errors
    ///
    /// [`DuplicateName`].
    pub fn add_client_request_interceptor(
        &mut self,
        interceptor: Arc<dyn ClientRequestInterceptor>,
    ) -> Result<(), DuplicateName> {
        self.registration.add_client(interceptor)
    }

    /// Registers an interceptor of requests that the ORB receives.
    ///
    /// # Errors
    ///
    /// [`DuplicateName`].
    pub fn add_server_request_interceptor(
        &mut self,
        interceptor: Arc<dyn ServerRequestInterceptor>,
    ) -> Result<(), DuplicateName> {
        self.registration.add_server(interceptor)
    }

    /// Registers an interceptor of references that the ORB makes.
    ///
    /// # Errors
    ///
    /// [`DuplicateName`].
    pub fn add_ior_interceptor(
        &mut self,
        interceptor: Arc<dyn IorInterceptor>,
    ) -> Result<(), DuplicateName> {
        self.registration.add_ior(interceptor)
    }

    /// Tells the ORB the types of an interface's operations.
    pub fn add_signatures(
        &mut self,
        interface: &'static Interface,
        signatures: Vec<OperationSignature>,
    ) {
        self.registration.add_signatures(interface, signatures);
    }

    /// Makes a slot for data of threads and requests.
    pub fn allocate_slot_id(&mut self) -> SlotId {
        self.registration.allocate_slot()
    }

    /// Returns the slots of threads, for interceptors to keep.
    pub fn pi_current(&self) -> Current {
        self.registration.current()
    }

    /// Finds an initial reference.
    ///
    /// # Errors
    ///
    /// When there is none of this name; always before the ORB has been made, in `pre_init`.
    pub fn resolve_initial_references(&self, name: &str) -> Result<ObjectRef, InitializerError> {
        self.references()?.resolve(name)
    }

    /// Registers an initial reference.
    ///
    /// # Errors
    ///
    /// When the name is empty; always before the ORB has been made, in `pre_init`.
    pub fn register_initial_reference(
        &mut self,
        name: &str,
        object: &ObjectRef,
    ) -> Result<(), InitializerError> {
        self.references()?.register(name, object)
    }

    fn references(&self) -> Result<&'o dyn InitialReferences, InitializerError> {
        let early = "there is no ORB yet: initial references are to be had in post_init";
        self.references.ok_or_else(|| early.into())
    }
}

impl fmt::Debug for OrbInitInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrbInitInfo")
            .field("arguments", &self.arguments)
            .field("registration", &self.registration)
            .finish_non_exhaustive()
    }
}
