//! POAs that are bound to a thread pool, whose threads alone carry their requests out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taut_giop::Ior;

use super::object_key::ObjectKey;
use super::policy::Policies;
use super::table::PoaTable;
use super::{ObjectId, Poa, PoaError};
use crate::core::OrbCore;
use crate::object::PoolEndpoints;
use crate::server::serves_pool;

/// Whether a table of POAs has some that are bound to thread pools.
#[derive(Debug, Default)]
pub(super) struct HasBound(AtomicBool);

/// Binds a POA with these policies, of which so many were asked for, to the thread pool that they
/// or the ORB's name. Returns none if they name none.
///
/// # Errors
///
/// [`PoaError::InvalidPolicy`] when there is no such pool.
pub(super) fn bind(
    table: &PoaTable,
    policies: &Policies,
    asked: &[super::Policy],
) -> Result<Option<Arc<PoolEndpoints>>, PoaError> {
    let Some(pool) = policies.pool.or_else(|| of_orb(&table.core)) else {
        return Ok(None);
    };
    let bound = table.pool(pool).filter(|pool| pool.bind());
    match bound {
        Some(pool) => {
            table.has_bound.0.store(true, Ordering::Release);
            Ok(Some(pool))
        }
        None => Err(PoaError::invalid_policy(place_in(asked))),
    }
}

/// The place of the policy among those that were asked for; behind them if it is the ORB's.
fn place_in(asked: &[super::Policy]) -> usize {
    let mut asked_for = asked.iter();
    #[cfg(feature = "full")]
    let place = asked_for.position(|policy| matches!(policy, super::Policy::Threadpool(_)));
    #[cfg(not(feature = "full"))]
    let place = asked_for.position(|_| false);
    place.unwrap_or(asked.len())
}

/// The pool that the ORB's policies name.
#[cfg(feature = "full")]
fn of_orb(core: &OrbCore) -> Option<u32> {
    use crate::policy::ThreadpoolPolicy;

    let policy = core
        .policies
        .overrides()
        .find::<ThreadpoolPolicy>()
        .copied()?;
    Some(policy.0.0)
}

#[cfg(not(feature = "full"))]
const fn of_orb(_: &OrbCore) -> Option<u32> {
    None
}

impl PoaTable {
    /// Where a request for the object with this key is to go instead, if its POA is bound to a
    /// thread pool and the calling thread is none of that.
    #[inline]
    pub(super) fn elsewhere(&self, object_key: &[u8]) -> Option<Box<Ior>> {
        match self.has_bound.0.load(Ordering::Relaxed) {
            true => self.pool_elsewhere(object_key),
            false => None,
        }
    }

    #[cold]
    fn pool_elsewhere(&self, object_key: &[u8]) -> Option<Box<Ior>> {
        let key = ObjectKey::parse(object_key)?;
        let entry = self.find(&key)?;
        let poa = &entry.value.poa;
        if poa.is_served_here() {
            return None;
        }
        tracing::debug!(
            poa = poa.name(),
            pool = poa.shared.pool.as_ref().map(|pool| pool.pool()),
            "a request has come to another endpoint than those of its thread pool"
        );
        let reference = poa.reference_of_key(&key);
        Some(Box::new(reference.ior().clone()))
    }
}

impl Poa {
    /// A reference to the object with this key, which is one of this POA's.
    fn reference_of_key(&self, key: &ObjectKey<'_>) -> crate::object::ObjectRef {
        let found = self.shared.map.find(key.object, key.name.id());
        let interface = found.as_ref().map(|found| found.incarnated().interface());
        let type_id = interface.map_or("", |interface| interface.repository_id);
        let id = key.name.id().map(ObjectId::new);
        self.reference(type_id, interface, key.object, id.as_ref())
    }

    /// Whether the calling thread may carry the POA's requests out.
    pub(super) fn is_served_here(&self) -> bool {
        let pool = self.shared.pool.as_ref();
        pool.is_none_or(|pool| serves_pool(pool.pool()))
    }

    /// Ends the POA's bond to its thread pool.
    pub(super) fn leave_pool(&self) {
        if let Some(pool) = &self.shared.pool {
            pool.unbind();
        }
    }
}
