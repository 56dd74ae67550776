//! The registration of interceptors with an ORB that is being made.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::current::SlotSpace;
use super::signature::KnownSignatures;
use super::{
    ClientRequestInterceptor, Current, IorInterceptor, OperationSignature, Registered,
    ServerRequestInterceptor, SlotId,
};
use crate::core::OrbCore;
use crate::object::Interface;

/// Two interceptors of the same kind have the same name
/// (`PortableInterceptor::ORBInitInfo::DuplicateName`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateName {
    /// The name.
    pub name: String,
}

/// The interceptors that an ORB is going to have.
pub(crate) struct Registration {
    client: Vec<Arc<dyn ClientRequestInterceptor>>,
    server: Vec<Arc<dyn ServerRequestInterceptor>>,
    ior: Vec<Arc<dyn IorInterceptor>>,
    signatures: KnownSignatures,
    space: Arc<SlotSpace>,
    /// The first name that two have.
    duplicate: Option<DuplicateName>,
}

impl Default for Registration {
    fn default() -> Self {
        Self {
            client: Vec::new(),
            server: Vec::new(),
            ior: Vec::new(),
            signatures: KnownSignatures::default(),
            space: Arc::new(SlotSpace::new()),
            duplicate: None,
        }
    }
}

impl Registration {
    pub(crate) fn add_client(
        &mut self,
        interceptor: Arc<dyn ClientRequestInterceptor>,
    ) -> Result<(), DuplicateName> {
        let names = self.client.iter().map(|one| one.name());
        check(names, interceptor.name())?;
        self.client.push(interceptor);
        Ok(())
    }

    pub(crate) fn add_server(
        &mut self,
        interceptor: Arc<dyn ServerRequestInterceptor>,
    ) -> Result<(), DuplicateName> {
        let names = self.server.iter().map(|one| one.name());
        check(names, interceptor.name())?;
        self.server.push(interceptor);
        Ok(())
    }

    pub(crate) fn add_ior(
        &mut self,
        interceptor: Arc<dyn IorInterceptor>,
    ) -> Result<(), DuplicateName> {
        let names = self.ior.iter().map(|one| one.name());
        check(names, interceptor.name())?;
        self.ior.push(interceptor);
        Ok(())
    }

    pub(crate) fn add_signatures(
        &mut self,
        interface: &'static Interface,
        signatures: Vec<OperationSignature>,
    ) {
        self.signatures.add(interface, signatures);
    }

    /// Notes the outcome of a registration for [`check`](Self::check).
    pub(crate) fn note(&mut self, outcome: Result<(), DuplicateName>) {
        if let Err(duplicate) = outcome {
            self.duplicate.get_or_insert(duplicate);
        }
    }

    /// Refuses names that two interceptors have.
    ///
    /// # Errors
    ///
    /// [`DuplicateName`].
    pub(crate) fn check(&mut self) -> Result<(), DuplicateName> {
        self.duplicate.take().map_or(Ok(()), Err)
    }

    /// Whether there are interceptors of requests so far.
    pub(crate) fn has_request_interceptors(&self) -> bool {
        !self.client.is_empty() || !self.server.is_empty()
    }

    /// Whether nothing is registered.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_request_interceptors() && self.ior.is_empty() && self.signatures.is_empty()
    }

    pub(super) fn allocate_slot(&self) -> SlotId {
        self.space.allocate()
    }

    pub(super) fn current(&self) -> Current {
        Current::new(&self.space)
    }

    /// Ends the registration.
    pub(crate) fn settle(self, core: &OrbCore) {
        let watches = (!self.client.is_empty(), !self.server.is_empty());
        let registered = Registered {
            client: self.client,
            server: self.server,
            ior: self.ior,
            signatures: self.signatures,
            space: self.space,
            next_request_id: AtomicU32::new(0),
        };
        let registered = Arc::new(registered);
        core.interception.settle(watches, Box::new(registered));
    }
}

/// Refuses a name that one of these has. Interceptors without a name may be several.
fn check<'n>(names: impl Iterator<Item = &'n str>, name: &str) -> Result<(), DuplicateName> {
    let mut names = names;
    match !name.is_empty() && names.any(|one| one == name) {
        true => Err(DuplicateName {
            name: name.to_owned(),
        }),
        false => Ok(()),
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |names: &mut dyn Iterator<Item = &str>| names.map(str::to_owned).collect();
        let client: Vec<_> = names(&mut self.client.iter().map(|one| one.name()));
        let server: Vec<_> = names(&mut self.server.iter().map(|one| one.name()));
        let ior: Vec<_> = names(&mut self.ior.iter().map(|one| one.name()));
        f.debug_struct("Registration")
            .field("client", &client)
            .field("server", &server)
            .field("ior", &ior)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for DuplicateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "two interceptors of the same kind have the name {:?}; give one of them another name, or none",
            self.name
        )
    }
}

impl std::error::Error for DuplicateName {}
