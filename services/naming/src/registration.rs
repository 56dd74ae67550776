//! An object's name for the time of the object.

use std::fmt;
use std::time::Duration;

use taut::{InvalidName, NarrowError, ObjectRef, Orb, SystemException};
use taut_giop::naming::{NameError, parse_name};

use crate::leasing_context::RebindWithLeaseError;
use crate::naming_context::{BindNewContextError, RebindError, ResolveError, UnbindError};
use crate::{LeaseError, LeaseKeeper, Name, NameComponent, NamingContext, NamingContextRef};

/// A name in the naming service, bound to an object when the value is made, and unbound when it is
/// dropped or [`unbind`](Self::unbind) is called.
///
/// ```no_run
/// use taut::{ObjectRef, Orb};
/// use taut_naming::Registration;
///
/// fn serve(orb: &Orb, branch: &ObjectRef) -> Result<(), Box<dyn std::error::Error>> {
///     let registration = Registration::bind(orb, "bank/main", branch)?;
///     orb.run();
///     registration.unbind()?;
///     Ok(())
/// }
/// ```
///
/// The unbinding is a call, so it comes before the shutdown of the ORB. A name that has been bound to
/// another object since, such as by the program that takes this one's place, is left alone.
#[must_use = "the name is unbound when the value is dropped"]
pub struct Registration {
    root: NamingContextRef,
    name: Name,
    object: ObjectRef,
    is_bound: bool,
    lease: Option<LeaseKeeper>,
}

/// Why a name was not bound or not unbound.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegistrationError {
    /// The text is no name.
    Name(NameError),
    /// The ORB has no initial reference `NameService`, or it cannot be resolved.
    NoService(InvalidName),
    /// `NameService` is no naming context, or does not answer.
    NoContext(NarrowError),
    /// A context in front of the last component cannot be made.
    Parent(BindNewContextError),
    /// The name cannot be bound: a context may have it.
    Bind(RebindError),
    /// No lease is granted.
    Lease(LeaseError),
    /// The name cannot be bound upon the lease.
    BindWithLease(RebindWithLeaseError),
    /// The lease cannot be ended; it ends by itself when its time is over.
    EndLease(SystemException),
    /// The name cannot be resolved, so that it is not unbound.
    Resolve(ResolveError),
    /// The name cannot be unbound.
    Unbind(UnbindError),
}

impl Registration {
    /// Binds a name in its string form to an object, in the naming service that is the ORB's
    /// initial reference `NameService`. Contexts that are missing are made; another object of that
    /// name, such as one of an earlier life of the server, gives way.
    ///
    /// # Errors
    ///
    /// When the text is no name, there is no naming service, or it refuses.
    pub fn bind(orb: &Orb, name: &str, object: &ObjectRef) -> Result<Self, RegistrationError> {
        Self::bind_in(&root(orb)?, parsed(name)?, object)
    }

    /// Binds a name as [`bind`](Self::bind) does, upon a lease of this time that is renewed as long
    /// as there is the value. When the process dies, the name vanishes within that time.
    ///
    /// # Errors
    ///
    /// Those of `bind`, and when the naming service has no leases: it is an extension of Taut's.
    pub fn bind_with_lease(
        orb: &Orb,
        name: &str,
        object: &ObjectRef,
        time: Duration,
    ) -> Result<Self, RegistrationError> {
        Self::bind_in_with_lease(&root(orb)?, parsed(name)?, object, time)
    }

    /// Binds a name to an object from a context on, as [`bind`](Self::bind) does.
    ///
    /// # Errors
    ///
    /// When the naming service refuses or does not answer.
    pub fn bind_in(
        root: &NamingContextRef,
        name: Name,
        object: &ObjectRef,
    ) -> Result<Self, RegistrationError> {
        // Most often the contexts are there.
        let mut bound = root.rebind(&name, Some(object));
        if matches!(&bound, Err(RebindError::NotFound(fault)) if fault.rest_of_name.len() > 1) {
            make_parents(root, &name)?;
            bound = root.rebind(&name, Some(object));
        }
        bound.map_err(RegistrationError::Bind)?;
        Ok(Self::bound(root, name, object, None))
    }

