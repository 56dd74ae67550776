//! From object key to servant.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use taut_giop::{CompletionStatus, Ior, SystemException, SystemExceptionKind};

use super::Poa;
use super::object_key::{Incarnation, ObjectKey, PREFIX_LENGTH};
use crate::object::{ObjectRef, ReferenceFactory};
use crate::server::{Disposition, ObjectAdapter, Presence, ServerRequest};
use crate::slot_table::{SlotId, SlotTable};

/// All POAs of an ORB, and the plain object keys that stand for references.
pub(crate) struct Adapters {
    incarnation: Incarnation,
    /// Found by the POA's place in the key, whatever its depth (M7).
    poas: SlotTable<Poa>,
    root: Poa,
    /// What the keys of its objects begin with.
    root_prefix: [u8; PREFIX_LENGTH],
    /// Keys that people write into object URLs, such as `NameService`.
    plain_keys: RwLock<HashMap<Box<[u8]>, ObjectRef>>,
}

impl Adapters {
    /// An empty table but for the root POA.
    pub(crate) fn new(incarnation: Incarnation, references: Arc<dyn ReferenceFactory>) -> Self {
        let poas = SlotTable::new();
        let mut root = None;
        poas.insert(|place| {
            root.insert(Poa::new(incarnation, place, references))
                .clone()
        });
        #[expect(clippy::expect_used, reason = "an empty table has room for one POA")]
        let root = root.expect("the root POA was inserted");
        Self {
            incarnation,
            poas,
            root_prefix: ObjectKey::prefix(incarnation, root.place()),
            root,
            plain_keys: RwLock::default(),
        }
    }

    /// The root POA.
    pub(crate) fn root(&self) -> &Poa {
        &self.root
    }

    /// Lets requests for a plain key be forwarded to an object. Returns what
    /// the key stood for before.
    pub(crate) fn set_plain_key(&self, key: &[u8], object: &ObjectRef) -> Option<ObjectRef> {
        self.plain_keys.write().insert(key.into(), object.clone())
    }

    /// Refuses requests from now on, also those that wait.
    pub(crate) fn deactivate(&self) {
        // Inactive already is as good.
        let _ = self.root.manager().deactivate();
    }

    /// Lets go of what may hold on to the ORB: servants, and references under plain
    /// keys.
    pub(crate) fn destroy(&self) {
        self.root.shared.map.clear();
        let plain_keys = std::mem::take(&mut *self.plain_keys.write());
        drop(plain_keys);
    }

    /// The key, if it names a POA and an object of this process.
    #[inline]
    fn parse(&self, object_key: &[u8]) -> Option<ObjectKey> {
        ObjectKey::parse(object_key).filter(|key| key.incarnation == self.incarnation)
    }

    /// Runs `action` with the POA at this place, without waiting.
    #[inline]
    fn with_poa<R>(&self, place: SlotId, action: impl FnOnce(&Poa) -> R) -> Option<R> {
        let guard = self.poas.get(place)?;
        guard.as_ref().map(|entry| action(&entry.value))
    }

    /// Where a plain key leads.
    #[cold]
    fn forward(&self, object_key: &[u8]) -> Option<Ior> {
        let plain_keys = self.plain_keys.read();
        plain_keys
            .get(object_key)
            .map(|object| object.ior().clone())
    }
}

impl ObjectAdapter for Adapters {
    #[inline]
    fn dispatch(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        // The root POA lives as long as the table, and needs no look-up.
        if let Some(object) = ObjectKey::object_behind(&self.root_prefix, object_key) {
            return self.root.dispatch(object, request);
        }
        match self.parse(object_key) {
            Some(key) => self
                .with_poa(key.poa, |poa| poa.dispatch(key.object, request))
                .ok_or_else(unknown_object)?,
            None => match self.forward(object_key) {
                Some(target) => Ok(Disposition::Forward(target)),
                None => Err(unknown_object()),
            },
        }
    }

    fn locate(&self, object_key: &[u8]) -> Result<Presence, SystemException> {
        let Some(key) = self.parse(object_key) else {
            return Ok(match self.forward(object_key) {
                Some(target) => Presence::Elsewhere(target),
                None => Presence::Unknown,
            });
        };
        let active = self.poas.get(key.poa).is_some_and(|guard| {
            guard
                .as_ref()
                .is_some_and(|entry| entry.value.shared.map.with(key.object, |_| ()).is_some())
        });
        Ok(if active {
            Presence::Here
        } else {
            Presence::Unknown
        })
    }
}

/// No such object: never active, no more active, or of another process.
#[cold]
pub(super) fn unknown_object() -> SystemException {
    SystemException::omg(SystemExceptionKind::ObjectNotExist, 2, CompletionStatus::No)
}
