//! The interface repository (CORBA 3.3 part 1, chapter 14), upon a store.
//!
//! One servant stands for all definitions of a kind; the object id of a request says for which.
//! References are persistent, and those to definitions of one store are of no use with another.
//!
//! ```no_run
//! use taut_ifr::service::{InterfaceRepository, RepositorySettings, RepositoryStore};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let orb = taut::Orb::builder().listen("127.0.0.1:2810")?.build()?;
//!     let store = RepositoryStore::open("/var/lib/taut/interfaces")?;
//!     let repository = InterfaceRepository::start(&orb, store, RepositorySettings::default())?;
//!     let compilation = taut_idl::compile(&["bank.idl"], &taut_idl::Options::default());
//!     repository.load(&compilation.model)?;
//!     orb.run();
//!     Ok(())
//! }
//! ```

mod descriptions;
mod locator;
mod own;
mod references;
mod servants;
mod settings;
mod shared;

use std::fmt;
use std::sync::Arc;

use taut::{
    IdAssignmentPolicy, IdUniquenessPolicy, LifespanPolicy, ObjectRef, Orb, Poa, PoaError,
    PoaManagerError, Reference, RequestProcessingPolicy, ServantManager, ServantRetentionPolicy,
    ServerError,
};
use taut_idl::Model;

use crate::RepositoryRef;
use crate::contents::{Contents, Key};
use locator::Locator;
use references::References;
use shared::Shared;

pub use crate::contents::{LoadError, Loaded};
pub use crate::store::{RepositoryStore, StoreError};
pub use own::OwnInterfaces;
pub use settings::RepositorySettings;

/// The object key under which clients find the repository.
pub const KEY: &str = "InterfaceRepository";

/// The name of the POA; it is a part of references that clients keep.
const POA: &str = "TautInterfaces";

/// That of the POA of a server's repository for its own interfaces.
const OWN_POA: &str = "TautOwnInterfaces";

/// An interface repository in an ORB. It goes on until the ORB is shut down.
#[derive(Clone)]
pub struct InterfaceRepository {
    shared: Arc<Shared>,
    poa: Poa,
    reference: RepositoryRef,
}

/// Why an interface repository could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The ORB cannot be a server.
    Server(ServerError),
    /// A POA refuses, such as when the ORB has an interface repository already.
    Poa(PoaError),
    /// The POA manager refuses.
    Manager(PoaManagerError),
    /// The store cannot be read.
    Store(StoreError),
}

impl InterfaceRepository {
    /// Starts an interface repository in an ORB, under the object key `InterfaceRepository`, with
    /// what the store has.
    ///
    /// # Errors
    ///
    /// When the ORB cannot listen or has been shut down, or has an interface repository already;
    /// when the store cannot be read.
    pub fn start(
        orb: &Orb,
        store: RepositoryStore,
        settings: RepositorySettings,
    ) -> Result<Self, StartError> {
        let root = orb.root_poa().map_err(StartError::Server)?;
        let repository = Self::start_below(&root, POA, store, settings)?;
        orb.bind_object_key(KEY, repository.reference.as_object());
        Ok(repository)
    }

    /// Starts a repository without an object key of its own.
    fn start_below(
        root: &Poa,
        name: &str,
        store: RepositoryStore,
        settings: RepositorySettings,
    ) -> Result<Self, StartError> {
        let stored = store.read().map_err(StartError::Store)?;
        let contents = Contents::new(settings.limits(), stored);
        let contents = contents.map_err(|reason| StartError::Store(store.damaged(reason)))?;
        let policies = [
            LifespanPolicy::Persistent.into(),
            IdAssignmentPolicy::UserId.into(),
            IdUniquenessPolicy::MultipleId.into(),
            ServantRetentionPolicy::NonRetain.into(),
            RequestProcessingPolicy::UseServantManager.into(),
        ];
        let poa = root.create_poa(name, None, &policies)?;
        let references = References::new(store.tree());
        let shared = Arc::new(Shared::new(contents, store, references, settings));
        let reference = shared.references().of(
            &poa,
            Key::REPOSITORY,
            RepositoryRef::INTERFACE.repository_id,
        );
        let reference: RepositoryRef = reference?.unchecked_narrow();
        poa.set_servant_manager(ServantManager::locator(Locator::new(&shared)))?;
        poa.manager().activate().map_err(StartError::Manager)?;
        Ok(Self {
            shared,
            poa,
            reference,
        })
    }

    /// Returns the repository's reference.
    pub fn reference(&self) -> &RepositoryRef {
        &self.reference
    }

    /// Enters all definitions of IDL. The IDL takes the place of what the repository has
    /// under the same repository ids; definitions keep their references, and what the IDL does
    /// not mention remains, but for the operations, attributes and state members of its
    /// interfaces and value types.
    ///
    /// # Errors
    ///
    /// [`LoadError`]; the repository is as before then.
    pub fn load(&self, model: &Model) -> Result<Loaded, LoadError> {
        self.shared.load(model)
    }

    /// Returns the reference to the definition with a repository id, if there is one.
    pub fn lookup_id(&self, id: &str) -> Option<ObjectRef> {
        self.shared.lookup_id(&self.poa, id)
    }
}

impl fmt::Debug for InterfaceRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InterfaceRepository")
            .finish_non_exhaustive()
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(error) => write!(f, "{error}"),
            Self::Poa(PoaError::AdapterAlreadyExists) => {
                f.write_str("the ORB has an interface repository already")
            }
            Self::Poa(error) => write!(f, "{error}"),
            Self::Manager(error) => write!(f, "{error}"),
            Self::Store(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<PoaError> for StartError {
    fn from(error: PoaError) -> Self {
        Self::Poa(error)
    }
}
