//! The interface repository of a server for its own interfaces.

use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use taut::{
    CompletionStatus, Current, InterfaceSource, Ior, ObjectRef, Poa, SystemException,
    SystemExceptionKind, minor,
};
use taut_idl::bundle::Bundle;

use super::shared::Shared;
use super::{InterfaceRepository, OWN_POA, RepositorySettings, RepositoryStore};

/// The interface repository of a server for its own interfaces: clients that ask one of its
/// objects for its interface get it from there, and need no IDL file.
///
/// It is made of the IDL that the build script compiled, and only when a client asks for the
/// first time; a server that is never asked pays nothing but the octets of the IDL in its file.
///
/// ```
/// use taut_ifr::service::OwnInterfaces;
///
/// /// `bundle` is `taut::idl_bundle!("bank")`.
/// fn server(bundle: &'static [u8]) -> Result<taut::Orb, taut::InitError> {
///     let interfaces = OwnInterfaces::new([bundle]);
///     taut::Orb::builder().interface_repository(interfaces).build()
/// }
/// ```
pub struct OwnInterfaces {
    bundles: Vec<&'static [u8]>,
    settings: RepositorySettings,
    /// The repository. Its POA, which keeps it, is found by its name.
    started: Mutex<Option<Result<Weak<Shared>, SystemException>>>,
}

impl OwnInterfaces {
    /// A repository of these bundles of IDL: those of `taut::idl_bundle!`.
    pub fn new(bundles: impl IntoIterator<Item = &'static [u8]>) -> Self {
        // Clients look into it, and change nothing.
        let settings = RepositorySettings {
            is_read_only: true,
            ..RepositorySettings::default()
        };
        Self {
            bundles: bundles.into_iter().collect(),
            settings,
            started: Mutex::new(None),
        }
    }

    /// Sets the limits, and whether clients may change definitions; unless set, they may not.
    #[must_use]
    pub fn with_settings(mut self, settings: RepositorySettings) -> Self {
        self.settings = settings;
        self
    }

    /// Finds the reference to the definition with a repository id. The repository is started in the
    /// ORB of the current request if need be.
    fn find(&self, id: &str) -> Result<Option<ObjectRef>, SystemException> {
        let mut root: Poa = Current::poa()?;
        while let Some(parent) = root.parent().cloned() {
            root = parent;
        }
        let mut started = self.started.lock();
        match &*started {
            Some(Ok(shared)) if let Some(shared) = shared.upgrade() => {
                let poa = root.find_poa(OWN_POA, false)?;
                return Ok(shared.lookup_id(&poa, id));
            }
            // It would fail again.
            Some(Err(exception)) => return Err(exception.clone()),
            _ => {}
        }
        let made = self.start(&root);
        let shared = made.as_ref().map(|made| Arc::downgrade(&made.shared));
        *started = Some(shared.map_err(Clone::clone));
        Ok(made?.lookup_id(id))
    }

    /// Starts the repository with all bundles in it.
    fn start(&self, root: &Poa) -> Result<InterfaceRepository, SystemException> {
        let mut models = Vec::new();
        for octets in &self.bundles {
            let bundle = Bundle::from_octets(octets).map_err(|error| unavailable(&error))?;
            let compilation = bundle.compile();
            if compilation.has_errors() {
                return Err(unavailable(&compilation.render(false)));
            }
            models.push(compilation.model);
        }
        let store = RepositoryStore::memory();
        let settings = self.settings.clone();
        let repository = InterfaceRepository::start_below(root, OWN_POA, store, settings);
        let repository = repository.map_err(|error| unavailable(&error))?;
        for model in &models {
            let loaded = repository.load(model);
            loaded.map_err(|error| unavailable(&error))?;
        }
        Ok(repository)
    }
}

impl InterfaceSource for OwnInterfaces {
    fn interface(&self, repository_id: &str) -> Result<Option<Ior>, SystemException> {
        let found = self.find(repository_id)?;
        Ok(found.map(|found| found.ior().clone()))
    }
}

impl fmt::Debug for OwnInterfaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnInterfaces")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// The exception for a repository that cannot be had, which is also an event.
fn unavailable(error: &dyn fmt::Display) -> SystemException {
    tracing::error!(target: "taut::ifr", %error, "the interface repository cannot be made");
    let kind = SystemExceptionKind::IntfRepos;
    SystemException::new(kind, minor::omg(1), CompletionStatus::No).because(error.to_string())
}
