//! Why the POA refuses.

use std::fmt;

use taut_giop::{CompletionStatus, SystemException, SystemExceptionKind};

/// The exceptions of the POA's operations (CORBA 3.3 part 1, 15.3.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoaError {
    /// The servant is active already, and this POA's servants have one id each
    /// (UNIQUE_ID).
    ServantAlreadyActive,
    /// The servant is not active in this POA.
    ServantNotActive,
    /// No object with this id is active.
    ObjectNotActive,
    /// The reference was not made by this POA.
    WrongAdapter,
    /// 2³² objects are active.
    Full,
}

impl fmt::Display for PoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ServantAlreadyActive => "the servant is active already under another object id",
            Self::ServantNotActive => "the servant is not active in this POA",
            Self::ObjectNotActive => "no object with this id is active",
            Self::WrongAdapter => "the reference was not made by this POA",
            Self::Full => "the active object map is full",
        })
    }
}

impl std::error::Error for PoaError {}

/// OBJ_ADAPTER, so that `?` works in servants.
impl From<PoaError> for SystemException {
    fn from(_: PoaError) -> Self {
        Self::new(SystemExceptionKind::ObjAdapter, 0, CompletionStatus::No)
    }
}
