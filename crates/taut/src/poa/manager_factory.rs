//! The POA managers of an ORB, by their ids.

use std::collections::BTreeMap;
use std::fmt;

use parking_lot::Mutex;

use super::PoaManager;

/// Makes and finds POA managers (CORBA 3.3 part 1, 15.3.3).
pub struct PoaManagerFactory {
    max_held: usize,
    managers: Mutex<Managers>,
}

#[derive(Default)]
struct Managers {
    by_id: BTreeMap<Box<str>, PoaManager>,
    anonymous: u64,
}

/// A manager of this id exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManagerAlreadyExists;

impl PoaManagerFactory {
    pub(super) fn new(max_held: usize) -> Self {
        Self {
            max_held,
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
        if managers.by_id.contains_key(id) {
            return Err(ManagerAlreadyExists);
        }
        let manager = PoaManager::new(id, self.max_held);
        managers.by_id.insert(id.into(), manager.clone());
        Ok(manager)
    }

    /// All managers, also those that POAs got when they were created without one.
    pub fn list(&self) -> Vec<PoaManager> {
        self.managers.lock().by_id.values().cloned().collect()
    }

    /// The manager with this id.
    pub fn find(&self, id: &str) -> Option<PoaManager> {
        self.managers.lock().by_id.get(id).cloned()
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
        let known = managers.by_id.entry(manager.id().into());
        known.or_insert_with(|| manager.clone());
    }

    /// Knows the manager no more if it manages no POA.
    pub(super) fn forget_idle(&self, manager: &PoaManager) {
        if !manager.is_idle() {
            return;
        }
        let forgotten = self.managers.lock().by_id.remove(manager.id());
        drop(forgotten);
        // Whoever has it may have given it a POA meanwhile.
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
