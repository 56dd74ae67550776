//! The POA manager: whether requests are carried out, held, or refused.

use std::any::Any;
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Weak};

use taut_giop::{SystemException, SystemExceptionKind};
use taut_sync::lock::{Condvar, Mutex, MutexGuard};

use super::error::{refusal, would_deadlock};
use crate::upcall::is_in_upcall;

/// The states of a POA manager (CORBA 3.3 part 1, 15.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PoaManagerState {
    /// Requests wait. The initial state.
    Holding = 0,
    /// Requests are carried out.
    Active = 1,
    /// Requests are refused with TRANSIENT.
    Discarding = 2,
    /// The POA is being shut down. Final.
    Inactive = 3,
}

/// Why a POA manager does not change its state.
#[derive(Clone, PartialEq, Eq)]
pub enum PoaManagerError {
    /// It is inactive, which is final.
    AdapterInactive,
    /// The system exception that any operation may end with.
    System(SystemException),
}

/// Lets requests through to its POAs, or not. A clone manages the same POAs.
#[derive(Clone)]
pub struct PoaManager {
    gate: Arc<Gate>,
}

/// Code that is told each new state of a manager with this id, behind the change.
pub(super) type StateObserver = Arc<dyn Fn(&str, PoaManagerState) + Send + Sync>;

struct Gate {
    id: Box<str>,
    max_held: usize,
    observer: Option<StateObserver>,
    /// A `PoaManagerState`; written under the lock of `change`.
    state: AtomicU8,
    change: Mutex<Change>,
    changed: Condvar,
}

struct Change {
    managed: Vec<Arc<dyn Managed>>,
    /// The time since the last change.
    generation: Arc<Generation>,
    last_generation: u64,
    /// The generations that have not ended, the earliest first: requests that came in then still
    /// run.
    generations: Vec<u64>,
    /// How many requests wait.
    held: usize,
    /// Whether objects are etherealized when all generations before this one have ended.
    etherealizes_before: Option<u64>,
}

/// The requests that are let in between two changes of the state. Each keeps the generation
/// alive as long as it runs, so that the generation ends with the last of them.
pub(super) struct Generation {
    number: u64,
    gate: Weak<Gate>,
}

/// A POA, as its manager knows it.
pub(super) trait Managed: Send + Sync {
    /// From now on requests come in under this state and in this generation. The returned
    /// value keeps the generation before alive, and is dropped where that may end.
    fn enter(
        &self,
        state: PoaManagerState,
        generation: &Arc<Generation>,
    ) -> Option<Arc<dyn Any + Send + Sync>>;

    /// Deactivates all objects; the servant activator takes leave of them.
    fn etherealize_objects(&self);

    /// The place in memory that tells it from others.
    fn address(&self) -> usize;
}

impl PoaManager {
    pub(super) fn new(id: &str, max_held: usize, observer: Option<StateObserver>) -> Self {
        let gate = Arc::new_cyclic(|gate| Gate {
            id: id.into(),
            max_held,
            observer,
            state: AtomicU8::new(PoaManagerState::Holding as u8),
            change: Mutex::new(Change {
                managed: Vec::new(),
                generation: Arc::new(Generation {
                    number: 0,
                    gate: Weak::clone(gate),
                }),
                last_generation: 0,
                generations: vec![0],
                held: 0,
                etherealizes_before: None,
            }),
            changed: Condvar::new(),
        });
        Self { gate }
    }

    /// The name that tells it from the ORB's other managers.
    pub fn id(&self) -> &str {
        &self.gate.id
    }

    /// The state.
    pub fn state(&self) -> PoaManagerState {
        self.gate.state()
    }

    /// Lets requests through, those that wait first.
    ///
    /// # Errors
    ///
    /// [`PoaManagerError::AdapterInactive`] once the manager is inactive.
    pub fn activate(&self) -> Result<(), PoaManagerError> {
        self.enter(PoaManagerState::Active, false)
    }

