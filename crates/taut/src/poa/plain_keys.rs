//! Plain object keys: what stands in object URLs such as
//! `corbaloc:iiop:example.com/Bank`.

use std::fmt;
use std::sync::Arc;

use taut_giop::{Ior, SystemException};

use crate::object::ObjectRef;
use crate::shared_lock::SharedLock;
use crate::sorted_map::SortedMap;
use crate::upcall;

/// The place of a locator's panic.
const LOCATOR: &str = "the object key locator";

/// The objects that plain keys stand for. A call to a key is forwarded to its object.
#[derive(Default)]
pub(crate) struct PlainKeys {
    bound: SharedLock<SortedMap<Box<[u8]>, ObjectRef>>,
    locator: SharedLock<Option<Arc<Locator>>>,
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
        drop(std::mem::take(&mut *self.bound.write()));
        let locator = self.locator.write().take();
        upcall::let_go("Drop of the object key locator", &"all keys", locator);
    }

    /// Sets who is asked for keys that are not bound.
    pub(crate) fn set_locator(&self, locator: Arc<Locator>) {
        // The earlier value ends outside of the lock.
        let before = self.locator.write().replace(locator);
        drop(before);
    }

    /// Where a key leads, if anywhere.
    ///
    /// # Errors
    ///
    /// UNKNOWN when the locator panics.
    #[cold]
    pub(super) fn find(&self, key: &[u8]) -> Result<Option<Box<Ior>>, SystemException> {
        if let Some(object) = self.bound.read().get(key) {
            return Ok(Some(Box::new(object.ior().clone())));
        }
        let Some(locator) = self.locator.read().clone() else {
            return Ok(None);
        };
        let found = upcall::outside(LOCATOR, &key.escape_ascii(), || {
            let found = locator(key);
            // Another may have taken its place meanwhile.
            drop(locator);
            found
        });
        Ok(found?.map(|object| Box::new(object.ior().clone())))
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
