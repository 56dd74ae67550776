//! The Portable Object Adapter (CORBA 3.3 part 1, 15): makes references, and
//! brings requests to servants in constant time.
//!
//! - [`Poa`]: [`hierarchy`] has parents and children, [`activation`] the objects,
//!   [`references`] what leads to them, [`dispatch`] the way of a request;
//! - [`table`] finds POAs, [`active_object_map`] finds objects, [`name_index`] helps
//!   both where a name is all that is known;
//! - [`manager`] lets requests through or not.

mod activation;
mod active_object_map;
mod adapters;
#[cfg(feature = "full")]
mod collocation;
#[cfg_attr(not(feature = "full"), path = "components_absent.rs")]
mod components;
mod current;
#[cfg(feature = "full")]
mod deferred;
mod dispatch;
mod error;
mod frozen_index;
mod hierarchy;
mod incarnated;
mod intercepted;
mod last_target;
mod main_thread;
mod manager;
mod manager_factory;
#[cfg(feature = "probes")]
pub mod measure;
mod name_index;
mod object_id;
mod object_key;
#[cfg_attr(not(feature = "full"), path = "on_demand_absent.rs")]
mod on_demand;
mod persistent_key;
mod plain_keys;
mod policy;
mod pool;
#[cfg_attr(not(feature = "full"), path = "predictable_absent.rs")]
mod predictable;
mod prioritized;
#[cfg(feature = "full")]
mod quality;
mod references;
#[cfg(feature = "full")]
mod request_context;
#[cfg_attr(not(feature = "full"), path = "request_priorities_absent.rs")]
mod request_priorities;
mod servant;
#[cfg(feature = "full")]
mod servant_manager;
mod served;
mod table;
#[cfg(feature = "full")]
mod with_priority;

use std::fmt;
use std::sync::{Arc, OnceLock};

use taut_giop::{Limits, SystemExceptionKind, minor};

#[cfg(feature = "full")]
use crate::core::OrbCore;
use crate::object::PoolEndpoints;
use crate::priority::SharedReentrantMutex;
use crate::quality::ServiceQuality;
use crate::settings::{DemultiplexingStrategy, Settings};
use active_object_map::ActiveObjectMap;
use components::Components;
use error::own_refusal;
use hierarchy::Family;
use object_id::SLOT_LENGTH;
use object_key::{Incarnation, KeyName, ObjectKey};
use on_demand::Demand;
use policy::{Policies, ToldPolicies};
use predictable::Promises;
use request_priorities::RequestPriorities;
use table::PoaTable;
use taut_sync::slot_table::SlotId;

pub(crate) use adapters::{Adapters, AdaptersOrigin};
pub use current::{Current, NoContext};
#[cfg(feature = "full")]
pub use deferred::{DeferredRequest, Responder, answer_with_future, responder};
pub use error::PoaError;
pub use manager::{PoaManager, PoaManagerError, PoaManagerState};
pub use manager_factory::{ManagerAlreadyExists, PoaManagerFactory};
pub use object_id::ObjectId;
pub use persistent_key::PersistentKey;
pub use policy::{
    IdAssignmentPolicy, IdUniquenessPolicy, ImplicitActivationPolicy, LifespanPolicy, Policy,
    ThreadPolicy,
};
pub use policy::{RequestProcessingPolicy, ServantRetentionPolicy};
#[cfg(feature = "full")]
pub use predictable::{Missing, SealError};
#[cfg(feature = "full")]
pub use request_context::RequestContext;
pub use servant::{Servant, ServantIdentity, Skeleton};
#[cfg(feature = "full")]
pub use {
    hierarchy::AdapterActivator,
    servant_manager::{
        Cookie, ServantActivator, ServantLocator, ServantManager, ServantManagerError,
    },
};