    /// Makes requests wait, as many as the setting `server.max_held_requests` says; further
    /// ones are refused with TRANSIENT (OMG minor 1). With `wait_for_completion`,
    /// returns when no request runs any more that came before, or the state has
    /// changed again.
    ///
    /// # Errors
    ///
    /// [`PoaManagerError::AdapterInactive`] once the manager is inactive;
    /// BAD_INV_ORDER (OMG minor 3) when a servant asks to wait, which would wait for
    /// itself.
    pub fn hold_requests(&self, wait_for_completion: bool) -> Result<(), PoaManagerError> {
        self.enter(PoaManagerState::Holding, wait_for_completion)
    }

    /// Refuses requests with TRANSIENT (OMG minor 1), those that wait too; waits as
    /// [`hold_requests`](Self::hold_requests) does.
    ///
    /// # Errors
    ///
    /// As [`hold_requests`](Self::hold_requests).
    pub fn discard_requests(&self, wait_for_completion: bool) -> Result<(), PoaManagerError> {
        self.enter(PoaManagerState::Discarding, wait_for_completion)
    }

    /// Refuses requests from now on, for good, with OBJECT_NOT_EXIST (OMG minor 4).
    /// With `etherealize_objects`, all objects of POAs with a servant activator are
    /// deactivated when no request runs any more. With `wait_for_completion`, returns
    /// when all this is done.
    ///
    /// # Errors
    ///
    /// As `hold_requests`.
    pub fn deactivate(
        &self,
        etherealize_objects: bool,
        wait_for_completion: bool,
    ) -> Result<(), PoaManagerError> {
        check_wait(wait_for_completion)?;
        let mut change = self.gate.change.lock();
        self.gate.check_active()?;
        if etherealize_objects {
            change.etherealizes_before = Some(change.last_generation + 1);
        }
        self.gate.enter(change, PoaManagerState::Inactive);
        self.tell(PoaManagerState::Inactive);
        if wait_for_completion {
            self.gate.wait_for_completion(PoaManagerState::Inactive);
        }
        Ok(())
    }

    /// Tells the state, which has changed, if somebody wants to know.
    fn tell(&self, state: PoaManagerState) {
        if let Some(observer) = &self.gate.observer {
            observer(self.id(), state);
        }
    }

    fn enter(&self, state: PoaManagerState, wait: bool) -> Result<(), PoaManagerError> {
        check_wait(wait)?;
        let change = self.gate.change.lock();
        self.gate.check_active()?;
        self.gate.enter(change, state);
        self.tell(state);
        if wait {
            self.gate.wait_for_completion(state);
        }
        Ok(())
    }

    /// Manages a further POA.
    pub(super) fn add(&self, poa: Arc<dyn Managed>) {
        let mut change = self.gate.change.lock();
        let before = poa.enter(self.state(), &change.generation);
        change.managed.push(poa);
        drop(change);
        drop(before);
    }

    /// Manages the POA no more.
    pub(super) fn remove(&self, address: usize) {
        let mut change = self.gate.change.lock();
        let managed = &mut change.managed;
        if let Some(index) = managed.iter().position(|poa| poa.address() == address) {
            let poa = managed.swap_remove(index);
            drop(change);
            drop(poa);
        }
    }

    /// Lets requests that wait look whether their POA is ending.
    pub(super) fn wake(&self) {
        drop(self.gate.change.lock());
        self.gate.changed.notify_all();
    }

    /// Whether it manages no POA.
    pub(super) fn is_idle(&self) -> bool {
        self.gate.change.lock().managed.is_empty()
    }

