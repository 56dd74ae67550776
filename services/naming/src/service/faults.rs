//! The ends of an operation upon a name that are none of success.

use taut::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::counters;
use crate::naming_context::{
    AlreadyBound, BindContextError, BindError, BindNewContextError, CannotProceed, InvalidName,
    NotFound, RebindContextError, RebindError, ResolveError, UnbindError,
};
use crate::naming_context_ext::ResolveStrError;
use crate::store::StoreError;

/// An exception of any operation upon a name.
#[derive(Debug)]
pub(super) enum Fault {
    NotFound(NotFound),
    CannotProceed(CannotProceed),
    InvalidName,
    AlreadyBound,
    System(SystemException),
}

impl From<SystemException> for Fault {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

/// Translates between [`Fault`] and the exceptions of an operation, with or without AlreadyBound.
macro_rules! faults {
    ($($error:ident $($already_bound:ident)?;)*) => {$(
        impl From<Fault> for $error {
            fn from(fault: Fault) -> Self {
                match fault {
                    Fault::NotFound(exception) => exception.into(),
                    Fault::CannotProceed(exception) => exception.into(),
                    Fault::InvalidName => InvalidName.into(),
                    $(Fault::$already_bound => AlreadyBound.into(),)?
                    Fault::System(exception) => exception.into(),
                    #[allow(unreachable_patterns, reason = "some operations have all")]
                    // No operation without AlreadyBound asks the store for what it answers so.
                    Fault::AlreadyBound => refused(SystemExceptionKind::Internal, 0).into(),
                }
            }
        }

        impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                match error {
                    $error::NotFound(exception) => Self::NotFound(exception),
                    $error::CannotProceed(exception) => Self::CannotProceed(exception),
                    $error::InvalidName(_) => Self::InvalidName,
                    $($error::$already_bound(_) => Self::AlreadyBound,)?
                    $error::System(exception) => Self::System(exception),
                }
            }
        }
    )*};
}

faults! {
    BindError AlreadyBound;
    RebindError;
    BindContextError AlreadyBound;
    RebindContextError;
    BindNewContextError AlreadyBound;
    ResolveError;
    ResolveStrError;
    UnbindError;
}

/// A system exception of an operation that has changed nothing.
pub(super) fn refused(kind: SystemExceptionKind, minor: u32) -> SystemException {
    SystemException::new(kind, minor, CompletionStatus::No)
}

/// The exception for a context that is not there.
pub(super) fn context_destroyed() -> SystemException {
    refused(
        SystemExceptionKind::ObjectNotExist,
        minor::CONTEXT_DESTROYED,
    )
}

/// The exception for a fault of the store, which is also an event.
pub(super) fn store_failed(error: &StoreError) -> SystemException {
    counters::store_failed();
    tracing::error!(target: "taut::naming", %error, "the store of names failed");
    let (persist, transient) = (
        SystemExceptionKind::PersistStore,
        SystemExceptionKind::Transient,
    );
    let (kind, minor, completed) = match (error.is_unreachable(), error.may_be_done()) {
        (false, false) => (persist, minor::NAME_STORE_FAILED, CompletionStatus::No),
        (false, true) => (persist, minor::NAME_STORE_FAILED, CompletionStatus::Maybe),
        (true, false) => (
            transient,
            minor::NAME_STORE_UNREACHABLE,
            CompletionStatus::No,
        ),
        (true, true) => (persist, minor::NAME_CHANGE_UNKNOWN, CompletionStatus::Maybe),
    };
    SystemException::new(kind, minor, completed).because(error.to_string())
}