/// A POA. A clone is the same POA.
///
/// The [root POA](crate::Orb::root_poa) has the standard's policies: references are
/// transient, ids are assigned by the POA (SYSTEM_ID), a servant incarnates one
/// object at a time (UNIQUE_ID), and asking for the reference of an inactive servant
/// activates it (IMPLICIT_ACTIVATION). Its manager holds requests until it is told
/// to [activate](PoaManager::activate). POAs with other policies are
/// [created](Self::create_poa) as its children:
///
/// ```
/// use taut::{IdAssignmentPolicy, LifespanPolicy, Orb};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let orb = Orb::builder().listen("127.0.0.1:0")?.build()?;
/// let root = orb.root_poa()?;
/// let accounts = root.create_poa(
///     "accounts",
///     Some(root.manager()),
///     &[
///         LifespanPolicy::Persistent.into(),
///         IdAssignmentPolicy::UserId.into(),
///     ],
/// )?;
/// let reference = accounts.create_reference_with_id(&"ada".into(), "IDL:bank/Account:1.0")?;
/// assert_eq!(accounts.reference_to_id(&reference)?, "ada".into());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Poa {
    shared: Arc<Shared>,
}

struct Shared {
    name: Box<str>,
    /// The server's id and the names on the way from the root, each behind its
    /// length.
    path: Box<[u8]>,
    parent: Option<Poa>,
    place: SlotId,
    policies: Policies,
    /// The policies that references tell.
    told_policies: ToldPolicies,
    /// The thread pool that the POA is bound to.
    pool: Option<Arc<PoolEndpoints>>,
    /// The priorities of its requests, if they have any.
    priorities: Option<Box<RequestPriorities>>,
    manager: PoaManager,
    /// Whether the manager was made for this POA.
    has_own_manager: bool,
    family: Family,
    map: ActiveObjectMap,
    demand: Demand,
    /// Those of its references that interceptors have added.
    components: Components,
    /// The quality of its objects' service, if not everything is granted.
    quality: OnceLock<ServiceQuality>,
    promises: Promises,
    /// Held by the thread that runs a servant, where one at a time may.
    one_at_a_time: Option<SharedReentrantMutex<()>>,
    /// The state that all POAs of the ORB share.
    table: Arc<PoaTable>,
    managers: Arc<PoaManagerFactory>,
}

/// The parts of which a POA is made.
struct Origin<'a> {
    name: &'a str,
    path: Box<[u8]>,
    parent: Option<Poa>,
    policies: Policies,
    told_policies: ToldPolicies,
    pool: Option<Arc<PoolEndpoints>>,
    /// None: one of its own.
    manager: Option<PoaManager>,
    table: &'a Arc<PoaTable>,
    managers: &'a Arc<PoaManagerFactory>,
}

