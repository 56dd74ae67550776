//! Which servers of this process listen, and where.

use std::sync::{Arc, OnceLock};

use super::{AdapterHandle, Local};
use crate::core::OrbCore;
use crate::shared_lock::SharedLock;
use crate::transport::Address;

/// Each address of a server that listens, a few of each server. Several servers may publish
/// the same address, such as that of a machine which shares requests out among them; and
/// one may come before another has gone.
type Table = Vec<(Address, Arc<AdapterHandle>)>;

static TABLE: SharedLock<Table> = SharedLock::new(Vec::new());

/// The first of these addresses and keys that leads to an adapter of this process.
pub(crate) fn find<'a>(
    core: &OrbCore,
    routes: impl Iterator<Item = (&'a Address, &'a [u8])>,
) -> Option<Local> {
    let table = TABLE.read();
    if table.is_empty() {
        return None;
    }
    for (address, key) in routes {
        let mut adapters = table.iter();
        let knows =
            |(at, adapter): &&(Address, Arc<AdapterHandle>)| at == address && adapter.knows(key);
        if let Some((_, adapter)) = adapters.find(knows) {
            return Some(Local {
                adapter: Arc::clone(adapter),
                object_key: key.into(),
                is_same_orb: adapter.is_of(core),
                direct: OnceLock::new(),
            });
        }
    }
    None
}

/// Enters an adapter under its addresses, unless it is there already.
pub(super) fn enter(addresses: &[Address], adapter: &Arc<AdapterHandle>) {
    let mut table = TABLE.write();
    // Under the lock, so that who has left stays out.
    if adapter.is_closed() {
        return;
    }
    for address in addresses {
        let mut entries = table.iter();
        if !entries.any(|(at, other)| at == address && Arc::ptr_eq(other, adapter)) {
            table.push((address.clone(), Arc::clone(adapter)));
        }
    }
}

/// Takes an adapter out; others at its addresses stay.
pub(super) fn leave(adapter: &AdapterHandle) {
    TABLE
        .write()
        .retain(|(_, other)| !std::ptr::eq(&**other, adapter));
}
