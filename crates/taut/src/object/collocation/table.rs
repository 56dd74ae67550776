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
///
/// The table is free while an adapter is asked: the answer may be the application's code, which
/// may make calls of its own and end ORBs.
pub(crate) fn find<'a>(
    core: &OrbCore,
    routes: impl Iterator<Item = (&'a Address, &'a [u8])>,
) -> Option<Local> {
    for (address, key) in routes {
        let mut place = 0;
        while let Some(adapter) = next_at(address, &mut place) {
            if adapter.knows(key) {
                return Some(Local {
                    object_key: key.into(),
                    is_same_orb: adapter.is_of(core),
                    adapter,
                    direct: OnceLock::new(),
                });
            }
        }
    }
    None
}

/// Returns the next adapter at this address, from this place on, which moves behind it. If others
/// leave meanwhile, one may be passed over: then calls go to it by a connection.
fn next_at(address: &Address, place: &mut usize) -> Option<Arc<AdapterHandle>> {
    let table = TABLE.read();
    let mut rest = table.iter().enumerate().skip(*place);
    let (at, (_, adapter)) = rest.find(|(_, (at, _))| at == address)?;
    *place = at + 1;
    Some(Arc::clone(adapter))
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
    let mut table = TABLE.write();
    table.retain(|(_, other)| !std::ptr::eq(&**other, adapter));
}
