//! The POA manager: whether requests are carried out, held, or refused.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::{Condvar, Mutex};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

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

/// The refusal to leave the state INACTIVE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdapterInactive;

/// Lets requests through to its POAs, or not. A clone manages the same POAs.
#[derive(Debug, Clone)]
pub struct PoaManager {
    gate: Arc<Gate>,
}

#[derive(Debug)]
struct Gate {
    /// A `PoaManagerState`; written under the lock of `change`.
    state: AtomicU8,
    change: Mutex<()>,
    changed: Condvar,
}

impl PoaManager {
    pub(super) fn new() -> Self {
        let gate = Gate {
            state: AtomicU8::new(PoaManagerState::Holding as u8),
            change: Mutex::new(()),
            changed: Condvar::new(),
        };
        Self {
            gate: Arc::new(gate),
        }
    }

    /// The state.
    pub fn state(&self) -> PoaManagerState {
        match self.gate.state.load(Ordering::Acquire) {
            0 => PoaManagerState::Holding,
            1 => PoaManagerState::Active,
            2 => PoaManagerState::Discarding,
            _ => PoaManagerState::Inactive,
        }
    }

    /// Lets requests through, those that wait first.
    ///
    /// # Errors
    ///
    /// [`AdapterInactive`] once the manager is inactive.
    pub fn activate(&self) -> Result<(), AdapterInactive> {
        self.enter(PoaManagerState::Active)
    }

    /// Makes requests wait.
    ///
    /// # Errors
    ///
    /// [`AdapterInactive`] once the manager is inactive.
    pub fn hold_requests(&self) -> Result<(), AdapterInactive> {
        self.enter(PoaManagerState::Holding)
    }

    /// Refuses requests with TRANSIENT (OMG minor 1), those that wait too.
    ///
    /// # Errors
    ///
    /// [`AdapterInactive`] once the manager is inactive.
    pub fn discard_requests(&self) -> Result<(), AdapterInactive> {
        self.enter(PoaManagerState::Discarding)
    }

    /// Refuses requests from now on, for good.
    ///
    /// # Errors
    ///
    /// [`AdapterInactive`] when the manager is inactive already.
    pub fn deactivate(&self) -> Result<(), AdapterInactive> {
        self.enter(PoaManagerState::Inactive)
    }

    fn enter(&self, state: PoaManagerState) -> Result<(), AdapterInactive> {
        let _change = self.gate.change.lock();
        if self.state() == PoaManagerState::Inactive {
            return Err(AdapterInactive);
        }
        self.gate.state.store(state as u8, Ordering::Release);
        self.gate.changed.notify_all();
        Ok(())
    }

    /// Lets a request pass, after a wait if the manager holds requests.
    ///
    /// # Errors
    ///
    /// TRANSIENT 1 while discarding, OBJECT_NOT_EXIST 4 when inactive.
    #[inline]
    pub(super) fn admit(&self) -> Result<(), SystemException> {
        if self.gate.state.load(Ordering::Acquire) == PoaManagerState::Active as u8 {
            return Ok(());
        }
        self.wait_to_be_admitted()
    }

    #[cold]
    fn wait_to_be_admitted(&self) -> Result<(), SystemException> {
        let mut change = self.gate.change.lock();
        loop {
            let (kind, minor) = match self.state() {
                PoaManagerState::Active => return Ok(()),
                PoaManagerState::Holding => {
                    tracing::debug!("a request waits: the POA manager holds requests");
                    self.gate.changed.wait(&mut change);
                    continue;
                }
                PoaManagerState::Discarding => (SystemExceptionKind::Transient, 1),
                PoaManagerState::Inactive => (SystemExceptionKind::ObjectNotExist, 4),
            };
            return Err(SystemException::omg(kind, minor, CompletionStatus::No));
        }
    }
}

impl fmt::Display for AdapterInactive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the POA manager is inactive, which is final")
    }
}

impl std::error::Error for AdapterInactive {}
