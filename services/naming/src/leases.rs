//! A lease of the naming service, and the thread that renews it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fmt, io};

use taut::{NarrowError, ObjectRef, Reference, SystemException, SystemExceptionKind};

use crate::leasing_context::{BindWithLeaseError, RebindWithLeaseError, RenewLeaseError};
use crate::naming_context::ResolveError;
use crate::{LeaseId, LeasingContext, LeasingContextRef, Name, NameComponent, NamingContextRef};

/// The times that a lease is renewed within its time.
const RENEWALS: u32 = 3;

/// The longest time that a renewal waits for the service, and the end of the lease for the renewal.
const CALL: Duration = Duration::from_secs(10);

/// A lease of Taut's naming service, which is renewed until the value is dropped or
/// [`end`](Self::end) is called. If the process dies, the names that are bound upon it vanish when
/// its time is over.
///
/// A thread of its own renews it. Where the service has ended the lease all the same, such as
/// after a long time without a connection, the thread takes another one and binds the names again
/// that nobody else has bound meanwhile.
///
/// ```no_run
/// use std::time::Duration;
///
/// use taut::{ObjectRef, Orb};
/// use taut_naming::{LeaseKeeper, NameComponent, NamingContextRef};
///
/// fn serve(orb: &Orb, branch: &ObjectRef) -> Result<(), Box<dyn std::error::Error>> {
///     let root = orb.resolve_initial_references("NameService")?;
///     let root: NamingContextRef = root.narrow()?;
///     let lease = LeaseKeeper::start(&root, Duration::from_secs(10))?;
///     let id = "branch".to_owned();
///     lease.bind(&[NameComponent { id, kind: String::new() }], branch)?;
///     orb.run();
///     Ok(())
/// }
/// ```
#[must_use = "the lease ends when the value is dropped"]
pub struct LeaseKeeper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Why a lease was not granted.
#[derive(Debug)]
#[non_exhaustive]
pub enum LeaseError {
    /// The naming service has no leases: it is none of Taut's. Or it does not answer.
    NoLeases(NarrowError),
    /// The service refuses or does not answer.
    Refused(SystemException),
    /// No thread can be started that renews the lease.
    Thread(io::Error),
}

struct Shared {
    root: LeasingContextRef,
    seconds: u32,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    id: LeaseId,
    /// The seconds that were granted.
    granted: u32,
    bound: Vec<(Name, ObjectRef)>,
    is_over: bool,
}

