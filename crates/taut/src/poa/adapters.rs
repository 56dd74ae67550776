//! From object key to servant, for the server.

use std::hint::cold_path;
use std::sync::{Arc, OnceLock};

use taut_giop::{SystemException, SystemExceptionKind, minor};

use super::components::observer;
use super::current::{Target, Upcall};
use super::dispatch::serve;
use super::error::{no_such_poa, own_refusal, refusal, unknown_key};
use super::incarnated::Incarnated;
use super::intercepted;
use super::last_target::LastTarget;
use super::main_thread::serve_in_main_thread;
use super::manager_factory::PoaManagerFactory;
use super::object_key::{Incarnation, KeyName, ObjectKey};
use super::plain_keys::PlainKeys;
use super::policy::{Policies, ToldPolicies};
use super::prioritized::run_at_priority;
use super::served::Served;
use super::table::{PoaEntry, PoaTable, Way};
use super::{Origin, Poa, PoaError, PoaManagerState, pool};
use super::{extend_path, names_in};
use crate::core::OrbCore;
use crate::object::{OperationHandle, ReferenceFactory};
use crate::priority::{self, AtPriority, Priority};
use crate::probes::{self, Step};
use crate::server::{
    AroundServant, Arrival, Disposition, ObjectAdapter, Presence, SentPriority, ServerRequest,
    stale_handle,
};
use crate::settings::Settings;
use taut_sync::slot_table::Found;

/// All POAs of an ORB, and the plain object keys that stand for references.
pub(crate) struct Adapters {
    pub(super) table: Arc<PoaTable>,
    /// There once somebody has asked for it: it and the table hold on to each other
    /// until they are destroyed, which ORBs that only call others need not be.
    root: OnceLock<Poa>,
    /// The octets with which the paths of all POAs begin.
    root_path: Box<[u8]>,
    takes_handles: bool,
    /// Keys that people write into object URLs, such as `NameService`.
    pub(crate) plain_keys: PlainKeys,
}

/// The marks in object keys that tell the POAs of an ORB from those of others.
#[derive(Clone)]
pub(crate) struct AdaptersOrigin {
    incarnation: Incarnation,
    root_path: Box<[u8]>,
}

impl AdaptersOrigin {
    /// Takes random octets, and the server's id.
    ///
    /// # Errors
    ///
    /// IMP_LIMIT when the server's id is too long.
    pub(crate) fn new(incarnation: Incarnation, settings: &Settings) -> Result<Self, PoaError> {
        Ok(Self {
            incarnation,
            root_path: extend_path(&[], &settings.server.id)?,
        })
    }
}

impl Adapters {
    /// No POA yet.
    pub(crate) fn new(
        origin: AdaptersOrigin,
        core: &Arc<OrbCore>,
        references: Arc<dyn ReferenceFactory>,
    ) -> Self {
        let table = PoaTable::new(origin.incarnation, Arc::clone(core), references);
        Self {
            table: Arc::new(table),
            root: OnceLock::new(),
            root_path: origin.root_path,
            takes_handles: core.settings.wire.operation_handles,
            plain_keys: PlainKeys::default(),
        }
    }

    /// The root POA, which is made when this is first asked.
    #[expect(clippy::expect_used, reason = "an empty table has room")]
    pub(crate) fn root(&self) -> &Poa {
        self.root.get_or_init(|| {
            let Self {
                table, root_path, ..
            } = self;
            let max_held = table.core.settings.server.max_held_requests;
            let managers = Arc::new(PoaManagerFactory::new(max_held, observer(&table.core)));
            let root = table.add(|place| {
                let origin = Origin {
                    name: "RootPOA",
                    path: root_path.clone(),
                    parent: None,
                    policies: Policies::of_root(table.core.settings.server.predictability),
                    told_policies: ToldPolicies::of_root(&table.core),
                    // A pool of the ORB's policies that is not there has gone before.
                    pool: pool::bind(table, &Policies::ROOT, &[]).ok().flatten(),
                    manager: managers.create_poa_manager("RootPOAManager").ok(),
                    table,
                    managers: &managers,
                };
                Poa::new(place, origin)
            });
            let root = root.expect("an empty table has room");
            root.open();
            root
        })
    }

