//! Mutexes that inherit priorities, and those of them that have names (the standard's
//! `RTCORBA::Mutex`, Real-time CORBA 1.2, 4.9).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use taut_sync::lock::{NeverFree, PriorityInheritanceLock, PriorityInheritanceMutex};

/// A mutex that a thread takes and gives back (the standard's `RTCORBA::Mutex`). A clone is the
/// same mutex.
///
/// While a thread waits for it, the one that has it is scheduled as if it had the higher of
/// both priorities: no thread of a priority between them keeps the waiting one from going on.
/// That is so for native priorities, whoever has set them.
///
/// A thread that ends with a mutex leaves it taken: all others are told so, those that wait too.
#[derive(Clone)]
pub struct RtMutex(Arc<Shared>);

#[derive(Default)]
struct Shared {
    lock: PriorityInheritanceLock,
    /// Whether nobody takes it any more. Written by the thread that has the lock.
    is_destroyed: AtomicBool,
    /// Whether a thread has ended with it while others waited. Likewise.
    is_abandoned: AtomicBool,
}

/// Why there is no mutex of a name (TAO's exception `MutexNotFound`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutexNotFound {
    /// The name.
    pub name: String,
}

/// The mutexes of an ORB that have names.
#[derive(Debug, Default)]
pub(crate) struct NamedMutexes(PriorityInheritanceMutex<BTreeMap<String, RtMutex>>);

/// Longer than anybody waits: 30 years.
const LONGEST_WAIT: Duration = Duration::from_secs(1 << 30);

fn refused(kind: SystemExceptionKind, minor: u32) -> SystemException {
    SystemException::new(kind, minor, CompletionStatus::No)
}

#[cold]
fn never_free(reason: NeverFree) -> SystemException {
    refused(SystemExceptionKind::BadInvOrder, minor::MUTEX_OWNED).because(reason.to_string())
}

impl RtMutex {
    /// A mutex that no thread has.
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// Waits for the mutex and takes it.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER, Taut minor 123, if it does not become free: the calling thread has it
    /// itself, or the thread that had it has ended; OBJECT_NOT_EXIST, Taut minor 124, once it
    /// is destroyed.
    pub fn lock(&self) -> Result<(), SystemException> {
        let taken = self.0.lock.take();
        taken.map_err(|reason| self.never_free(reason))?;
        self.check()
    }

    /// Takes the mutex if it becomes free within this time, and returns whether it did. Zero:
    /// if it is free.
    ///
    /// # Errors
    ///
    /// Those of [`lock`](Self::lock).
    pub fn try_lock(&self, max_wait: Duration) -> Result<bool, SystemException> {
        let lock = &self.0.lock;
        let is_taken = match max_wait.is_zero() {
            true => lock.try_take(),
            false => {
                let deadline = Instant::now() + max_wait.min(LONGEST_WAIT);
                let taken = lock.take_until(deadline);
                taken.map_err(|reason| self.never_free(reason))?
            }
        };
        match is_taken {
            true => self.check().map(|()| true),
            false => Ok(false),
        }
    }

    /// Gives the mutex back. Of the threads that wait, the most urgent one gets it.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER, Taut minor 122, if the calling thread does not have it; nothing has
    /// changed then.
    pub fn unlock(&self) -> Result<(), SystemException> {
        let given = self.0.lock.give_back();
        given.map_err(|_| refused(SystemExceptionKind::BadInvOrder, minor::MUTEX_NOT_OWNED))
    }

    /// Ends the mutex, which no thread may have.
    ///
    /// # Errors
    ///
    /// BAD_INV_ORDER, Taut minor 123, if a thread has it; OBJECT_NOT_EXIST, Taut minor 124, if
    /// it is destroyed already.
    fn destroy(&self) -> Result<(), SystemException> {
        if !self.0.lock.try_take() {
            return Err(refused(
                SystemExceptionKind::BadInvOrder,
                minor::MUTEX_OWNED,
            ));
        }
        self.check()?;
        self.0.is_destroyed.store(true, Ordering::Relaxed);
        self.unlock()
    }

    /// Checks that the mutex, which the calling thread has, is there and was given back. If not,
    /// it is let go, and the next that waits learns the same.
    fn check(&self) -> Result<(), SystemException> {
        let shared = &*self.0;
        let fault = if shared.is_destroyed.load(Ordering::Relaxed) {
            refused(SystemExceptionKind::ObjectNotExist, minor::MUTEX_DESTROYED)
        } else if shared.is_abandoned.load(Ordering::Relaxed) {
            never_free(NeverFree::OwnerEnded)
        } else {
            return Ok(());
        };
        self.unlock()?;
        Err(fault)
    }

    /// The exception of a wait in vain. Where the thread that had the mutex has ended, and the
    /// calling one has it now, all that come learn the same.
    #[cold]
    fn never_free(&self, reason: NeverFree) -> SystemException {
        if reason == NeverFree::OwnerEnded && self.0.lock.is_owned() {
            self.0.is_abandoned.store(true, Ordering::Relaxed);
            // It is this thread's.
            let _ = self.unlock();
        }
        never_free(reason)
    }
}

impl NamedMutexes {
    /// Returns the mutex of this name, which is made if there is none; and whether it was.
    pub(crate) fn create(&self, name: &str) -> (RtMutex, bool) {
        let mut named = self.0.lock();
        if let Some(mutex) = named.get(name) {
            return (mutex.clone(), false);
        }
        let mutex = RtMutex::new();
        named.insert(name.to_owned(), mutex.clone());
        (mutex, true)
    }

    /// Returns the mutex of this name.
    ///
    /// # Errors
    ///
    /// [`MutexNotFound`].
    pub(crate) fn open(&self, name: &str) -> Result<RtMutex, MutexNotFound> {
        let named = self.0.lock();
        named.get(name).cloned().ok_or_else(|| MutexNotFound {
            name: name.to_owned(),
        })
    }

    /// Ends a mutex, and forgets its name if it has one: nobody finds one by its name that is
    /// destroyed.
    ///
    /// # Errors
    ///
    /// Those of [`RtMutex::destroy`].
    pub(crate) fn destroy(&self, mutex: &RtMutex) -> Result<(), SystemException> {
        let mut named = self.0.lock();
        mutex.destroy()?;
        named.retain(|_, other| other != mutex);
        Ok(())
    }
}

/// Whether both are the same mutex.
impl PartialEq for RtMutex {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for RtMutex {}

impl fmt::Debug for RtMutex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RtMutex")
            .field("is_taken", &self.0.lock.is_taken())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for MutexNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no mutex of the name {:?}", self.name)
    }
}

impl std::error::Error for MutexNotFound {}