    /// Binds a name from a context on, as [`bind_with_lease`](Self::bind_with_lease) does.
    ///
    /// # Errors
    ///
    /// When the naming service has no leases, refuses, or does not answer.
    pub fn bind_in_with_lease(
        root: &NamingContextRef,
        name: Name,
        object: &ObjectRef,
        time: Duration,
    ) -> Result<Self, RegistrationError> {
        let lease = LeaseKeeper::start(root, time).map_err(RegistrationError::Lease)?;
        let mut bound = lease.rebind(&name, object);
        let is_shallow = |rest: &[NameComponent]| rest.len() <= 1;
        if matches!(&bound, Err(RebindWithLeaseError::NotFound(fault)) if !is_shallow(&fault.rest_of_name))
        {
            make_parents(root, &name)?;
            bound = lease.rebind(&name, object);
        }
        bound.map_err(RegistrationError::BindWithLease)?;
        Ok(Self::bound(root, name, object, Some(lease)))
    }

    fn bound(
        root: &NamingContextRef,
        name: Name,
        object: &ObjectRef,
        lease: Option<LeaseKeeper>,
    ) -> Self {
        Self {
            root: root.clone(),
            name,
            object: object.clone(),
            is_bound: true,
            lease,
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &[NameComponent] {
        &self.name
    }

    /// Unbinds the name, unless it has been bound to another object or unbound since.
    ///
    /// # Errors
    ///
    /// When the naming service refuses or does not answer; the name stays then.
    pub fn unbind(mut self) -> Result<(), RegistrationError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), RegistrationError> {
        if !std::mem::take(&mut self.is_bound) {
            return Ok(());
        }
        // The name is parted from its lease when somebody else binds it.
        if let Some(lease) = self.lease.take() {
            return lease.end().map_err(RegistrationError::EndLease);
        }
        match self.root.resolve(&self.name) {
            Ok(Some(found)) if found == self.object => {}
            Ok(_) | Err(ResolveError::NotFound(_)) => return Ok(()),
            Err(error) => return Err(RegistrationError::Resolve(error)),
        }
        match self.root.unbind(&self.name) {
            Ok(()) | Err(UnbindError::NotFound(_)) => Ok(()),
            Err(error) => Err(RegistrationError::Unbind(error)),
        }
    }
}

/// The naming service of an ORB.
fn root(orb: &Orb) -> Result<NamingContextRef, RegistrationError> {
    let root = orb.resolve_initial_references("NameService");
    let root = root.map_err(RegistrationError::NoService)?;
    root.narrow().map_err(RegistrationError::NoContext)
}

fn parsed(name: &str) -> Result<Name, RegistrationError> {
    let name = parse_name(name).map_err(RegistrationError::Name)?;
    let components = name.into_iter().map(|one| NameComponent {
        id: one.id,
        kind: one.kind,
    });
    Ok(components.collect())
}

/// Makes the contexts of a name that are missing.
fn make_parents(root: &NamingContextRef, name: &[NameComponent]) -> Result<(), RegistrationError> {
    for length in 1..name.len() {
        match root.bind_new_context(name.get(..length).unwrap_or_default()) {
            Ok(_) | Err(BindNewContextError::AlreadyBound(_)) => {}
            Err(error) => return Err(RegistrationError::Parent(error)),
        }
    }
    Ok(())
}

impl Drop for Registration {
    fn drop(&mut self) {
        // `unbind` is for those who want to know.
        let _ = self.end();
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for RegistrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => write!(f, "{error}"),
            Self::NoService(error) => write!(f, "{error}"),
            Self::NoContext(error) => write!(f, "the naming service: {error}"),
            Self::Parent(error) => write!(f, "a context of the name cannot be made: {error}"),
            Self::Bind(error) => write!(f, "the name cannot be bound: {error}"),
            Self::Lease(error) => write!(f, "{error}"),
            Self::BindWithLease(error) => write!(f, "the name cannot be bound: {error}"),
            Self::EndLease(error) => {
                write!(f, "the name stays bound until its lease ends: {error}")
            }
            Self::Resolve(error) => write!(f, "the name stays bound: {error}"),
            Self::Unbind(error) => write!(f, "the name stays bound: {error}"),
        }
    }
}

impl std::error::Error for RegistrationError {}

/// The system exception behind an error, if there is one.
impl RegistrationError {
    /// Returns the system exception with which the naming service, or the ORB, ended the call.
    pub fn system_exception(&self) -> Option<&SystemException> {
        match self {
            Self::NoContext(NarrowError::System(exception))
            | Self::Parent(BindNewContextError::System(exception))
            | Self::Lease(
                LeaseError::Refused(exception)
                | LeaseError::NoLeases(NarrowError::System(exception)),
            )
            | Self::BindWithLease(RebindWithLeaseError::System(exception))
            | Self::EndLease(exception)
            | Self::Bind(RebindError::System(exception))
            | Self::Resolve(ResolveError::System(exception))
            | Self::Unbind(UnbindError::System(exception)) => Some(exception),
            _ => None,
        }
    }
}
