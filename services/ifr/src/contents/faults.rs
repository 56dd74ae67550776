//! The exceptions with which operations end.

use taut::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use taut_types::CreateError;

/// An exception of an operation that has changed nothing.
pub(crate) fn refused(kind: SystemExceptionKind, minor: u32) -> SystemException {
    SystemException::new(kind, minor, CompletionStatus::No)
}

/// An exception with a minor code of the standard's.
pub(crate) fn omg(kind: SystemExceptionKind, code: u32) -> SystemException {
    refused(kind, minor::omg(code))
}

/// BAD_PARAM with a minor code of the standard's: 2 for an id that is taken, 3 for a name that
/// is, 4 for a container that cannot hold the definition, 5 for a name that is inherited.
pub(crate) fn bad_param(code: u32) -> SystemException {
    omg(SystemExceptionKind::BadParam, code)
}

/// The exception for a definition that would contradict itself or others.
pub(crate) fn incoherent(reason: impl Into<Box<str>>) -> SystemException {
    let kind = SystemExceptionKind::BadParam;
    refused(kind, minor::INCOHERENT_DEFINITION).because(reason)
}

/// The exception for what is there no more.
pub(super) fn gone() -> SystemException {
    refused(
        SystemExceptionKind::ObjectNotExist,
        minor::OBJECT_NOT_ACTIVE,
    )
}

/// The exception for what exceeds a limit.
pub(super) fn limit() -> SystemException {
    refused(SystemExceptionKind::ImpLimit, minor::REPOSITORY_LIMIT)
}

/// The exception for a type that has no TypeCode.
pub(super) fn no_type_code(error: CreateError) -> SystemException {
    let bad = SystemExceptionKind::BadParam;
    let (kind, minor) = match error {
        CreateError::InvalidName => (bad, minor::omg(15)),
        CreateError::InvalidId => (bad, minor::omg(16)),
        CreateError::DuplicateMember => (bad, minor::omg(17)),
        CreateError::DuplicateLabel => (bad, minor::omg(18)),
        CreateError::InvalidLabel => (bad, minor::omg(19)),
        CreateError::InvalidDiscriminator => (bad, minor::omg(20)),
        CreateError::InvalidMemberType => (SystemExceptionKind::BadTypecode, minor::omg(2)),
        CreateError::Recursion => (SystemExceptionKind::BadTypecode, minor::omg(3)),
        CreateError::TooLarge => (SystemExceptionKind::ImpLimit, minor::REPOSITORY_LIMIT),
        _ => (bad, minor::INCOHERENT_DEFINITION),
    };
    refused(kind, minor).because(error.to_string())
}
