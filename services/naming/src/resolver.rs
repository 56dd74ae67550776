//! Names that are resolved once, and again when what they led to is gone.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use taut::{
    CompletionStatus, InvalidName, NarrowError, ObjectRef, Orb, Reference, SystemException,
    SystemExceptionKind,
};
use taut_giop::naming::{NameError, parse_name};

use crate::naming_context::ResolveError;
use crate::{NameComponent, NamingContext, NamingContextRef};

/// The names that are kept unless it is said otherwise.
const DEFAULT_CAPACITY: usize = 1024;

/// Objects by their names, which are asked of the naming service once. A call that fails because
/// its object is gone asks again, and goes to the object that has taken its place.
///
/// ```
/// use taut_naming::{NamingContext, NamingContextRef, Resolver, ResolverError};
///
/// fn entries(resolver: &Resolver) -> Result<usize, ResolverError> {
///     let count = |directory: &NamingContextRef| Ok(directory.list(100)?.0.len());
///     resolver.call("bank/directory", count)
/// }
/// ```
pub struct Resolver {
    root: NamingContextRef,
    capacity: usize,
    known: Mutex<HashMap<String, ObjectRef>>,
}

/// Why a name led to no object, or the error of a call.
#[derive(Debug)]
#[non_exhaustive]
pub enum ResolverError<E = SystemException> {
    /// The ORB has no initial reference `NameService`, or it cannot be resolved.
    NoService(InvalidName),
    /// `NameService` is no naming context, or does not answer.
    NoContext(NarrowError),
    /// The text is no name.
    Name(NameError),
    /// The name cannot be resolved.
    Resolve(ResolveError),
    /// The name is bound to nil.
    Nil,
    /// The object has another interface, or does not answer.
    Narrow(NarrowError),
    /// The call has failed.
    Call(E),
}

impl Resolver {
    /// Makes one of names in the naming service that is the ORB's initial reference `NameService`.
    ///
    /// # Errors
    ///
    /// When there is no naming service, or it does not answer.
    pub fn new(orb: &Orb) -> Result<Self, ResolverError> {
        let root = orb.resolve_initial_references("NameService");
        let root = root.map_err(ResolverError::NoService)?;
        let root = root.narrow().map_err(ResolverError::NoContext)?;
        Ok(Self::at(root))
    }

    /// Makes one of names that begin at a context.
    pub fn at(root: NamingContextRef) -> Self {
        Self {
            root,
            capacity: DEFAULT_CAPACITY,
            known: Mutex::default(),
        }
    }

    /// Sets the most names that are kept, 1,024 without it. When there are as many, a further one
    /// takes the place of any of them; with 0 none is kept.
    #[must_use]
    pub fn with_capacity(mut self, names: usize) -> Self {
        self.capacity = names;
        self
    }

    /// Returns the object that a name in its string form stands for: the one that is known, or
    /// that which the naming service says. The object is not called.
    ///
    /// # Errors
    ///
    /// When the text is no name, or it cannot be resolved.
    pub fn resolve(&self, name: &str) -> Result<ObjectRef, ResolverError> {
        self.object(name)
    }

    fn object<E>(&self, name: &str) -> Result<ObjectRef, ResolverError<E>> {
        let known = self.known().get(name).cloned();
        match known {
            Some(object) => Ok(object),
            None => self.ask(name),
        }
    }

    /// The object that a name stands for, as one of an interface.
    fn narrowed<R: Reference, E>(&self, name: &str) -> Result<R, ResolverError<E>> {
        let object = self.object(name)?;
        object.narrow().map_err(ResolverError::Narrow)
    }

    /// Forgets the object of a name, so that the naming service is asked the next time.
    pub fn forget(&self, name: &str) {
        self.known().remove(name);
    }

    /// Calls the object that a name stands for. When the call fails since the object is not there
    /// (OBJECT_NOT_EXIST, COMM_FAILURE, TRANSIENT), the name is resolved anew; if it stands for
    /// another object now, and the call has certainly not been carried out, that object is called
    /// instead, once.
    ///
    /// # Errors
    ///
    /// Those of [`resolve`](Self::resolve) and of the call, and when the object is of another
    /// interface.
    pub fn call<R: Reference, T, E: Error + 'static>(
        &self,
        name: &str,
        call: impl Fn(&R) -> Result<T, E>,
    ) -> Result<T, ResolverError<E>> {
        let object: R = match self.narrowed(name) {
            Err(ResolverError::Narrow(NarrowError::System(exception)))
                if is_gone(&exception) && self.known().contains_key(name) =>
            {
                // To find out its interface changes nothing, and may be done again.
                self.forget(name);
                self.narrowed(name)?
            }
            object => object?,
        };
        let error = match call(&object) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        let Some(exception) = system_exception(&error).filter(|it| is_gone(it)) else {
            return Err(ResolverError::Call(error));
        };
        let is_undone = exception.completed == CompletionStatus::No;
        self.forget(name);
        if !is_undone {
            return Err(ResolverError::Call(error));
        }
        let other: R = match self.narrowed::<R, E>(name) {
            Ok(other) => other,
            // The first error says more of what happened.
            Err(_) => return Err(ResolverError::Call(error)),
        };
        if other.as_object() == object.as_object() {
            return Err(ResolverError::Call(error));
        }
        call(&other).map_err(ResolverError::Call)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, ObjectRef>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the naming service.
    fn ask<E>(&self, name: &str) -> Result<ObjectRef, ResolverError<E>> {
        let components = parse_name(name).map_err(ResolverError::Name)?;
        let components = components.into_iter().map(|one| NameComponent {
            id: one.id,
            kind: one.kind,
        });
        let components: Vec<_> = components.collect();
        let object = self.root.resolve(&components);
        let object = object.map_err(ResolverError::Resolve)?;
        let object = object.ok_or(ResolverError::Nil)?;
        if self.capacity > 0 {
            let mut known = self.known();
            if known.len() >= self.capacity && !known.contains_key(name) {
                let any = known.keys().next().cloned();
                any.map(|any| known.remove(&any));
            }
            known.insert(name.to_owned(), object.clone());
        }
        Ok(object)
    }
}

/// The system exception that an error is, or that is behind it.
fn system_exception<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e SystemException> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(exception) = error.downcast_ref() {
            return Some(exception);
        }
        next = error.source();
    }
    None
}

/// Whether an exception says that the object is not where it was looked for.
fn is_gone(exception: &SystemException) -> bool {
    matches!(
        exception.kind,
        SystemExceptionKind::ObjectNotExist
            | SystemExceptionKind::CommFailure
            | SystemExceptionKind::Transient
    )
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver")
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl<E: fmt::Display> fmt::Display for ResolverError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoService(error) => write!(f, "{error}"),
            Self::NoContext(error) => write!(f, "the naming service: {error}"),
            Self::Name(error) => write!(f, "{error}"),
            Self::Resolve(error) => write!(f, "the name cannot be resolved: {error}"),
            Self::Nil => f.write_str("the name is bound to the nil reference"),
            Self::Narrow(error) => write!(f, "the object of the name: {error}"),
            Self::Call(error) => write!(f, "{error}"),
        }
    }
}

impl<E: Error + 'static> Error for ResolverError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoContext(error) | Self::Narrow(error) => Some(error),
            Self::NoService(error) => Some(error),
            Self::Name(error) => Some(error),
            Self::Resolve(error) => Some(error),
            Self::Call(error) => Some(error),
            Self::Nil => None,
        }
    }
}
