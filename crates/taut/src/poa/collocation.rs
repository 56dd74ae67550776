//! Calls from the servant's own process, in the caller's thread.

use std::any::TypeId;
use std::fmt::Debug;
use std::sync::Arc;

use taut_giop::{SystemException, SystemExceptionKind, minor};

use super::current::{KeptObject, Target, Upcall};
use super::error::{is_inactive, own_refusal};
use super::incarnated::Incarnated;
use super::object_key::ObjectKey;
use super::served::Served;
use super::{Adapters, PoaManagerState, ThreadPolicy, names_in};
use crate::core::OrbCore;
use crate::object::{DirectTarget, LocalAdapter, LocalCall, LocalOutcome, LocalRequest};
use crate::priority;
use crate::server::{Arrival, ObjectAdapter, Presence, SentPriority, serve_in_process};
use crate::upcall::{self, Panic};

/// The question where an object is, in the event about a panic on its way.
const LOCATE: &str = "LocateRequest";

impl Adapters {
    /// Reports a panic in a call from the servant's own process.
    #[cold]
    #[inline(never)]
    fn panicked_here(
        &self,
        request: &(impl Debug + ?Sized),
        object_key: &[u8],
        panic: Panic,
    ) -> SystemException {
        let peer = upcall::THIS_PROCESS;
        let object = || self.table.describe(object_key);
        upcall::panicked(peer, request, object, panic)
    }

    #[inline]
    fn call_servant(
        &self,
        object_key: &[u8],
        call: &mut LocalCall<'_>,
    ) -> Result<LocalOutcome, SystemException> {
        // Interceptors see marshaled requests.
        if self.table.core.interception.watches_server()
            || !call.may_wait && self.makes_wait(object_key)
        {
            return Ok(LocalOutcome::ByMessage);
        }
        let operation = call.operation.as_bytes();
        match self.serve(object_key, operation, |servant| Ok(servant.call(call))) {
            Ok(Served::Done(outcome)) => Ok(outcome),
            Ok(Served::ForMainThread) => Ok(LocalOutcome::ByMessage),
            Ok(Served::Forward(target)) => Ok(LocalOutcome::Forward(target)),
            Err(exception) => Err(refused_here(exception)),
        }
    }

    /// Runs `run` with the servant of the object that a key names, as soon as its POA
    /// lets a request in, unless another thread is to.
    #[inline(always)]
    fn serve<R>(
        &self,
        object_key: &[u8],
        operation: &[u8],
        run: impl FnOnce(&Incarnated) -> Result<R, SystemException>,
    ) -> Result<Served<R>, SystemException> {
        if let Some(key) = ObjectKey::parse(object_key)
            && let Some((entry, found)) = self.table.find_at_once(&key)
        {
            // In one piece where it is used: moving it costs as much as a look-up.
            let target = Target::Active(found);
            return Upcall { target, entry }.run(run).map(Served::Done);
        }
        if self.is_for_others(object_key) {
            return Ok(Served::ForMainThread);
        }
        let sent = priority::current().map_or(SentPriority::None, SentPriority::OfThread);
        let call = (operation, sent);
        self.serve_otherwise(object_key, call, &mut Arrival::default(), run)
    }

    /// Whether another thread than this carries requests with this key out: the one that runs
    /// the ORB, or one of the server's.
    fn is_for_others(&self, object_key: &[u8]) -> bool {
        let entry = ObjectKey::parse(object_key).and_then(|key| self.table.find(&key));
        entry.is_some_and(|entry| {
            let poa = &entry.value.poa;
            poa.needs_main_thread() || !poa.admits_caller()
        })
    }

    /// Whether a call has to wait for its POA.
    fn makes_wait(&self, object_key: &[u8]) -> bool {
        let entry = ObjectKey::parse(object_key).and_then(|key| self.table.find(&key));
        entry.is_some_and(|entry| {
            entry.value.state == PoaManagerState::Holding || entry.value.poa.has_turns()
        })
    }
}

/// The exception as callers of this process get it. Those in other processes cannot be told
/// that a manager is inactive.
fn refused_here(exception: SystemException) -> SystemException {
    match is_inactive(&exception) {
        true => own_refusal(SystemExceptionKind::ObjAdapter, minor::MANAGER_INACTIVE),
        false => exception,
    }
}

impl LocalAdapter for Adapters {
    fn knows(&self, object_key: &[u8]) -> bool {
        let is_ours = ObjectKey::parse(object_key).is_some_and(|key| match key.name.path() {
            Some(path) => {
                let server_id = &self.table.core.settings.server.id;
                names_in(path).is_some_and(|(id, _)| id == server_id)
            }
            None => *key.incarnation == self.table.incarnation,
        });
        // A locator that panics is asked again, where the panic costs its caller something.
        is_ours || !matches!(self.plain_keys.find(object_key), Ok(None))
    }

    fn call(
        &self,
        object_key: &[u8],
        call: &mut LocalCall<'_>,
    ) -> Result<LocalOutcome, SystemException> {
        upcall::run(|| self.call_servant(object_key, call))
            .unwrap_or_else(|panic| Err(self.panicked_here(call, object_key, panic)))
    }

    fn carry_out(
        &self,
        object_key: &[u8],
        request: &mut LocalRequest<'_>,
    ) -> Result<LocalOutcome, SystemException> {
        if self.is_for_others(object_key) || !request.may_wait && self.makes_wait(object_key) {
            return Ok(LocalOutcome::ByMessage);
        }
        let served = serve_in_process(&self.table.core, self, object_key, request);
        served.map_err(refused_here)
    }

    fn locate(&self, object_key: &[u8]) -> Result<LocalOutcome, SystemException> {
        let presence = upcall::run(|| ObjectAdapter::locate(self, object_key))
            .unwrap_or_else(|panic| Err(self.panicked_here(&LOCATE, object_key, panic)));
        Ok(match presence? {
            Presence::Here => LocalOutcome::Done,
            Presence::Unknown => LocalOutcome::Unknown,
            Presence::Elsewhere(target) => LocalOutcome::Forward(Box::new(target)),
        })
    }

    fn direct(
        &self,
        object_key: &[u8],
        view: TypeId,
        caller: &Arc<OrbCore>,
    ) -> Option<Arc<DirectTarget>> {
        if self.table.core.interception.watches_server() {
            return None;
        }
        let key = ObjectKey::parse(object_key)?;
        let entry = self.table.find(&key)?;
        // A caller that keeps a servant does not ask which thread may call it, and when.
        if entry.value.poa.policies().thread != ThreadPolicy::OrbControlled
            || !entry.value.poa.lends_servants(entry.value.state)
        {
            return None;
        }
        let map = &entry.value.poa.shared.map;
        let found = map.find(key.object, key.name.id())?;
        let role = || KeptObject::new(&entry.value.poa, &found).into_role();
        found
            .incarnated()
            .direct(view, caller, &self.table.core, role)
    }
}
