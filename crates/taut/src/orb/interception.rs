//! The interceptors of an ORB, from its builder on to its end.

use std::sync::Arc;

use super::{InitError, Orb, OrbBuilder};
use crate::core::{Interception, OrbCore};
use crate::interceptors::{
    self, ClientRequestInterceptor, CodecFactory, Current, InitialReferences, InitializerError,
    IorInterceptor, OrbInitInfo, OrbInitializer, Registration, ServerRequestInterceptor,
    Signatures,
};
use crate::object::ObjectRef;
use crate::settings::Settings;

/// The interceptors that an ORB is going to have.
#[derive(Debug, Default)]
pub(super) struct Interceptors {
    registration: Registration,
    initializers: Vec<Initializer>,
    arguments: Vec<String>,
}

struct Initializer(Arc<dyn OrbInitializer>);

impl std::fmt::Debug for Initializer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Initializer")
    }
}

impl OrbBuilder {
    /// Registers an interceptor of the requests that the ORB sends, behind those that were
    /// registered before. Two with the same name are an error of [`build`](Self::build).
    #[must_use]
    pub fn client_interceptor(
        mut self,
        interceptor: impl ClientRequestInterceptor + 'static,
    ) -> Self {
        let registration = &mut self.interceptors.registration;
        let outcome = registration.add_client(Arc::new(interceptor));
        registration.note(outcome);
        self
    }

    /// Registers an interceptor of the requests that the ORB receives, likewise.
    #[must_use]
    pub fn server_interceptor(
        mut self,
        interceptor: impl ServerRequestInterceptor + 'static,
    ) -> Self {
        let registration = &mut self.interceptors.registration;
        let outcome = registration.add_server(Arc::new(interceptor));
        registration.note(outcome);
        self
    }

    /// Registers an interceptor of the references that the ORB makes, likewise.
    #[must_use]
    pub fn ior_interceptor(mut self, interceptor: impl IorInterceptor + 'static) -> Self {
        let registration = &mut self.interceptors.registration;
        let outcome = registration.add_ior(Arc::new(interceptor));
        registration.note(outcome);
        self
    }

    /// Has this code register interceptors, when the ORB is made. Initializers are called in
    /// their order: `pre_init` of all, and then `post_init` of all.
    #[must_use]
    pub fn initializer(mut self, initializer: impl OrbInitializer + 'static) -> Self {
        let initializer = Initializer(Arc::new(initializer));
        self.interceptors.initializers.push(initializer);
        self
    }

    /// Tells the ORB the types of an interface's operations, so that interceptors can look at
    /// arguments and results.
    #[must_use]
    pub fn signatures_of<R: Signatures>(mut self) -> Self {
        let registration = &mut self.interceptors.registration;
        registration.add_signatures(R::INTERFACE, R::signatures());
        self
    }
}

impl Orb {
    /// The slots of threads (`PICurrent`), which interceptors read and set.
    pub fn pi_current(&self) -> Current {
        match interceptors::of(&self.shared.core) {
            Some(registered) => registered.current(),
            None => Current::without_slots(),
        }
    }

    /// The factory of codecs (`CodecFactory`).
    pub fn codec_factory(&self) -> CodecFactory {
        CodecFactory::new()
    }
}

impl Interceptors {
    /// Notes the arguments that initializers may look at.
    pub(super) fn note_arguments(&mut self, arguments: &[String]) {
        self.arguments.extend_from_slice(arguments);
    }

    /// Runs what comes before there is an ORB.
    ///
    /// # Errors
    ///
    /// [`InitError::DuplicateName`], [`InitError::Initializer`].
    pub(super) fn begin(&mut self, settings: &mut Settings) -> Result<(), InitError> {
        self.registration
            .check()
            .map_err(InitError::DuplicateName)?;
        if self.is_expected() {
            // Interceptors see the name of each operation.
            settings.wire.operation_handles = false;
        }
        for Initializer(initializer) in &self.initializers {
            let mut info = OrbInitInfo::new(&mut self.registration, &self.arguments, None);
            initializer
                .pre_init(&mut info)
                .map_err(InitError::Initializer)?;
        }
        Ok(())
    }

    fn is_expected(&self) -> bool {
        self.registration.has_request_interceptors() || !self.initializers.is_empty()
    }

    /// The state of the ORB's core in which references are made that interceptors may see.
    pub(super) fn expected(&self) -> Interception {
        Interception::new(self.is_expected())
    }

    /// Runs what comes when there is an ORB, and ends the registration.
    ///
    /// # Errors
    ///
    /// [`InitError::Initializer`].
    pub(super) fn end(mut self, orb: &Orb) -> Result<(), InitError> {
        if !self.is_expected() && self.registration.is_empty() {
            return Ok(());
        }
        for Initializer(initializer) in &self.initializers {
            let (registration, arguments) = (&mut self.registration, &self.arguments);
            let mut info = OrbInitInfo::new(registration, arguments, Some(orb));
            initializer
                .post_init(&mut info)
                .map_err(InitError::Initializer)?;
        }
        self.registration.settle(&orb.shared.core);
        Ok(())
    }
}

impl InitialReferences for Orb {
    fn resolve(&self, name: &str) -> Result<ObjectRef, InitializerError> {
        Ok(self.resolve_initial_references(name)?)
    }

    fn register(&self, name: &str, object: &ObjectRef) -> Result<(), InitializerError> {
        self.register_initial_reference(name, object)?;
        Ok(())
    }
}

/// Tells the interceptors that the ORB has ended.
pub(super) fn destroy(core: &OrbCore) {
    if let Some(registered) = interceptors::of(core) {
        registered.destroy();
    }
}
