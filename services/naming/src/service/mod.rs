//! The naming service: CosNaming's contexts and iterators upon a [`Store`].
//!
//! One servant stands for all contexts; the object id of a request says for which. A context
//! costs what its entries cost in the store, and nothing in memory. References of contexts are
//! persistent.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use taut_naming::service::{NamingService, ServiceSettings};
//! use taut_naming::store::MemoryStore;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let orb = taut::Orb::builder().listen("*:2809")?.build()?;
//!     let store = Arc::new(MemoryStore::new());
//!     let service = NamingService::start(&orb, store, ServiceSettings::default())?;
//!     println!("{}", service.root());
//!     orb.run();
//!     Ok(())
//! }
//! ```

mod contexts;
mod contexts_ext;
#[cfg_attr(not(feature = "metrics"), path = "counters_absent.rs")]
mod counters;
mod faults;
mod federation;
mod iterators;
mod keeper;
mod leasing;
mod locators;
mod references;
mod replicas;
mod settings;
mod stored_references;

use std::fmt;
use std::sync::Arc;

use taut::{
    IdAssignmentPolicy, IdUniquenessPolicy, LifespanPolicy, ObjectRef, Orb, Poa, PoaError,
    PoaManagerError, RequestProcessingPolicy, ServantManager, ServantRetentionPolicy, ServerError,
};

use crate::store::{ContextId, Store};
use crate::{BindingIteratorSkeleton, LeasingContextSkeleton};
use contexts::Contexts;
use iterators::{IteratorServant, Iterators};
use keeper::Keeper;
use locators::{ContextLocator, IteratorLocator};
use references::References;

pub use replicas::{ReplicaAddress, ReplicaAddressError};
pub use settings::ServiceSettings;

/// The object key under which clients find the root context.
pub const KEY: &str = "NameService";

/// The target of the events that tell of each change of a name, at the level of debugging: the
/// field `change` has it, `peer` the client.
pub const CHANGES_TARGET: &str = "taut::naming::changes";

/// The names of the POAs; those of contexts are a part of references that clients keep.
const CONTEXTS: &str = "TautNaming";
const ITERATORS: &str = "TautNamingIterators";

/// A naming service in an ORB. It goes on until the ORB is shut down.
#[derive(Clone)]
pub struct NamingService {
    orb: Orb,
    references: Arc<References>,
    root: ObjectRef,
}

/// Why a naming service could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The ORB cannot be a server.
    Server(ServerError),
    /// A POA refuses, such as when the ORB has a naming service already.
    Poa(PoaError),
    /// The POA manager refuses.
    Manager(PoaManagerError),
}

impl NamingService {
    /// Starts a naming service in an ORB, under the object key `NameService`.
    ///
    /// # Errors
    ///
    /// When the ORB cannot listen or has been shut down, or has a naming service already.
    pub fn start(
        orb: &Orb,
        store: Arc<dyn Store>,
        settings: ServiceSettings,
    ) -> Result<Self, StartError> {
        let parent = orb.root_poa().map_err(StartError::Server)?;
        let contexts = child(&parent, CONTEXTS, LifespanPolicy::Persistent)?;
        let iterators = child(&parent, ITERATORS, LifespanPolicy::Transient)?;

        let settings = Arc::new(settings);
        let references = References::new(orb.clone(), contexts.clone(), store.tree());
        let references = Arc::new(references);
        let keeper = Keeper::new(
            orb.clone(),
            store,
            Arc::clone(&references),
            Arc::clone(&settings),
        );
        let keeper = Arc::new(keeper);
        let places = Arc::new(Iterators::new(iterators.clone(), settings));
        let root = references.of(ContextId::ROOT)?;
        let servant = Contexts::new(Arc::clone(&keeper), Arc::clone(&places));
        let servant = LeasingContextSkeleton::new(servant);
        let locator = ContextLocator::new(Arc::clone(&keeper), Arc::new(servant));
        contexts.set_servant_manager(ServantManager::locator(locator))?;

        let servant =
            BindingIteratorSkeleton::new(IteratorServant::new(keeper, Arc::clone(&places)));
        let locator = IteratorLocator::new(places, Arc::new(servant));
        iterators.set_servant_manager(ServantManager::locator(locator))?;

        orb.bind_object_key(KEY, &root);
        for poa in [iterators, contexts] {
            poa.manager().activate().map_err(StartError::Manager)?;
        }
        let orb = orb.clone();
        Ok(Self {
            orb,
            references,
            root,
        })
    }

    /// Returns the root context, in this replica.
    pub fn root(&self) -> &ObjectRef {
        &self.root
    }

    /// Has references of contexts lead to these other replicas too, in addition to this one: from
    /// now on each has a profile for each replica, so that a client goes on at another one when
    /// one dies. All have to have the same store.
    ///
    /// # Errors
    ///
    /// When the ORB is shut down.
    pub fn set_replicas(&self, others: &[ReplicaAddress]) -> Result<(), PoaError> {
        self.references.set_replicas(others);
        let root = self.references.of(ContextId::ROOT)?;
        self.orb.bind_object_key(KEY, &root);
        Ok(())
    }
}

/// A POA below `parent` whose objects a locator finds.
fn child(parent: &Poa, name: &str, lifespan: LifespanPolicy) -> Result<Poa, PoaError> {
    let policies = [
        lifespan.into(),
        IdAssignmentPolicy::UserId.into(),
        IdUniquenessPolicy::MultipleId.into(),
        ServantRetentionPolicy::NonRetain.into(),
        RequestProcessingPolicy::UseServantManager.into(),
    ];
    parent.create_poa(name, None, &policies)
}

impl fmt::Debug for NamingService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamingService").finish_non_exhaustive()
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(error) => write!(f, "{error}"),
            Self::Poa(PoaError::AdapterAlreadyExists) => {
                f.write_str("the ORB has a naming service already")
            }
            Self::Poa(error) => write!(f, "{error}"),
            Self::Manager(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<PoaError> for StartError {
    fn from(error: PoaError) -> Self {
        Self::Poa(error)
    }
}
