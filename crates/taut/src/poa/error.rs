//! Why the POA refuses.

use std::fmt;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind, minor};

/// The exceptions of the POA's operations (CORBA 3.3 part 1, 15.3.9).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoaError {
    /// The parent has a child of this name already.
    AdapterAlreadyExists,
    /// The parent has no child of this name, and none was made on demand.
    AdapterNonExistent,
    /// This policy cannot be together with the others.
    InvalidPolicy {
        /// Its index among those that were asked for.
        index: u16,
    },
    /// No default servant has been set.
    NoServant,
    /// No servant manager has been set.
    NoServantManager,
    /// An object with this id is active already.
    ObjectAlreadyActive,
    /// No object with this id is active.
    ObjectNotActive,
    /// The servant is active already, and this POA's servants have one id each
    /// (UNIQUE_ID).
    ServantAlreadyActive,
    /// The servant is not active in this POA.
    ServantNotActive,
    /// The reference was not made by this POA.
    WrongAdapter,
    /// The POA's policies do not allow the operation.
    WrongPolicy,
    /// 2³² objects are active.
    Full,
    /// The system exception that any operation may end with.
    System(SystemException),
}

impl PoaError {
    pub(super) fn invalid_policy(index: usize) -> Self {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        Self::InvalidPolicy { index }
    }
}

/// The text of [`Display`](fmt::Display): an error that ends `main` is printed by way of
/// `Debug`.
impl fmt::Debug for PoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AdapterAlreadyExists => "the parent has a POA of this name already",
            Self::AdapterNonExistent => "the parent has no POA of this name",
            Self::InvalidPolicy { index } => {
                return write!(f, "the policy at index {index} contradicts another");
            }
            Self::NoServant => "the POA has no default servant yet",
            Self::NoServantManager => "the POA has no servant manager yet",
            Self::ObjectAlreadyActive => "an object with this id is active already",
            Self::ObjectNotActive => "no object with this id is active",
            Self::ServantAlreadyActive => "the servant is active already under another object id",
            Self::ServantNotActive => "the servant is not active in this POA",
            Self::WrongAdapter => "the reference was not made by this POA",
            Self::WrongPolicy => "the POA's policies do not allow this operation",
            Self::Full => "the active object map is full",
            Self::System(exception) => return exception.fmt(f),
        })
    }
}

impl std::error::Error for PoaError {}

impl From<SystemException> for PoaError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// The system exception, or OBJ_ADAPTER for any other, so that `?` works in
/// servants.
impl From<PoaError> for SystemException {
    fn from(error: PoaError) -> Self {
        match error {
            PoaError::System(exception) => exception,
            _ => Self::new(SystemExceptionKind::ObjAdapter, 0, CompletionStatus::No)
                .because(error.to_string()),
        }
    }
}

/// A system exception of the standard's, before any servant was called.
#[cold]
pub(super) fn refusal(kind: SystemExceptionKind, minor: u32) -> SystemException {
    SystemException::omg(kind, minor, CompletionStatus::No)
}

/// A system exception with a minor code of Taut's, before any servant was called.
#[cold]
pub(super) fn own_refusal(kind: SystemExceptionKind, minor: u32) -> SystemException {
    SystemException::new(kind, minor, CompletionStatus::No)
}

/// The POA is there, and has no active object with this id.
pub(super) fn object_not_active() -> SystemException {
    own_refusal(
        SystemExceptionKind::ObjectNotExist,
        minor::OBJECT_NOT_ACTIVE,
    )
}

/// The object key is none that a POA of Taut makes, and nothing is bound to it.
pub(super) fn unknown_key() -> SystemException {
    own_refusal(SystemExceptionKind::ObjectNotExist, minor::UNKNOWN_KEY)
}

/// The POA is not there, or no longer.
pub(super) fn no_such_poa() -> SystemException {
    refusal(SystemExceptionKind::ObjectNotExist, 2)
}

/// Whether this is how a manager that is inactive refuses.
pub(super) fn is_inactive(exception: &SystemException) -> bool {
    *exception == refusal(SystemExceptionKind::ObjectNotExist, 4)
}

/// To wait in a servant for what ends only after it.
pub(super) fn would_deadlock() -> SystemException {
    refusal(SystemExceptionKind::BadInvOrder, 3)
}
