//! The POA managers of an ORB, by their ids.

use std::fmt;

use taut_sync::lock::Mutex;

use super::PoaManager;
use super::manager::StateObserver;

/// Makes and finds POA managers (CORBA 3.3 part 1, 15.3.3).
pub struct PoaManagerFactory {
    max_held: usize,
    observer: Option<StateObserver>,
    managers: Mutex<Managers>,
}

#[derive(Default)]
struct Managers {
    /// By their ids, in order.
    known: Vec<PoaManager>,
    anonymous: u64,
}

impl Managers {
    /// The place of the manager with this id, or where it would be.
    fn place(&self, id: &str) -> Result<usize, usize> {
        self.known.binary_search_by(|manager| manager.id().cmp(id))
    }
}

/// A manager of this id exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManagerAlreadyExists;

impl PoaManagerFactory {
    pub(super) fn new(max_held: usize, observer: Option<StateObserver>) -> Self {
        Self {
            max_held,
            observer,
            managers: Mutex::default(),
        }
    }

    /// Creates a manager, which holds requests.
    ///
    /// # Errors
    ///
    /// [`ManagerAlreadyExists`].
    pub fn create_poa_manager(&self, id: &str) -> Result<PoaManager, ManagerAlreadyExists> {
        let mut managers = self.managers.lock();
        let Err(place) = managers.place(id) else {
            return Err(ManagerAlreadyExists);
        };
        let manager = PoaManager::new(id, self.max_held, self.observer.clone());
        managers.known.insert(place, manager.clone());
        Ok(manager)
    }

    /// All managers, also those that POAs got when they were created without one.
    pub fn list(&self) -> Vec<PoaManager> {
        self.managers.lock().known.clone()
    }

    /// The manager with this id.
    pub fn find(&self, id: &str) -> Option<PoaManager> {
        let managers = self.managers.lock();
        let place = managers.place(id).ok()?;
        managers.known.get(place).cloned()
    }

    /// A manager for one POA.
    pub(super) fn create_anonymous(&self) -> PoaManager {
        loop {
            let id = {
                let mut managers = self.managers.lock();
                managers.anonymous += 1;
                format!("POAManager{}", managers.anonymous)
            };
            if let Ok(manager) = self.create_poa_manager(&id) {
                return manager;
            }
        }
    }

    /// Knows the manager, which has got a POA, if it was forgotten.
    pub(super) fn remember(&self, manager: &PoaManager) {
        let mut managers = self.managers.lock();
        if let Err(place) = managers.place(manager.id()) {
            managers.known.insert(place, manager.clone());
        }
    }

    /// Knows the manager no more if it manages no POA.
    pub(super) fn forget_idle(&self, manager: &PoaManager) {
        if !manager.is_idle() {
            return;
        }
        let forgotten = {
            let mut managers = self.managers.lock();
            let place = managers.place(manager.id()).ok();
            place.map(|place| managers.known.remove(place))
        };
        drop(forgotten);
        // A user of the manager may have given it a POA meanwhile.
        if !manager.is_idle() {
            self.remember(manager);
        }
    }
}

impl fmt::Debug for PoaManagerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list()).finish()
    }
}

impl fmt::Display for ManagerAlreadyExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is a POA manager with this id already")
    }
}

impl std::error::Error for ManagerAlreadyExists {}
