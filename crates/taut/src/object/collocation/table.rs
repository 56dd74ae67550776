//! Which servers of this process listen, and where.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;

use super::{AdapterHandle, Local};
use crate::core::OrbCore;
use crate::transport::Address;

/// Several servers may publish the same address, such as that of a machine which
/// shares requests out among them; and one may come before another has gone.
type Table = BTreeMap<Address, Vec<Arc<AdapterHandle>>>;

static TABLE: RwLock<Table> = RwLock::new(BTreeMap::new());

/// The first of these addresses and keys that leads to an adapter of this process.
pub(crate) fn find<'a>(
    core: &OrbCore,
    routes: impl Iterator<Item = (&'a Address, &'a [u8])>,
) -> Option<Local> {
    let table = TABLE.read();
    if table.is_empty() {
        return None;
    }
    routes
        .filter_map(|(address, key)| Some((table.get(address)?, key)))
        .find_map(|(adapters, key)| {
            let adapter = adapters.iter().find(|adapter| adapter.knows(key))?;
            Some(Local {
                adapter: Arc::clone(adapter),
                object_key: key.into(),
                is_same_orb: adapter.is_of(core),
                direct: OnceLock::new(),
            })
        })
}

/// Enters an adapter under its addresses, unless it is there already.
pub(super) fn enter(addresses: &[Address], adapter: &Arc<AdapterHandle>) {
    let mut table = TABLE.write();
    // Under the lock, so that who has left stays out.
    if adapter.is_closed() {
        return;
    }
    for address in addresses {
        let adapters = table.entry(address.clone()).or_default();
        if !adapters.iter().any(|other| Arc::ptr_eq(other, adapter)) {
            adapters.push(Arc::clone(adapter));
        }
    }
}

/// Takes an adapter out; others at its addresses stay.
pub(super) fn leave(adapter: &AdapterHandle) {
    TABLE.write().retain(|_, adapters| {
        adapters.retain(|other| !std::ptr::eq(&**other, adapter));
        !adapters.is_empty()
    });
}
