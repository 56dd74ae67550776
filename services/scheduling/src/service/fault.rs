//! The ends of operations that are none of success.

use taut::{CompletionStatus, SystemException, SystemExceptionKind};

use crate::rtec_scheduler::scheduler::{
    AddDependencyError, ComputeSchedulingError, CreateError, DispatchConfigurationError,
    EntryPointPriorityError, GetConfigInfoSetError, GetConfigInfosError, GetDependencySetError,
    GetError, GetRtInfoSetError, LastScheduledPriorityError, LookupError, PriorityError,
    RecomputeSchedulingError, RemoveDependencyError, ReplaceSeqError, ResetError, ResetSeqError,
    SetDependencyEnableStateError, SetDependencyEnableStateSeqError, SetError,
    SetRtInfoEnableStateError, SetRtInfoEnableStateSeqError, SetSeqError,
};
use crate::rtec_scheduler::{
    DuplicateName, InsufficientThreadPriorityLevels, Internal, NotScheduled, TaskCountMismatch,
    UnknownPriorityLevel, UnknownTask, UtilizationBoundExceeded,
};
use crate::taut_scheduling::privileged_scheduler::{GetConstraintsError, SetConstraintsError};

/// An exception of any operation of the service.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    DuplicateName,
    UnknownTask,
    NotScheduled,
    UtilizationBoundExceeded,
    InsufficientThreadPriorityLevels,
    TaskCountMismatch,
    UnknownPriorityLevel,
    Internal,
    System(SystemException),
}

impl Fault {
    /// The fault of an argument that no operation can have.
    pub(super) fn bad_parameter(why: &str) -> Self {
        Self::refused(SystemExceptionKind::BadParam, why)
    }

    /// The fault of an application that changes what is the system's.
    pub(super) fn no_permission() -> Self {
        let why = "the operation is the system's; the privileged scheduler changes it";
        Self::refused(SystemExceptionKind::NoPermission, why)
    }

    /// A system exception of an operation that has changed nothing.
    pub(super) fn refused(kind: SystemExceptionKind, why: &str) -> Self {
        Self::System(SystemException::new(kind, 0, CompletionStatus::No).because(why.to_owned()))
    }
}

impl From<Fault> for SystemException {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::System(exception) => exception,
            // No operation ends with an exception that its IDL does not have.
            other => Self::new(SystemExceptionKind::Internal, 0, CompletionStatus::Maybe)
                .because(format!("the scheduling service ends with {other:?}")),
        }
    }
}

/// Translates faults to the exceptions of operations.
macro_rules! faults {
    ($($error:ident: $($exception:ident)*;)*) => {$(
        impl From<Fault> for $error {
            fn from(fault: Fault) -> Self {
                match fault {
                    $(Fault::$exception => $exception.into(),)*
                    other => SystemException::from(other).into(),
                }
            }
        }
    )*};
}

faults! {
    CreateError: DuplicateName Internal;
    LookupError: UnknownTask;
    GetError: UnknownTask;
    SetError: UnknownTask Internal;
    ResetError: UnknownTask Internal;
    SetSeqError: UnknownTask Internal;
    ResetSeqError: UnknownTask Internal;
    ReplaceSeqError: UnknownTask Internal;
    AddDependencyError: UnknownTask;
    RemoveDependencyError: UnknownTask;
    SetDependencyEnableStateError: UnknownTask;
    SetDependencyEnableStateSeqError: UnknownTask;
    SetRtInfoEnableStateError: UnknownTask Internal;
    SetRtInfoEnableStateSeqError: UnknownTask Internal;
    PriorityError: UnknownTask NotScheduled;
    EntryPointPriorityError: UnknownTask NotScheduled;
    ComputeSchedulingError: UtilizationBoundExceeded InsufficientThreadPriorityLevels
        TaskCountMismatch Internal;
    RecomputeSchedulingError: UtilizationBoundExceeded InsufficientThreadPriorityLevels
        TaskCountMismatch Internal;
    GetRtInfoSetError: Internal;
    GetDependencySetError: Internal;
    GetConfigInfoSetError: Internal;
    DispatchConfigurationError: NotScheduled UnknownPriorityLevel;
    LastScheduledPriorityError: NotScheduled;
    GetConfigInfosError: NotScheduled;
    GetConstraintsError: UnknownTask;
    SetConstraintsError: UnknownTask;
}
