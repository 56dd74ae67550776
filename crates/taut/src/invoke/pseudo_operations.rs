//! The operations that every object has.

use std::fmt;

use taut_cdr::{Decode, DecodeNil, Encode};
use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

use crate::object::{ObjectRef, Reference};

/// Why a reference could not be narrowed.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NarrowError {
    /// The object is of another interface.
    WrongInterface {
        /// The repository id of the interface that was asked for.
        expected: &'static str,
        /// The repository id that the reference carries; may be empty.
        found: String,
    },
    /// Asking the object failed.
    System(SystemException),
}

impl ObjectRef {
    /// Whether the object is of the interface with that repository id. Asks
    /// the object, unless the reference itself says so.
    ///
    /// # Errors
    ///
    /// The system exception that asking ended with.
    pub fn is_a(&self, repository_id: &str) -> Result<bool, SystemException> {
        if self.type_id() == repository_id {
            return Ok(true);
        }
        if let Some(interface) = self.local_interface("_is_a") {
            return Ok(interface?.is_a(repository_id));
        }
        self.invoke("_is_a", |out| repository_id.encode(out))?
            .results(bool::decode)
    }

    /// Whether the object certainly exists no more.
    ///
    /// # Errors
    ///
    /// The system exception that asking ended with, but for OBJECT_NOT_EXIST,
    /// which is the answer `true`.
    pub fn non_existent(&self) -> Result<bool, SystemException> {
        let answer = match self.local_interface("_non_existent") {
            Some(interface) => interface.map(|_| false),
            None => self
                .invoke("_non_existent", |_| Ok(()))
                .and_then(|reply| reply.results(bool::decode)),
        };
        match answer {
            Err(exception) if exception.kind == SystemExceptionKind::ObjectNotExist => Ok(true),
            answer => answer,
        }
    }

    /// The object as one of the interface `R`, asked if need be.
    ///
    /// # Errors
    ///
    /// [`NarrowError`] when it is of another interface or cannot be asked.
    pub fn narrow<R: Reference>(&self) -> Result<R, NarrowError> {
        let expected = R::INTERFACE.repository_id;
        if self.is_a(expected)? {
            return Ok(self.unchecked_narrow());
        }
        let found = self.type_id().to_owned();
        Err(NarrowError::WrongInterface { expected, found })
    }

    /// The repository id of the object's most derived interface, asked of the
    /// object.
    ///
    /// # Errors
    ///
    /// The system exception that asking ended with; BAD_OPERATION from peers
    /// older than CORBA 3.
    pub fn repository_id(&self) -> Result<String, SystemException> {
        if let Some(interface) = self.local_interface("_repository_id") {
            return Ok(interface?.repository_id.to_owned());
        }
        self.invoke("_repository_id", |_| Ok(()))?
            .results(String::decode)
    }

    /// The description of the object's most derived interface, an `InterfaceDef` of an
    /// interface repository, asked of the object (the standard's `get_interface`). None if
    /// the server has none.
    ///
    /// The crate `taut-ifr` has the stubs of `InterfaceDef`.
    ///
    /// # Errors
    ///
    /// The system exception that asking ended with: INTF_REPOS with OMG minor 1 when the server
    /// has no interface repository, with 2 when that does not have the interface.
    pub fn get_interface(&self) -> Result<Option<ObjectRef>, SystemException> {
        self.invoke("_interface", |_| Ok(()))?
            .results(ObjectRef::decode_nil)
    }

    /// The component that the object is a facet of, if any.
    ///
    /// # Errors
    ///
    /// The system exception that asking ended with.
    pub fn component(&self) -> Result<Option<ObjectRef>, SystemException> {
        self.invoke("_component", |_| Ok(()))?
            .results(ObjectRef::decode_nil)
    }
}

impl From<SystemException> for NarrowError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// BAD_PARAM for a wrong interface, so that `?` works in servants.
impl From<NarrowError> for SystemException {
    fn from(error: NarrowError) -> Self {
        match error {
            error @ NarrowError::WrongInterface { .. } => {
                Self::new(SystemExceptionKind::BadParam, 0, CompletionStatus::No)
                    .because(error.to_string())
            }
            NarrowError::System(exception) => exception,
        }
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed
/// by way of `Debug`, and shall be understood there too.
impl fmt::Debug for NarrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for NarrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongInterface { expected, found } if found.is_empty() => {
                write!(f, "the object is not a {expected}")
            }
            Self::WrongInterface { expected, found } => {
                write!(
                    f,
                    "the object is not a {expected}; its reference says {found}"
                )
            }
            Self::System(exception) => exception.fmt(f),
        }
    }
}

impl std::error::Error for NarrowError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::WrongInterface { .. } => None,
            Self::System(exception) => Some(exception),
        }
    }
}
