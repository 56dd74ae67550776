//! POAs on demand.

use std::fmt::Display;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use taut_giop::{SystemException, SystemExceptionKind};

use crate::poa::error::refusal;
use crate::poa::{Poa, PoaError};
use crate::sorted_map::SortedMap;
use crate::upcall;

/// The exception for callers of an object whose POA the activator failed to create.
#[cold]
fn activator_failed(name: &str, error: &dyn Display) -> PoaError {
    tracing::warn!(poa = name, %error, "the adapter activator failed");
    let refusal = refusal(SystemExceptionKind::ObjAdapter, 1);
    refusal.because(format!("the POA {name:?}: {error}")).into()
}

/// Creates POAs when requests come for their objects (CORBA 3.3 part 1, 15.3.4). It may be
/// called in the midst of a request, so whatever would wait for requests or for the end of
/// a POA raises BAD_INV_ORDER (OMG minor 3) here, as in a servant. A panic is a failure.
pub trait AdapterActivator: Send + Sync {
    /// A request has come for an object of the parent's child of this name, or
    /// somebody looks for it, and it is not there. True if it now is; requests for
    /// its objects wait until then. Several calls for one name are never made at
    /// once.
    ///
    /// # Errors
    ///
    /// Any; the caller gets OBJ_ADAPTER with OMG minor 1.
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException>;
}

/// The adapter activator that creates children of a POA, and the children that it is
/// creating at this moment.
#[derive(Default)]
pub(super) struct Demand {
    activator: Option<Arc<dyn AdapterActivator>>,
    /// Children that the activator is about to create, and in which thread.
    awaited: SortedMap<Box<str>, ThreadId>,
}

impl Demand {
    /// Whether the activator is about to create the child of this name.
    pub(super) fn awaits(&self, name: &str) -> bool {
        self.awaited.contains_key(name)
    }

    /// Creates nothing any more. The activator is let go of outside of locks.
    pub(super) fn end(&mut self) -> Ended {
        Ended(self.activator.take())
    }
}

/// The activator of a POA that has ended.
#[must_use]
pub(super) struct Ended(Option<Arc<dyn AdapterActivator>>);

impl Ended {
    /// Lets go of the activator of the POA of this name.
    pub(super) fn let_go(self, name: &str) {
        upcall::let_go("Drop of an adapter activator", &name, self.0);
    }
}

impl Poa {
    /// The adapter activator, if one has been set.
    pub fn adapter_activator(&self) -> Option<Arc<dyn AdapterActivator>> {
        self.shared.family.members.lock().demand.activator.clone()
    }

    /// Sets who creates children of this POA on demand, or that nobody does.
    ///
    /// # Errors
    ///
    /// [`PoaError::WrongPolicy`] for an activator of a POA that is predictable
    /// ([`PredictabilityPolicy`](crate::PredictabilityPolicy)).
    pub fn set_adapter_activator(
        &self,
        activator: Option<Arc<dyn AdapterActivator>>,
    ) -> Result<(), PoaError> {
        self.require(activator.is_none() || !self.policies().is_predictable())?;
        let before = {
            let mut members = self.shared.family.members.lock();
            std::mem::replace(&mut members.demand.activator, activator)
        };
        drop(before);
        Ok(())
    }

    /// Whether an adapter activator has been set.
    pub(in crate::poa) fn has_adapter_activator(&self) -> bool {
        self.adapter_activator().is_some()
    }

    /// The child with this name, for a request that has come for it.
    ///
    /// # Errors
    ///
    /// As [`find_poa`](Self::find_poa); or why the request may not come in.
    pub(in crate::poa) fn find_for_request(&self, name: &str) -> Result<Self, PoaError> {
        match self.find_poa(name, false) {
            Err(PoaError::AdapterNonExistent) if self.has_adapter_activator() => {
                self.manager().wait_to_be_admitted(|| self.is_ending())?;
                self.find_poa(name, true)
            }
            found => found,
        }
    }

    /// Whether an activator that the calling thread runs is about to create this POA.
    pub(super) fn is_created_here(&self) -> bool {
        let Some(parent) = &self.shared.parent else {
            return false;
        };
        let family = parent.shared.family.members.lock();
        family.demand.awaited.get(self.name()) == Some(&thread::current().id())
    }

    /// The child with this name, be it that the activator creates it.
    pub(super) fn find_or_activate(&self, name: &str, activate_it: bool) -> Result<Self, PoaError> {
        let family = &self.shared.family;
        let mut members = family.members.lock();
        loop {
            let this_thread = thread::current().id();
            match members.demand.awaited.get(name) {
                Some(&thread) if thread != this_thread => {
                    family.changed.wait(&mut members);
                    continue;
                }
                _ => {}
            }
            if let Some(child) = members.children.get(name) {
                return Ok(child.clone());
            }
            let activator = members.demand.activator.clone().filter(|_| activate_it);
            let Some(activator) = activator else {
                return Err(PoaError::AdapterNonExistent);
            };
            if members.demand.awaited.contains_key(name) {
                // The activator itself looks for what it is to create.
                return Err(PoaError::AdapterNonExistent);
            }
            members.demand.awaited.insert(name.into(), this_thread);
            drop(members);
            let unknown_adapter = || activator.unknown_adapter(self, name);
            let outcome = upcall::outside("unknown_adapter", &name, unknown_adapter);
            members = family.members.lock();
            members.demand.awaited.remove(name);
            let child = members.children.get(name).cloned();
            drop(members);
            if let Some(child) = &child {
                child.open();
            }
            family.changed.notify_all();
            return match (outcome, child) {
                (Ok(Ok(true)), Some(child)) => Ok(child),
                (Ok(Ok(_)), _) => Err(PoaError::AdapterNonExistent),
                (Ok(Err(error)), _) => Err(activator_failed(name, &error)),
                (Err(panic), _) => Err(activator_failed(name, &panic)),
            };
        }
    }
}
