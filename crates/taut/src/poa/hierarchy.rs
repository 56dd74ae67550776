//! How POAs come and go: a tree of parents and children, by names.

#[cfg_attr(not(feature = "full"), path = "hierarchy/activator_absent.rs")]
mod activator;

use std::sync::{Arc, Weak};

use taut_giop::{SystemException, SystemExceptionKind};
use taut_sync::lock::{Condvar, Mutex};

use super::error::{refusal, would_deadlock};
use super::extend_path;
use super::manager::check_wait;
use super::policy::{Policies, ToldPolicies};
use super::predictable::sealed;
use super::{Origin, Poa, PoaError, PoaManager, Policy, Shared, pool};
use crate::sorted_map::SortedMap;
use crate::upcall::is_in_upcall;

#[cfg(feature = "full")]
pub use activator::AdapterActivator;
use activator::Demand;

/// A POA's place in the tree.
#[derive(Default)]
pub(super) struct Family {
    members: Mutex<Members>,
    changed: Condvar,
}

#[derive(Default)]
struct Members {
    children: SortedMap<Box<str>, Poa>,
    demand: Demand,
    phase: Phase,
    /// Whether the manager knows the POA, and lets requests in as it likes.
    is_open: bool,
    /// The number of things that the end of this POA waits for: its own attendance, and its
    /// children.
    unfinished: usize,
    etherealizes: bool,
    /// Whether no child is created any more.
    is_sealed: bool,
}

/// The life of a POA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Alive,
    /// No request comes in any more; some may still run.
    Leaving,
    /// No request runs any more; the objects are being etherealized.
    Left,
    Gone,
}

/// That somebody may be in a POA, or that an object of it has yet to end. All entries of
/// the POA in the table of POAs share one; the POA's end goes on when the last of them does.
pub(super) struct Attendance {
    poa: Weak<Shared>,
}

impl Attendance {
    pub(super) fn of(poa: &Poa) -> Self {
        Self {
            poa: Arc::downgrade(&poa.shared),
        }
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        if let Some(shared) = self.poa.upgrade() {
            Poa { shared }.finish_one();
        }
    }
}

impl Poa {
    /// Creates a child with this name and these policies; those that are not given
    /// have their [defaults](Policy). Without a manager it gets one of its own, which
    /// holds requests.
    ///
    /// Where a child of this name is being destroyed, waits until no request runs in
    /// it.
    ///
    /// # Errors
    ///
    /// [`PoaError::AdapterAlreadyExists`], [`PoaError::InvalidPolicy`]; BAD_INV_ORDER
    /// with OMG minor 17 when this POA is being destroyed, with 3 for a servant that would
    /// have to wait, and with [`minor::ADAPTER_SEALED`](crate::minor::ADAPTER_SEALED) when
    /// this POA is sealed; IMP_LIMIT when the names on the way to the child have more than
    /// 65,535 octets in all.
    pub fn create_poa(
        &self,
        name: &str,
        manager: Option<&PoaManager>,
        policies: &[Policy],
    ) -> Result<Self, PoaError> {
        let told_policies = self.told_by_orb()?;
        self.create_child(name, manager, policies, told_policies)
    }

    /// [`create_poa`](Self::create_poa) of a POA whose references tell these policies.
    pub(super) fn create_child(
        &self,
        name: &str,
        manager: Option<&PoaManager>,
        policies: &[Policy],
        told_policies: ToldPolicies,
    ) -> Result<Self, PoaError> {
        let asked = policies;
        let predictability = self.shared.table.core.settings.server.predictability;
        let policies = Policies::new(policies, predictability)?;
        let path = extend_path(&self.shared.path, name)?;
        let mut members = self.shared.family.members.lock();
        while let Some(child) = members.children.get(name) {
            if child.shared.family.members.lock().phase == Phase::Alive {
                return Err(PoaError::AdapterAlreadyExists);
            }
            if is_in_upcall() {
                return Err(would_deadlock().into());
            }
            self.shared.family.changed.wait(&mut members);
        }
        if members.phase != Phase::Alive {
            return Err(refusal(SystemExceptionKind::BadInvOrder, 17).into());
        }
        if members.is_sealed {
            return Err(sealed());
        }
        let is_awaited = members.demand.awaits(name);
        let Shared {
            table, managers, ..
        } = &*self.shared;
        let pool = pool::bind(table, &policies, asked)?;
        let child = table.add(|place| {
            let origin = Origin {
                name,
                path,
                parent: Some(self.clone()),
                policies,
                told_policies,
                pool: pool.clone(),
                manager: manager.cloned(),
                table,
                managers,
            };
            Self::new(place, origin)
        });
        let child = child.ok_or_else(|| {
            pool.iter().for_each(|pool| pool.unbind());
            PoaError::Full
        })?;
        members.children.insert(name.into(), child.clone());
        members.unfinished += 1;
        drop(members);
        if let Err(refusal) = child.establish_components() {
            child.begin_end(false);
            return Err(refusal.into());
        }
        // One that an activator creates is entered when the activator is done with
        // it.
        if !is_awaited {
            child.open();
        }
        Ok(child)
    }

    /// The child with this name. With `activate_it`, the adapter activator may create
    /// it if it is not there; in the shape `minimal` there is none.
    ///
    /// # Errors
    ///
    /// [`PoaError::AdapterNonExistent`]; OBJ_ADAPTER with OMG minor 1 when the
    /// activator fails.
    pub fn find_poa(&self, name: &str, activate_it: bool) -> Result<Self, PoaError> {
        self.find_or_activate(name, activate_it)
    }