    /// Refuses requests from now on, also those that wait.
    pub(crate) fn deactivate(&self) {
        let managers = self.root.get().map(|root| root.shared.managers.list());
        for manager in managers.unwrap_or_default() {
            // Inactive already is as good.
            let _ = manager.deactivate(false, false);
        }
    }

    /// Destroys all POAs, and lets go of the references under plain keys, which hold on to
    /// the ORB. No request runs any more, but objects of earlier requests may have yet to
    /// end; if it `waits`, until they have.
    pub(crate) fn destroy(&self, waits: bool) {
        if let Some(root) = self.root.get() {
            root.destroy_with_orb(waits);
        }
        self.plain_keys.clear();
    }

    /// Runs `run` with the servant of the object that a key names, as soon as its POA
    /// lets a request in, where more is to be thought of than two places.
    #[inline(never)]
    pub(super) fn serve_otherwise<R>(
        &self,
        object_key: &[u8],
        call: (&[u8], SentPriority),
        arrived: &mut Arrival,
        run: impl FnOnce(&Incarnated) -> Result<R, SystemException>,
    ) -> Result<Served<R>, SystemException> {
        let Some(key) = ObjectKey::parse(object_key) else {
            let target = self.plain_keys.find(object_key)?;
            return target.map(Served::Forward).ok_or_else(unknown_key);
        };
        match self.enter(&key) {
            Ok(entry) => serve(entry, &key, call, arrived, run),
            Err(refusal) => match self.plain_keys.find(object_key)? {
                Some(target) => Ok(Served::Forward(target)),
                None => Err(refusal),
            },
        }
    }

    /// Carries out a request whose key is of another form, whose object is not where
    /// it was, or whose POA has more to think of.
    #[inline(never)]
    pub(super) fn dispatch_otherwise(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        sent: SentPriority,
    ) -> Result<Disposition, SystemException> {
        if !self.takes_handles {
            return self.dispatch_by_name(object_key, request, sent);
        }
        let Some((key, handle)) = ObjectKey::parse_handle(object_key) else {
            return self.dispatch_by_name(object_key, request, sent);
        };
        // A name beside it would be a second operation.
        if request.operation().is_empty()
            && let Some((entry, found)) = self.table.find_at_once(&key)
        {
            let target = Target::Active(found);
            let run = |servant: &Incarnated| run_by_handle(servant, handle, request);
            return Upcall { target, entry }
                .run(run)
                .map(|()| Disposition::Done);
        }
        self.dispatch_by_handle(&key, (handle, sent), request)
    }

    /// Carries out a request whose key tells the object alone.
    #[inline(never)]
    fn dispatch_by_name(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        sent: SentPriority,
    ) -> Result<Disposition, SystemException> {
        if let Some(target) = self.table.elsewhere(object_key) {
            return Ok(Disposition::Forward(target));
        }
        loop {
            let (call, arrived) = ((request.operation(), sent), &mut Arrival::of(request));
            let run = |servant: &Incarnated| run_by_name(servant, request);
            let served = self.serve_otherwise(object_key, call, arrived, run)?;
            arrived.note_reply(request);
            let served = match served {
                Served::ForMainThread => {
                    serve_in_main_thread(&self.table, (object_key, sent), request, None)?
                }
                served => Some(served),
            };
            // A request that the main thread did not let in is tried once more.
            if let Some(disposition) = served.and_then(disposition) {
                return Ok(disposition);
            }
        }
    }

