//! From object key to servant, for the server.

use std::sync::Arc;

use taut_giop::{SystemException, SystemExceptionKind};

use super::dispatch::{Served, at_once, serve};
use super::error::{refusal, unknown_object};
use super::incarnated::Incarnated;
use super::manager_factory::PoaManagerFactory;
use super::object_key::{Incarnation, KeyName, ObjectKey};
use super::plain_keys::PlainKeys;
use super::policy::Policies;
use super::table::{PoaEntry, PoaTable};
use super::{Origin, Poa, PoaError, PoaManagerState};
use super::{extend_path, names_in};
use crate::core::OrbCore;
use crate::object::ReferenceFactory;
use crate::server::{Disposition, ObjectAdapter, Presence, ServerRequest};
use crate::slot_table::Found;

/// All POAs of an ORB, and the plain object keys that stand for references.
pub(crate) struct Adapters {
    pub(super) table: Arc<PoaTable>,
    root: Poa,
    /// Keys that people write into object URLs, such as `NameService`.
    pub(crate) plain_keys: PlainKeys,
}

impl Adapters {
    /// No POA but the root.
    ///
    /// # Errors
    ///
    /// IMP_LIMIT when the server's id is too long.
    pub(crate) fn new(
        incarnation: Incarnation,
        core: &Arc<OrbCore>,
        references: Arc<dyn ReferenceFactory>,
    ) -> Result<Self, PoaError> {
        let settings = &core.settings;
        let managers = Arc::new(PoaManagerFactory::new(settings.max_held_requests));
        let path = extend_path(&[], &settings.server_id)?;
        let table = Arc::new(PoaTable::new(incarnation, Arc::clone(core), references));
        let root = table.add(|place| {
            let origin = Origin {
                name: "RootPOA",
                path,
                parent: None,
                policies: Policies::ROOT,
                manager: managers.create_poa_manager("RootPOAManager").ok(),
                table: &table,
                managers: &managers,
            };
            Poa::new(place, origin)
        });
        let root = root.ok_or(PoaError::Full)?;
        root.open();
        Ok(Self {
            table,
            root,
            plain_keys: PlainKeys::default(),
        })
    }

    /// The root POA.
    pub(crate) fn root(&self) -> &Poa {
        &self.root
    }

    /// Refuses requests from now on, also those that wait.
    pub(crate) fn deactivate(&self) {
        for manager in self.root.shared.managers.list() {
            // Inactive already is as good.
            let _ = manager.deactivate(false, false);
        }
    }

    /// Destroys all POAs, as soon as no request runs in them any more.
    pub(crate) fn destroy(&self) {
        let _ = self.root.destroy(true, false);
    }

    /// Runs `run` with the servant of the object that a key names, as soon as its POA
    /// lets a request in.
    #[inline(always)]
    pub(super) fn serve<R>(
        &self,
        object_key: &[u8],
        operation: &[u8],
        run: impl FnOnce(&Incarnated) -> Result<R, SystemException>,
    ) -> Result<Served<R>, SystemException> {
        if let Some(key) = ObjectKey::parse(object_key)
            && let Some(entry) = self.table.find_hinted(&key)
            && let Ok(upcall) = at_once(entry, &key)
        {
            return upcall.run(run).map(Served::Done);
        }
        self.serve_otherwise(object_key, operation, run)
    }

    /// The same where more is to be thought of.
    #[inline(never)]
    fn serve_otherwise<R>(
        &self,
        object_key: &[u8],
        operation: &[u8],
        run: impl FnOnce(&Incarnated) -> Result<R, SystemException>,
    ) -> Result<Served<R>, SystemException> {
        let Some(key) = ObjectKey::parse(object_key) else {
            let target = self.plain_keys.find(object_key);
            return target.map(Served::Forward).ok_or_else(unknown_object);
        };
        match self.enter(&key) {
            Ok(entry) => serve(entry, &key, operation, run),
            Err(refusal) => match self.plain_keys.find(object_key) {
                Some(target) => Ok(Served::Forward(target)),
                None => Err(refusal),
            },
        }
    }

    /// Enters the POA that a key names: after a wait if its manager holds requests,
    /// and after its creation if an adapter activator provides it.
    ///
    /// # Errors
    ///
    /// Why it cannot be entered.
    fn enter(&self, key: &ObjectKey<'_>) -> Result<Found<PoaEntry>, SystemException> {
        loop {
            let entry = self.find(key)?;
            if entry.value.state == PoaManagerState::Active {
                return Ok(entry);
            }
            let poa = entry.value.poa.clone();
            // Who waits is not in the POA.
            drop(entry);
            #[cfg(feature = "adapter-activators")]
            poa.wait_until_open();
            poa.manager().wait_to_be_admitted()?;
        }
    }

    /// The POA that a key names, wherever it is looked for.
    fn find(&self, key: &ObjectKey<'_>) -> Result<Found<PoaEntry>, SystemException> {
        match (self.table.find(key), key.name) {
            (Some(entry), _) => Ok(entry),
            (None, KeyName::Persistent { path, .. }) => self.find_by_names(path),
            (None, _) => Err(unknown_object()),
        }
    }

    /// The persistent POA that is reached by these names, one after the other, be it
    /// with the help of adapter activators.
    fn find_by_names(&self, path: &[u8]) -> Result<Found<PoaEntry>, SystemException> {
        let (server_id, names) = names_in(path).ok_or_else(unknown_object)?;
        if server_id != self.table.core.settings.server_id {
            return Err(unknown_object());
        }
        let mut poa = self.root.clone();
        for name in names {
            #[cfg(feature = "adapter-activators")]
            let child = poa.find_for_request(name);
            #[cfg(not(feature = "adapter-activators"))]
            let child = poa.find_poa(name, false);
            poa = child.map_err(|error| match error {
                PoaError::System(exception) => exception,
                _ => unknown_object(),
            })?;
        }
        if !poa.policies().is_persistent() {
            return Err(unknown_object());
        }
        let entry = self.table.at(poa.place());
        entry.ok_or_else(|| refusal(SystemExceptionKind::Transient, 4))
    }
}

impl ObjectAdapter for Adapters {
    #[inline]
    fn dispatch(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        let operation = request.operation();
        let served = self.serve(object_key, operation, |servant| servant.dispatch(request));
        Ok(match served? {
            Served::Done(()) => Disposition::Done,
            Served::Forward(target) => Disposition::Forward(target),
        })
    }

    fn locate(&self, object_key: &[u8]) -> Result<Presence, SystemException> {
        if let Some(key) = ObjectKey::parse(object_key)
            && let Ok(entry) = self.find(&key)
            && entry.value.poa.may_have(&key)
        {
            return Ok(Presence::Here);
        }
        Ok(match self.plain_keys.find(object_key) {
            Some(target) => Presence::Elsewhere(*target),
            None => Presence::Unknown,
        })
    }
}
