//! User exceptions, as generated code declares them.

use std::error::Error;

use taut_cdr::{Decode, Encode};
use taut_giop::{CompletionStatus, SystemException};

/// An exception that IDL declares. Generated code implements it.
pub trait UserException: Encode + for<'m> Decode<'m> + Error {
    /// The repository id, by which the exception is told from others.
    const REPOSITORY_ID: &'static str;
}

/// The exception for a value that could not be written. It has no room for the
/// place, which goes to the log: which character of a string it was, say.
#[cold]
pub(crate) fn unwritable(error: &taut_cdr::Error, completed: CompletionStatus) -> SystemException {
    tracing::debug!(%error, "a value cannot be written");
    SystemException::from_cdr(error, completed)
}
