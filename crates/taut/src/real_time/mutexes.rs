//! Mutexes that inherit priorities (Real-time CORBA 1.2, 4.9).

use taut_giop::SystemException;

use super::RtOrb;
use crate::priority::{MutexNotFound, RtMutex};

impl RtOrb {
    /// Makes a mutex, which no thread has (the standard's `create_mutex`).
    pub fn create_mutex(&self) -> RtMutex {
        RtMutex::new()
    }

    /// Ends a mutex, which no thread may have (the standard's `destroy_mutex`). Calls of it end
    /// with OBJECT_NOT_EXIST from then on, and its name is free if it had one.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER, Taut minor 123, if a thread has it; OBJECT_NOT_EXIST, Taut minor 124, if
    /// it is destroyed already.
    pub fn destroy_mutex(&self, mutex: &RtMutex) -> Result<(), SystemException> {
        self.core().mutexes.destroy(mutex)
    }

    /// Returns the mutex of this ORB with a name, which is made if there is none, and whether it
    /// was made (TAO's `create_named_mutex`).
    pub fn create_named_mutex(&self, name: &str) -> (RtMutex, bool) {
        self.core().mutexes.create(name)
    }

    /// Returns the mutex of this ORB with a name (TAO's `open_named_mutex`).
    ///
    /// # Errors
    ///
    /// [`MutexNotFound`].
    pub fn open_named_mutex(&self, name: &str) -> Result<RtMutex, MutexNotFound> {
        self.core().mutexes.open(name)
    }
}