    /// Waits until a request may come in, or the POA that it is for `is_ending`, which
    /// is asked again after a [`wake`](Self::wake).
    ///
    /// # Errors
    ///
    /// TRANSIENT 1 while discarding, or when too many wait; OBJECT_NOT_EXIST 4 when
    /// inactive.
    #[cold]
    pub(super) fn wait_to_be_admitted(
        &self,
        is_ending: impl Fn() -> bool,
    ) -> Result<(), SystemException> {
        let mut change = self.gate.change.lock();
        loop {
            match self.state() {
                PoaManagerState::Active => return Ok(()),
                PoaManagerState::Holding if is_ending() => return Ok(()),
                PoaManagerState::Holding if change.held < self.gate.max_held => {
                    tracing::debug!(manager = self.id(), "a request waits: requests are held");
                    change.held += 1;
                    self.gate.changed.wait(&mut change);
                    change.held -= 1;
                }
                PoaManagerState::Holding => {
                    tracing::warn!(
                        manager = self.id(),
                        setting = "server.max_held_requests",
                        limit = self.gate.max_held,
                        "a request is refused: too many are held"
                    );
                    return Err(refusal(SystemExceptionKind::Transient, 1));
                }
                PoaManagerState::Discarding => {
                    return Err(refusal(SystemExceptionKind::Transient, 1));
                }
                PoaManagerState::Inactive => {
                    return Err(refusal(SystemExceptionKind::ObjectNotExist, 4));
                }
            }
        }
    }
}

/// # Errors
///
/// BAD_INV_ORDER 3 for a servant that would wait for itself.
pub(super) fn check_wait(waits: bool) -> Result<(), SystemException> {
    if waits && is_in_upcall() {
        return Err(would_deadlock());
    }
    Ok(())
}

impl Gate {
    fn state(&self) -> PoaManagerState {
        match self.state.load(Ordering::Acquire) {
            0 => PoaManagerState::Holding,
            1 => PoaManagerState::Active,
            2 => PoaManagerState::Discarding,
            _ => PoaManagerState::Inactive,
        }
    }

    fn check_active(&self) -> Result<(), PoaManagerError> {
        match self.state() {
            PoaManagerState::Inactive => Err(PoaManagerError::AdapterInactive),
            _ => Ok(()),
        }
    }

    /// Begins a new generation.
    fn enter(self: &Arc<Self>, mut change: MutexGuard<'_, Change>, state: PoaManagerState) {
        change.last_generation += 1;
        let number = change.last_generation;
        change.generations.push(number);
        let gate = Arc::downgrade(self);
        let generation = mem::replace(
            &mut change.generation,
            Arc::new(Generation { number, gate }),
        );
        self.state.store(state as u8, Ordering::Release);
        let managed = change.managed.iter();
        let before: Vec<_> = managed
            .map(|poa| poa.enter(state, &change.generation))
            .collect();
        self.changed.notify_all();
        drop(change);
        // The generations before may end here, which needs the lock.
        drop(before);
        drop(generation);
    }

    /// Waits until no request runs that came in before the state became this one,
    /// or it has changed again.
    fn wait_for_completion(&self, state: PoaManagerState) {
        let mut change = self.change.lock();
        let number = change.generation.number;
        while self.state() == state
            && (change.generations.first() < Some(&number) || change.etherealizes_before.is_some())
        {
            self.changed.wait(&mut change);
        }
    }

    /// A generation has ended.
    fn end(&self, number: u64) {
        let mut change = self.change.lock();
        change
            .generations
            .retain(|generation| *generation != number);
        let first = change.generations.first().copied();
        if let Some(before) = change.etherealizes_before
            && first.is_none_or(|first| first >= before)
        {
            let managed = change.managed.clone();
            drop(change);
            managed.iter().for_each(|poa| poa.etherealize_objects());
            change = self.change.lock();
            change.etherealizes_before = None;
        }
        drop(change);
        self.changed.notify_all();
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        if let Some(gate) = self.gate.upgrade() {
            gate.end(self.number);
        }
    }
}

impl fmt::Debug for PoaManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoaManager")
            .field("id", &self.id())
            .field("state", &self.state())
            .finish()
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for PoaManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PoaManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AdapterInactive => f.write_str("the POA manager is inactive, which is final"),
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl std::error::Error for PoaManagerError {}

impl From<SystemException> for PoaManagerError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}