impl LeaseKeeper {
    /// Takes a lease, in whole seconds: rounded up, one at least. Names upon it begin at `root`.
    ///
    /// # Errors
    ///
    /// When the service has no leases, refuses, or does not answer.
    pub fn start(root: &NamingContextRef, time: Duration) -> Result<Self, LeaseError> {
        let narrowed = root.as_object().narrow();
        let root: LeasingContextRef = narrowed.map_err(LeaseError::NoLeases)?;
        let seconds = time.as_secs() + u64::from(time.subsec_nanos() != 0);
        let seconds = u32::try_from(seconds).unwrap_or(u32::MAX).max(1);
        let lease = root.grant_lease(seconds).map_err(LeaseError::Refused)?;
        let state = State {
            id: lease.id,
            granted: lease.seconds,
            bound: Vec::new(),
            is_over: false,
        };
        let shared = Arc::new(Shared {
            root,
            seconds,
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let keep = Arc::clone(&shared);
        let thread = thread::Builder::new().name("taut-lease".to_owned());
        let thread = thread.spawn(move || keep.keep());
        Ok(Self {
            shared,
            thread: Some(thread.map_err(LeaseError::Thread)?),
        })
    }

    /// Returns the time that the service has granted.
    pub fn time(&self) -> Duration {
        Duration::from_secs(self.shared.state().granted.into())
    }

    /// Binds a name to an object until the lease ends.
    ///
    /// # Errors
    ///
    /// Those of `bind_with_lease`.
    pub fn bind(
        &self,
        name: &[NameComponent],
        object: &ObjectRef,
    ) -> Result<(), BindWithLeaseError> {
        let id = self.shared.state().id;
        self.shared.root.bind_with_lease(name, Some(object), id)?;
        self.shared.note(name, object);
        Ok(())
    }

    /// Binds a name to an object until the lease ends, in place of another object.
    ///
    /// # Errors
    ///
    /// Those of `rebind_with_lease`.
    pub fn rebind(
        &self,
        name: &[NameComponent],
        object: &ObjectRef,
    ) -> Result<(), RebindWithLeaseError> {
        let id = self.shared.state().id;
        self.shared.root.rebind_with_lease(name, Some(object), id)?;
        self.shared.note(name, object);
        Ok(())
    }

    /// Ends the lease, and with it the names that are bound upon it. Those that somebody has bound
    /// anew stay.
    ///
    /// # Errors
    ///
    /// When the service refuses or does not answer; the names vanish when the lease's time is over.
    pub fn end(mut self) -> Result<(), SystemException> {
        self.finish()
    }

    fn finish(&mut self) -> Result<(), SystemException> {
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        self.shared.state().is_over = true;
        self.shared.changed.notify_all();
        // It has nothing to say.
        let _ = thread.join();
        let id = self.shared.state().id;
        match self.shared.root.end_lease(id) {
            Err(crate::leasing_context::EndLeaseError::System(exception)) => Err(exception),
            // One that has ended by itself is as good.
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        // `end` is for those who want to know.
        let _ = self.finish();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, name: &[NameComponent], object: &ObjectRef) {
        let mut state = self.state();
        state.bound.retain(|(known, _)| known[..] != *name);
        state.bound.push((name.to_vec(), object.clone()));
    }

    /// Renews the lease until it is over.
    fn keep(&self) {
        loop {
            let state = self.state();
            let pause = Duration::from_secs(state.granted.into()) / RENEWALS;
            let id = state.id;
            let waited = self
                .changed
                .wait_timeout_while(state, pause, |state| !state.is_over);
            let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.is_over {
                return;
            }
            drop(state);
            // A service that does not answer may do so the next time.
            let root = self.root.with_call_timeout(pause.min(CALL));
            let lost = match root.renew_lease(id) {
                Ok(_) => false,
                Err(RenewLeaseError::NoSuchLease(_)) => true,
                Err(RenewLeaseError::System(exception)) => {
                    if exception.kind == SystemExceptionKind::BadInvOrder {
                        // The ORB has been shut down.
                        return;
                    }
                    false
                }
            };
            if lost {
                self.begin_anew(&root);
            }
        }
    }

    /// Takes another lease in place of one that has ended, and binds the names again.
    fn begin_anew(&self, root: &LeasingContextRef) {
        let Ok(lease) = root.grant_lease(self.seconds) else {
            return;
        };
        let bound = self.state().bound.clone();
        let mut is_whole = true;
        for (name, object) in &bound {
            let again = match crate::NamingContext::resolve(root, name) {
                // Its owner's last life may have left it, without a lease.
                Ok(Some(found)) if found == *object => {
                    let again = root.rebind_with_lease(name, Some(object), lease.id);
                    !matches!(again, Err(RebindWithLeaseError::System(_)))
                }
                // It is somebody else's now.
                Ok(_) => true,
                Err(ResolveError::NotFound(_)) => {
                    let again = root.bind_with_lease(name, Some(object), lease.id);
                    !matches!(again, Err(BindWithLeaseError::System(_)))
                }
                Err(_) => false,
            };
            is_whole &= again;
        }
        if is_whole {
            let mut state = self.state();
            state.id = lease.id;
            state.granted = lease.seconds;
        } else {
            // The old number is unknown the next time too, and all is tried again.
            let _ = root.end_lease(lease.id);
        }
    }
}

impl fmt::Debug for LeaseKeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaseKeeper").finish_non_exhaustive()
    }
}

impl fmt::Display for LeaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLeases(NarrowError::WrongInterface { .. }) => f.write_str(
                "the naming service has no leases; they are an extension of Taut's naming service",
            ),
            Self::NoLeases(error) => write!(f, "the naming service: {error}"),
            Self::Refused(exception) => write!(f, "no lease was granted: {exception}"),
            Self::Thread(error) => write!(f, "no thread renews the lease: {error}"),
        }
    }
}

impl std::error::Error for LeaseError {}
