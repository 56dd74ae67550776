//! User exceptions, as generated code declares them.

use std::error::Error;

use taut_cdr::{Decode, Encode};

/// An exception that IDL declares. Generated code implements it.
pub trait UserException: Encode + for<'m> Decode<'m> + Error {
    /// The repository id, by which the exception is told from others.
    const REPOSITORY_ID: &'static str;
}