impl Poa {
    fn new(place: SlotId, origin: Origin<'_>) -> Self {
        let Origin {
            policies, table, ..
        } = origin;
        let settings: &Settings = &table.core.settings;
        let id_prefix: &[u8] = match policies.is_persistent() {
            true => &id_prefix(&table.incarnation, place),
            false => &[],
        };
        let is_serial = policies.thread == ThreadPolicy::SingleThread;
        let has_own_manager = origin.manager.is_none();
        let manager = origin.manager;
        let manager = manager.unwrap_or_else(|| origin.managers.create_anonymous());
        let mut told_policies = origin.told_policies;
        let shared = Shared {
            name: origin.name.into(),
            path: origin.path,
            parent: origin.parent,
            place,
            policies,
            pool: origin.pool,
            priorities: told_policies.priorities.take(),
            told_policies,
            manager,
            has_own_manager,
            family: Family::default(),
            map: ActiveObjectMap::new(settings, id_prefix),
            demand: Demand::default(),
            components: Components::default(),
            quality: OnceLock::new(),
            promises: Promises::default(),
            one_at_a_time: is_serial.then(|| SharedReentrantMutex::new(())),
            table: Arc::clone(table),
            managers: Arc::clone(origin.managers),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The name, which tells the POA from its siblings.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The POA that has created this one; the root POA has none.
    pub fn parent(&self) -> Option<&Self> {
        self.shared.parent.as_ref()
    }

    /// Returns an id that tells this POA from all others of this process, and, if it is
    /// persistent, from all others of this server.
    pub fn id(&self) -> Vec<u8> {
        let shared = &self.shared;
        match shared.policies.is_persistent() {
            true => shared.path.to_vec(),
            false => object_id::slot_octets(shared.place).to_vec(),
        }
    }

    /// The manager that lets requests through to this POA.
    pub fn manager(&self) -> &PoaManager {
        &self.shared.manager
    }

    /// Where the ORB's POA managers are made and found.
    pub fn manager_factory(&self) -> &PoaManagerFactory {
        &self.shared.managers
    }

    /// Whether this is the POA that a key for its place names.
    #[inline(always)]
    fn is_named(&self, key: &ObjectKey<'_>) -> bool {
        match key.name {
            KeyName::Persistent { path, .. } => self.shared.path[..] == *path,
            _ => !self.shared.policies.is_persistent(),
        }
    }

    /// The ORB.
    #[cfg(feature = "full")]
    fn core(&self) -> &OrbCore {
        &self.shared.table.core
    }

    /// Returns how long the lists in messages may be.
    fn limits(&self) -> &Limits {
        &self.shared.table.core.settings.limits.lists
    }

    /// Whether a request has nothing to wait for and nobody to ask but the active
    /// object map, where its key says so; but for the priority of its requests.
    fn is_direct(&self) -> bool {
        let strategy = self.shared.table.core.settings.server.poa_demultiplexing;
        self.policies().thread == ThreadPolicy::OrbControlled
            && self.policies().retains()
            && !self
                .shared
                .quality
                .get()
                .is_some_and(ServiceQuality::is_apart)
            && self.shared.map.follows_hints()
            && (strategy == DemultiplexingStrategy::Active || !self.policies().is_persistent())
    }

    /// Whether requests take turns.
    fn has_turns(&self) -> bool {
        self.shared.one_at_a_time.is_some()
    }

    /// Whether the thread that runs the ORB is to carry requests out, and this is not
    /// it.
    fn needs_main_thread(&self) -> bool {
        self.policies().thread == ThreadPolicy::MainThread
            && !self.shared.table.core.main_thread.is_host()
    }

    /// Whether a servant locator is asked for each request.
    fn has_locator(&self) -> bool {
        self.policies().uses_servant_manager() && !self.policies().retains()
    }

    fn policies(&self) -> &Policies {
        &self.shared.policies
    }

    fn path(&self) -> &[u8] {
        &self.shared.path
    }

    fn place(&self) -> SlotId {
        self.shared.place
    }

    /// Refuses what the policies do not allow.
    fn require(&self, is_allowed: bool) -> Result<(), PoaError> {
        match is_allowed {
            true => Ok(()),
            false => Err(PoaError::WrongPolicy),
        }
    }
}

impl Shared {
    /// Returns the address, which tells it from others.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// Returns the octets with which the ids of one persistent POA begin, and those of no
/// other: neither in another life of the server, nor of one that had the same name before.
fn id_prefix(incarnation: &Incarnation, place: SlotId) -> [u8; SLOT_LENGTH] {
    let mut prefix = object_id::slot_octets(place);
    let random = prefix.iter_mut().zip(incarnation);
    random.for_each(|(octet, random)| *octet ^= random);
    prefix
}

/// The path with a further name.
///
/// # Errors
///
/// IMP_LIMIT when it cannot be told in an object key.
fn extend_path(path: &[u8], name: &str) -> Result<Box<[u8]>, PoaError> {
    let too_long = || own_refusal(SystemExceptionKind::ImpLimit, minor::POA_NAME_TOO_LONG);
    let length = u16::try_from(name.len()).map_err(|_| too_long())?;
    let extended = [path, &length.to_be_bytes(), name.as_bytes()].concat();
    match u16::try_from(extended.len()) {
        Ok(_) => Ok(extended.into()),
        Err(_) => Err(too_long().into()),
    }
}

/// The names in a path behind the first, which is the server's id.
fn names_in(path: &[u8]) -> Option<(&str, Vec<&str>)> {
    let mut names = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (length, behind) = rest.split_first_chunk::<2>()?;
        let (name, behind) = behind.split_at_checked(u16::from_be_bytes(*length).into())?;
        names.push(std::str::from_utf8(name).ok()?);
        rest = behind;
    }
    let (server_id, names) = names.split_first()?;
    Some((server_id, names.to_vec()))
}

impl PartialEq for Poa {
    /// Whether both are the same POA.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Poa {}

impl fmt::Debug for Poa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poa")
            .field("name", &self.shared.name)
            .field("policies", &self.shared.policies)
            .field("manager", &self.shared.manager)
            .finish_non_exhaustive()
    }
}