    /// Carries out a request whose key also tells the operation, and whose object is not
    /// where it was.
    #[cold]
    fn dispatch_by_handle(
        &self,
        key: &ObjectKey<'_>,
        (handle, sent): (OperationHandle, SentPriority),
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        if !request.operation().is_empty() {
            return Err(stale_handle());
        }
        let entry = self.enter(key)?;
        let poa = &entry.value.poa;
        // The client finds out by name that the request is to go elsewhere.
        if !poa.is_served_here() {
            return Err(stale_handle());
        }
        // A locator wants the operation's name, which only the servant could tell, and
        // the main thread gets requests as they have come.
        if poa.has_locator() || poa.needs_main_thread() {
            return Err(stale_handle());
        }
        let arrived = &mut Arrival::of(request);
        let run = |servant: &Incarnated| run_by_handle(servant, handle, request);
        let served = serve(entry, key, (b"", sent), arrived, run)?;
        arrived.note_reply(request);
        disposition(served).ok_or_else(stale_handle)
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
            if poa.policies().is_predictable() && entry.value.state == PoaManagerState::Holding {
                return Err(not_active(&poa));
            }
            // A thread that waits is not in the POA.
            drop(entry);
            poa.wait_until_open()?;
            let is_ending = || poa.is_ending();
            poa.manager().wait_to_be_admitted(is_ending)?;
        }
    }

    /// The POA that a key names, wherever it is looked for.
    pub(super) fn find(&self, key: &ObjectKey<'_>) -> Result<Found<PoaEntry>, SystemException> {
        match (self.table.find(key), key.name) {
            (Some(entry), _) => Ok(entry),
            (None, KeyName::Persistent { path, .. }) => self.find_by_names(path),
            (None, _) => Err(self.no_transient_poa(key)),
        }
    }

    /// The reason for which there is no transient POA for a key.
    #[cold]
    fn no_transient_poa(&self, key: &ObjectKey<'_>) -> SystemException {
        match *key.incarnation == self.table.incarnation {
            true => no_such_poa(),
            false => own_refusal(SystemExceptionKind::ObjectNotExist, minor::EARLIER_LIFE),
        }
    }

    /// The persistent POA that is reached by these names, one after the other, be it
    /// with the help of adapter activators.
    fn find_by_names(&self, path: &[u8]) -> Result<Found<PoaEntry>, SystemException> {
        let (server_id, names) = names_in(path).ok_or_else(unknown_key)?;
        if server_id != self.table.core.settings.server.id {
            let kind = SystemExceptionKind::ObjectNotExist;
            return Err(own_refusal(kind, minor::OTHER_SERVER));
        }
        let mut poa = self.root().clone();
        for name in names {
            let child = poa.find_for_request(name);
            poa = child.map_err(|error| match error {
                // A child that is missing now may be there when the parent is there again.
                _ if poa.is_ending() => refusal(SystemExceptionKind::Transient, 4),
                PoaError::System(exception) => exception,
                _ => no_child(&poa),
            })?;
        }
        if !poa.policies().is_persistent() {
            return Err(no_such_poa());
        }
        let entry = self.table.at(poa.place());
        entry.ok_or_else(|| refusal(SystemExceptionKind::Transient, 4))
    }
}

/// The exception for a request of a predictable POA whose manager holds requests.
#[cold]
fn not_active(poa: &Poa) -> SystemException {
    let (kind, minor) = (SystemExceptionKind::Transient, minor::ADAPTER_NOT_ACTIVE);
    own_refusal(kind, minor).because(format!("the POA {}", poa.name()))
}

/// The reason for which a POA has no child of the name that a key has.
#[cold]
fn no_child(parent: &Poa) -> SystemException {
    if parent.has_adapter_activator() {
        let kind = SystemExceptionKind::ObjectNotExist;
        return own_refusal(kind, minor::ACTIVATOR_REFUSED);
    }
    no_such_poa()
}

/// Has a servant carry out the operation that the request names.
#[inline(always)]
pub(super) fn run_by_name(
    servant: &Incarnated,
    request: &mut ServerRequest<'_>,
) -> Result<(), SystemException> {
    probes::done(Step::ObjectFound);
    servant.dispatch(request)
}

/// Has a servant carry out the operation that a handle means.
#[inline(always)]
fn run_by_handle(
    servant: &Incarnated,
    handle: OperationHandle,
    request: &mut ServerRequest<'_>,
) -> Result<(), SystemException> {
    probes::done(Step::ObjectFound);
    let place = request.take_handle(handle, servant.interface())?;
    servant.dispatch_at(Some(place), request)
}