    /// The children.
    pub fn children(&self) -> Vec<Self> {
        let members = self.shared.family.members.lock();
        members.children.values().cloned().collect()
    }

    /// Destroys the POA and its descendants: no further request comes in, those that
    /// run go on to their end, and then the objects are deactivated; with
    /// `etherealize_objects` the servant activator takes leave of them. With
    /// `wait_for_completion`, returns when all this is done.
    ///
    /// The name may be used again when no request runs any more. A POA that is being
    /// destroyed already is not destroyed again, but waited for.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER with OMG minor 3 when a servant asks to wait, which would wait
    /// for itself; nothing has happened then.
    pub fn destroy(
        &self,
        etherealize_objects: bool,
        wait_for_completion: bool,
    ) -> Result<(), SystemException> {
        check_wait(wait_for_completion)?;
        self.begin_end(etherealize_objects);
        if wait_for_completion {
            self.wait_until_gone();
        }
        Ok(())
    }

    /// Destroys the POA as [`destroy`](Self::destroy) does, because the ORB ends. The
    /// thread that ends it `waits`, which waits for nothing that it is itself a part of.
    pub(super) fn destroy_with_orb(&self, waits: bool) {
        self.begin_end(true);
        if waits {
            self.wait_until_gone();
        }
    }

    fn wait_until_gone(&self) {
        let family = &self.shared.family;
        let mut members = family.members.lock();
        while members.phase != Phase::Gone {
            family.changed.wait(&mut members);
        }
    }

    fn begin_end(&self, etherealizes: bool) {
        let children: Vec<Self> = {
            let mut members = self.shared.family.members.lock();
            if members.phase != Phase::Alive {
                return;
            }
            members.phase = Phase::Leaving;
            members.etherealizes = etherealizes;
            members.unfinished += 1;
            members.children.values().cloned().collect()
        };
        for child in children {
            child.begin_end(etherealizes);
        }
        self.shared.table.remove(self);
        // Threads that wait to come in need not wait any more.
        self.shared.family.changed.notify_all();
        self.shared.manager.wake();
    }

    /// Has no child created from here on.
    pub(super) fn freeze_family(&self) {
        self.shared.family.members.lock().is_sealed = true;
    }

    /// Lets children be created again.
    pub(super) fn thaw_family(&self) {
        self.shared.family.members.lock().is_sealed = false;
    }

    /// Makes the end of this POA wait until what is returned is dropped. None when no
    /// request runs any more and the POA's objects end.
    pub(super) fn postpone_end(&self) -> Option<Attendance> {
        let mut members = self.shared.family.members.lock();
        if !matches!(members.phase, Phase::Alive | Phase::Leaving) {
            return None;
        }
        members.unfinished += 1;
        Some(Attendance::of(self))
    }

    /// One of those has ended for whom the end of this POA waits.
    fn finish_one(self) {
        let mut members = self.shared.family.members.lock();
        members.unfinished -= 1;
        if members.unfinished > 0 || members.phase != Phase::Leaving {
            return;
        }
        members.phase = Phase::Left;
        let etherealizes = members.etherealizes;
        let demand = members.demand.end();
        drop(members);
        demand.let_go(self.name());
        let parent = self.shared.parent.clone();
        if let Some(parent) = &parent {
            let mut siblings = parent.shared.family.members.lock();
            siblings.children.remove(&self.shared.name);
            drop(siblings);
            parent.shared.family.changed.notify_all();
        }
        self.shared.end_objects(etherealizes);
        self.leave_manager();
        self.leave_pool();
        self.shared.family.members.lock().phase = Phase::Gone;
        self.shared.family.changed.notify_all();
        self.tell_destroyed();
        if let Some(parent) = parent {
            parent.finish_one();
        }
    }

    /// Lets requests enter, as the manager has it.
    pub(super) fn open(&self) {
        self.shared.manager.add(Arc::clone(&self.shared) as _);
        self.shared.managers.remember(&self.shared.manager);
        let family = &self.shared.family;
        let phase = {
            let mut members = family.members.lock();
            members.is_open = true;
            members.phase
        };
        family.changed.notify_all();
        // Its end may have left the manager before.
        if matches!(phase, Phase::Left | Phase::Gone) {
            self.leave_manager();
        }
    }

    fn leave_manager(&self) {
        let shared = &self.shared;
        shared.manager.remove(shared.address());
        if shared.has_own_manager {
            shared.managers.forget_idle(&shared.manager);
        }
    }

    /// Waits until the POA has been created in full, an activator included.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER 3 for the activator, which would wait for itself.
    pub(super) fn wait_until_open(&self) -> Result<(), SystemException> {
        // Before the lock is taken: a parent's comes before its children's.
        let would_wait_for_itself = self.is_created_here();
        let family = &self.shared.family;
        let mut members = family.members.lock();
        while !members.is_open && members.phase == Phase::Alive {
            if would_wait_for_itself {
                return Err(would_deadlock());
            }
            family.changed.wait(&mut members);
        }
        Ok(())
    }

    /// Whether the POA has been told to end.
    pub(super) fn is_ending(&self) -> bool {
        self.shared.family.members.lock().phase != Phase::Alive
    }
}
