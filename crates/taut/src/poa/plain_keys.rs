//! Plain object keys: what stands in object URLs such as
//! `corbaloc:iiop:example.com/Bank`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use taut_giop::Ior;

use crate::object::ObjectRef;

/// Which objects plain keys stand for. Who calls one is forwarded to the other.
#[derive(Default)]
pub(crate) struct PlainKeys {
    bound: RwLock<HashMap<Box<[u8]>, ObjectRef>>,
    locator: RwLock<Option<Arc<Locator>>>,
}

/// Tells which object a key stands for.
pub(crate) type Locator = dyn Fn(&[u8]) -> Option<ObjectRef> + Send + Sync;

impl PlainKeys {
    /// Lets a key stand for an object. Returns for which it stood before.
    pub(crate) fn bind(&self, key: &[u8], object: &ObjectRef) -> Option<ObjectRef> {
        self.bound.write().insert(key.into(), object.clone())
    }

    /// Lets a key stand for nothing. Returns for which object it stood before.
    pub(crate) fn unbind(&self, key: &[u8]) -> Option<ObjectRef> {
        self.bound.write().remove(key)
    }

    /// Lets no key stand for anything any more.
    pub(super) fn clear(&self) {
        let bound = std::mem::take(&mut *self.bound.write());
        let locator = self.locator.write().take();
        drop((bound, locator));
    }

    /// Sets who is asked for keys that are not bound.
    pub(crate) fn set_locator(&self, locator: Arc<Locator>) {
        *self.locator.write() = Some(locator);
    }

    /// Where a key leads.
    #[cold]
    pub(super) fn find(&self, key: &[u8]) -> Option<Box<Ior>> {
        if let Some(object) = self.bound.read().get(key) {
            return Some(Box::new(object.ior().clone()));
        }
        let locator = self.locator.read().clone()?;
        locator(key).map(|object| Box::new(object.ior().clone()))
    }
}

impl fmt::Debug for PlainKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = self.bound.read();
        f.debug_list()
            .entries(bound.keys().map(|key| key.escape_ascii().to_string()))
            .finish()
    }
}