/// Returns the disposition of a request that this thread has served.
pub(super) fn disposition(served: Served<()>) -> Option<Disposition> {
    match served {
        Served::Done(()) => Some(Disposition::Done),
        Served::Forward(target) => Some(Disposition::Forward(target)),
        Served::ForMainThread => None,
    }
}

impl ObjectAdapter for Adapters {
    type Memory<'m> = LastTarget<'m>;

    #[inline]
    fn dispatch_next<'m>(
        &self,
        object_key: &'m [u8],
        request: &mut ServerRequest<'_>,
        memory: &mut LastTarget<'m>,
    ) -> Result<Disposition, SystemException> {
        match memory.find(&self.table, object_key) {
            Some(upcall) => upcall
                .run(|servant| run_by_name(servant, request))
                .map(|()| Disposition::Done),
            None => self.dispatch_otherwise(object_key, request, SentPriority::None),
        }
    }

    #[inline]
    fn dispatch(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
    ) -> Result<Disposition, SystemException> {
        let Some(key) = ObjectKey::parse(object_key) else {
            cold_path();
            return self.dispatch_otherwise(object_key, request, SentPriority::None);
        };
        if let Some((entry, found)) = self.table.find_at_once(&key) {
            let target = Target::Active(found);
            let upcall = Upcall { target, entry };
            let done = upcall.run(|servant| run_by_name(servant, request));
            upcall.end();
            return done.map(|()| Disposition::Done);
        }
        // The key as a value: one whose address is told would lie in memory, for all requests.
        self.dispatch_bound(key, object_key, request)
    }

    fn dispatch_with(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        sent: SentPriority,
    ) -> Result<Disposition, SystemException> {
        if let Some(key) = ObjectKey::parse(object_key)
            && let Some((entry, found)) = self.table.find_at_once(&key)
        {
            let target = Target::Active(found);
            let run = |servant: &Incarnated| run_by_name(servant, request);
            let done = Upcall { target, entry }.run(run);
            return done.map(|()| Disposition::Done);
        }
        self.dispatch_otherwise(object_key, request, sent)
    }

    #[inline(always)]
    fn dispatch_at_once<'m>(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'m>,
        priority: Priority,
        otherwise: impl FnOnce(&mut ServerRequest<'m>) -> Result<Disposition, SystemException>,
    ) -> Result<Disposition, SystemException> {
        if let Some(key) = ObjectKey::parse(object_key)
            && let Some(entry) = self.table.find_hinted(&key)
            && let Some(found) = entry.value.find_on(Way::Prioritized, &key)
            && entry.value.poa.has_priorities_of_clients()
        {
            let done = run_at_priority(&key, entry, found, request, Some(priority));
            return done.map(|()| Disposition::Done);
        }
        otherwise(request)
    }

    fn begin_priority(
        &self,
        object_key: &[u8],
        sent: SentPriority,
    ) -> Result<(Option<AtPriority>, SentPriority), SystemException> {
        let key = ObjectKey::parse_any(object_key);
        let Some((key, entry)) = key.and_then(|key| Some((key, self.table.find(&key)?))) else {
            return Ok((None, sent));
        };
        let at = entry.value.poa.at_priority(&key, sent)?;
        let known = at.as_ref().and_then(|_| priority::current());
        Ok((at, known.map_or(sent, SentPriority::Known)))
    }

    fn dispatch_around(
        &self,
        object_key: &[u8],
        request: &mut ServerRequest<'_>,
        sent: SentPriority,
        around: &mut dyn AroundServant,
    ) -> Result<Disposition, SystemException> {
        intercepted::dispatch(self, (object_key, sent), request, around)
    }

    #[cold]
    fn describe(&self, object_key: &[u8]) -> String {
        self.table.describe(object_key)
    }

    fn locate(&self, object_key: &[u8]) -> Result<Presence, SystemException> {
        if let Some(key) = ObjectKey::parse(object_key)
            && let Ok(entry) = self.find(&key)
            && entry.value.poa.may_have(&key)
        {
            return Ok(Presence::Here);
        }
        Ok(match self.plain_keys.find(object_key)? {
            Some(target) => Presence::Elsewhere(*target),
            None => Presence::Unknown,
        })
    }
}
